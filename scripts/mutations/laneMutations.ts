import type { Mutation } from './mutations.js'

/** Of whom a lane's nonce is believed, and of what holds payouts or lets a key go. */
export const laneMutations: Mutation[] = [
  {
    name: 'lanes are held against what one node says',
    changes: [
      {
        file: 'server/domain/toldNonce.ts',
        find: 'Math.max(...answersOf(told))',
        replace: 'answersOf(told)[0]!',
      },
    ],
    tests: ['test/engine/olderDatabase.test.ts', '-g', 'tells old nonces'],
  },
  {
    name: 'a lane begins where one node says',
    changes: [
      {
        file: 'server/engine/lanes/openLanes.ts',
        find: 'agreedNonce(nonces, agreement)',
        replace: 'agreedNonce(nonces, 1)',
      },
    ],
    tests: ['test/engine/openLanes.test.ts', '-g', 'wait while one tells more'],
  },
  {
    name: 'an empty ledger pays out beside keys that were used',
    changes: [
      {
        file: 'server/engine/lanes/openLanes.ts',
        find: 'testnet || highest === 0 ?',
        replace: 'testnet || highest >= 0 ?',
      },
    ],
    tests: ['test/engine/openLanes.test.ts', '-g', 'whichever replica'],
  },
  {
    name: 'a key is given up though a former vault pays what it has signed',
    changes: [
      {
        file: 'server/chain/operatorRights.ts',
        find: 'vaultsOf(config).map(async (vault) => {',
        replace: '[config.vault].map(async (vault) => {',
      },
    ],
    tests: ['test/e2e/lostKey.test.ts', '-g', 'be it a former one'],
  },
  {
    name: 'a key is given up though a reorganisation may give it its right again',
    changes: [
      {
        file: 'server/chain/operatorRights.ts',
        find: 'newestFinal > 0n ? newestFinal : 0n',
        replace: 'number',
      },
    ],
    tests: ['test/e2e/lostKey.test.ts', '-g', 'until lately'],
  },
  {
    name: 'what nothing waits for any more is sent again with all that it pays',
    changes: [
      {
        file: 'server/engine/lanes/lanes.ts',
        find: 'return isUnwanted && !forms.some(({ isCancel }) => isCancel)',
        replace: 'return isUnwanted && forms.length === 0',
      },
    ],
    tests: ['test/engine/lanes.test.ts', '-g', 'cancels what was given up'],
  },
  {
    name: 'what a transaction says one node is believed',
    changes: [
      {
        file: 'server/chain/certainty.ts',
        find: 'return !transaction || isSameContent(',
        replace: 'return (!transaction || Number(hash) > 0) || isSameContent(',
      },
    ],
    tests: ['test/nodes/lyingNode.test.ts'],
  },
]
