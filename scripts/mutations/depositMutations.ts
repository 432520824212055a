import type { Mutation } from './mutations.js'

/** Of reports of deposits, and of payments that steps have registered. */
export const depositMutations: Mutation[] = [
  {
    name: 'a step that waits for another keeps its payment from being reported',
    changes: [
      {
        file: 'server/store/money/bookDeposit.ts',
        find: "|| isUndone ? 'open' : 'none'",
        replace: "|| isUndone || previous ? 'open' : 'none'",
      },
    ],
    tests: ['test/store/registeredDeposits.test.ts', '-g', 'waits for the one before it'],
  },
  {
    name: 'a report is refused while a step verifies its transaction',
    changes: [
      {
        file: 'server/store/money/bookDeposit.ts',
        find: "if (registered === 'open' && isOfIt) return 'waits'",
        replace: '',
      },
    ],
    tests: ['test/store/registeredDeposits.test.ts', '-g', 'waits for what comes'],
  },
  {
    name: 'a log that another node numbers otherwise is another one',
    changes: [
      {
        file: 'server/domain/knownLogs.ts',
        find: 'for (const likeness of likenesses)',
        replace: 'for (const likeness of likenesses.slice(0, 1))',
      },
    ],
    tests: ['test/store/renumberedLogs.test.ts', '-g', 'no second credit'],
  },
  {
    name: 'a node that has not got the vault yet is believed that it has paid nothing',
    changes: [
      { file: 'server/chain/readFlag.ts', find: 'if (flag === null && isThere)', replace: 'if (!isThere && isThere)' },
    ],
    tests: ['test/chain/createChain.test.ts', '-g', 'has not got the vault'],
  },
]
