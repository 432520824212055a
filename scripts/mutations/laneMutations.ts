import type { Mutation } from './mutation.js'

/** Of whom a lane's nonce is believed, and of what holds payouts or lets a key go. */
export const laneMutations: Mutation[] = [
  {
    name: 'what is queued is read with all that it carries whenever it is due',
    changes: [
      {
        file: 'server/engine/receipts/silent.ts',
        find: 'due.filter((transaction) => !tools.sendWindow.isQueued(transaction))',
        replace: 'due',
      },
    ],
    tests: ['test/engine/silent.test.ts'],
  },
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
        file: 'server/engine/lanes/replace.ts',
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
  {
    name: 'what waits in a pool and the journal does not have counts for nothing',
    changes: [
      {
        file: 'server/engine/lanes/drift.ts',
        find: 'Math.max(mined.nonce, pending.nonce) > lane.nextNonce',
        replace: 'mined.nonce > lane.nextNonce',
      },
    ],
    tests: ['test/engine/lanes.test.ts', '-g', 'waits in a node’s pool'],
  },
  {
    name: 'a lane waits for one user who keeps his authorization out of the pools',
    changes: [
      {
        file: 'server/engine/lanes/send.ts',
        find: 'return lanes.some((lane) => lane.signer === signer',
        replace: 'return (false as boolean) && lanes.some((lane) => lane.signer === signer',
      },
    ],
    tests: ['test/engine/keptOut.test.ts', '-g', 'until something of its lane'],
  },
  {
    name: 'a user who keeps his authorization out of blocks raises everybody’s tip',
    changes: [
      {
        file: 'server/engine/lanes/tips.ts',
        find: 'authorizations.length === 0 && !before',
        replace: 'authorizations.length >= 0 && !before',
      },
    ],
    tests: ['test/engine/tips.test.ts'],
  },
  {
    name: 'a step that nodes don’t get to the end of simulating is tried without end',
    changes: [
      {
        file: 'server/engine/steps/lateSimulations.ts',
        find: 'if (isItsOwn && counted + 1 === most) return null',
        replace: 'if (isItsOwn && counted > 100) return null',
      },
    ],
    tests: ['test/engine/lateSimulations.test.ts', '-g', 'ends after a few tries'],
  },
  {
    name: 'steps end where the nodes simulate nothing',
    changes: [
      {
        file: 'server/engine/steps/lateSimulations.ts',
        find: 'const isItsOwn = others > before',
        replace: 'const isItsOwn = others >= before',
      },
    ],
    tests: ['test/engine/lateSimulations.test.ts', '-g', 'all but simulations'],
  },
]
