import type { Mutation } from './mutations.js'

/** Of the keys that payouts are made under, of who books them, and of whose credit comes in with them. */
export const payoutMutations: Mutation[] = [
  {
    name: 'a key goes to another step though a transaction was signed with it',
    changes: [
      {
        file: 'server/store/preparation.ts',
        find: 'return seen.transactionHash !== null && isSameStep(seen, refOf(step))',
        replace: 'return seen.transactionHash === null && isSameStep(seen, refOf(step)) && (false as boolean)',
      },
    ],
    tests: ['test/store/reorganisations.test.ts', '-g', 'leaves a payout its key once'],
  },
  {
    name: 'a late visit takes another key for its own',
    changes: [
      {
        file: 'server/store/preparation.ts',
        find: "if (fixed === 0 && (await step().first('step_key'))?.step_key !== stepKey)",
        replace: 'if (fixed < 0)',
      },
    ],
    tests: ['test/store/reorganisations.test.ts', '-g', 'fixes no other key'],
  },
  {
    name: 'a payout of an ended step is left to a transaction that says nothing of it',
    changes: [
      {
        file: 'server/store/settlement.ts',
        find: "if (row.status !== 'executing') return (await readPayouts(trx, row)).length > 0\n",
        replace: '',
      },
    ],
    tests: ['test/store/lateTransactions.test.ts', '-g', 'books what the transaction of an earlier attempt'],
  },
  {
    name: 'what was paid and not run is booked by each transaction that tells of it',
    changes: [
      {
        file: 'server/store/settlement.ts',
        find: 'return (await readPayouts(trx, row)).length > 0',
        replace: 'return (await readPayouts(trx, row)).length < 0',
      },
    ],
    tests: ['test/store/lateTransactions.test.ts', '-g', 'books once what was paid and not run'],
  },
  {
    name: 'an adopted payout takes what the user has paid in its transaction',
    changes: [
      {
        file: 'server/engine/adoptExecution.ts',
        find: "work.kind === 'delegated' ? await arrivalsOf(receipt, work.user, chain, tools) : []",
        replace: 'await arrivalsOf(receipt, work.user, chain, tools)',
      },
    ],
    tests: ['test/engine/adoption.test.ts', '-g', 'leaves what the user has paid'],
  },
]
