import type { Mutation } from './mutation.js'

/** Of reports of deposits, and of payments that steps have registered. */
export const depositMutations: Mutation[] = [
  {
    name: 'a look at a report refuses the one that was sent anew since',
    changes: [
      {
        file: 'server/store/money/deposits.ts',
        find: "if (row.reported_at !== reportedAt) return { outcome: 'waits' }",
        replace: '',
      },
    ],
    tests: ['test/store/money/deposits.test.ts', '-g', 'are not refused by a look'],
  },
  {
    name: 'a payment that comes again by another transaction is credit once more',
    changes: [
      {
        file: 'server/store/money/samePayment.ts',
        find: 'const own = await formsOf(trx, [transactionHash])',
        replace: 'const own = [transactionHash]',
      },
    ],
    tests: ['test/store/money/samePayment.test.ts', '-g', 'with higher fees'],
  },
  {
    name: 'a payment that comes again by another transaction of its step is credit once more',
    changes: [
      {
        file: 'server/store/money/samePayment.ts',
        find: '  if (actionId === null) return own\n',
        replace: '  if (actionId !== undefined) return own\n',
      },
    ],
    tests: ['test/store/money/samePayment.test.ts', '-g', 'sent in its place'],
  },
  {
    name: 'what the vault gets as inventory is credit',
    changes: [
      {
        file: 'server/services/checkUser.ts',
        find: 'settings.funders.has(user)',
        replace: 'false && settings.funders.has(user)',
      },
    ],
    tests: ['test/e2e/inventory.test.ts', '-g', 'nobody’s credit'],
  },
  {
    name: 'a step that waits for another keeps its payment from being reported',
    changes: [
      {
        file: 'server/store/money/bookDeposit.ts',
        find: "|| isUndone ? 'open' : 'none'",
        replace: "|| isUndone || previous ? 'open' : 'none'",
      },
    ],
    tests: ['test/store/money/registeredDeposits.test.ts', '-g', 'waits for the one before it'],
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
    tests: ['test/store/money/registeredDeposits.test.ts', '-g', 'waits for what comes'],
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
    tests: ['test/store/money/renumberedLogs.test.ts', '-g', 'no second credit'],
  },
  {
    name: 'a node that has not got the vault yet is believed that it has paid nothing',
    changes: [
      { file: 'server/chain/readFlag.ts', find: 'if (flag === null && isThere)', replace: 'if (!isThere && isThere)' },
    ],
    tests: ['test/chain/createChain.test.ts', '-g', 'has not got the vault'],
  },
  {
    name: 'hashes that no node knows are asked for all the more often the more there are',
    changes: [
      {
        file: 'server/engine/outcomes/unknownTransactions.ts',
        find: 'Math.max(aloneMs, Math.min(lookedForAt.size * everyMs, rarestMs))',
        replace: 'aloneMs',
      },
    ],
    tests: ['test/engine/unknownTransactions.test.ts', '-g', 'a few hundred each second'],
  },
  {
    name: 'how long one transaction is unknown counts for another one',
    changes: [
      {
        file: 'server/store/actions/steps.ts',
        find: 'CASE WHEN transaction_hash = ? THEN',
        replace: 'CASE WHEN transaction_hash <> ? THEN',
      },
    ],
    tests: ['test/store/claims.test.ts', '-g', 'does not know'],
  },
]
