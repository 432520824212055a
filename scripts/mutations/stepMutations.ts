import type { Mutation } from './mutation.js'

const everyFault = ['test/chaos/badNodes.test.ts', '-g', 'every fault']

/** Of a step's course: who visits it, when it ends, and what is booked with that. */
export const stepMutations: Mutation[] = [
  {
    name: 'lease without compare-and-set',
    changes: [
      {
        file: 'server/store/claims.ts',
        find: 'trx.after(leaseMs)',
        replace: 'trx.after(0)',
      },
      {
        file: 'server/store/journal/transactionRecorder.ts',
        find: "step?.status === 'executing' && step.transaction_id === null && attemptOf(step) === attempt",
        replace: 'step !== undefined',
      },
    ],
    tests: everyFault,
  },
  {
    name: 'statements share trips on a cluster',
    changes: [
      {
        file: 'server/store/connection/database.ts',
        find: "const joins = kind === 'mysql' && !isOfGalera(connection)",
        replace: "const joins = kind === 'mysql'",
      },
    ],
    tests: ['test/chaos/galeraTransactions.test.ts'],
  },
  {
    name: 'a step that is handed over is due for others too',
    changes: [
      {
        file: 'server/store/stepRequests.ts',
        find: 'due_at: { inMs: leaseMs ?? 0 },',
        replace: 'due_at: { inMs: Math.min(leaseMs ?? 0, 0) },',
      },
    ],
    tests: ['test/store/actions/steps.test.ts', '-g', 'nobody else before'],
  },
  {
    name: 'a late visit ends the attempt after its own',
    changes: [
      {
        file: 'server/store/journal/settlement.ts',
        find: ' || attemptOf(row) !== attempt) return',
        replace: ') return',
      },
    ],
    tests: ['test/store/money/credits.test.ts', '-g', 'comes late'],
  },
  {
    name: 'a visit books on a block that has gone since it began',
    changes: [
      {
        file: 'server/store/journal/settlement.ts',
        find: ' || attemptOf(row) !== attempt) return',
        replace: ' || String(row.attempts) !== attempt.split(".")[0]) return',
      },
    ],
    tests: ['test/store/journal/reorganisations.test.ts', '-g', 'outlived the settlement'],
  },
  {
    name: 'a step takes its account before the step before it has ended',
    changes: [
      {
        file: 'server/store/stepRequests.ts',
        find: 'const takesAccount = ready && known.account !== null',
        replace: 'const takesAccount = known.account !== null',
      },
    ],
    tests: ['test/store/actions/steps.test.ts', '-g', 'leaves the account'],
  },
  {
    name: 'what an operator without its right has sent fails the step',
    changes: [
      {
        file: 'server/engine/outcomes/stepOutcome.ts',
        find: 'if (failure && (await isOperatorsFault(failure, { from, to }, chain, tools)))',
        replace: 'if (!failure && (await isOperatorsFault({ name: null }, { from, to }, chain, tools)))',
      },
    ],
    tests: ['test/engine/operators.test.ts', '-g', 'all but the first'],
  },
  {
    name: 'how often a payment was lost is not counted',
    changes: [
      {
        file: 'server/store/money/creditArrivals.ts',
        find: '.where({ chain_id, transaction_hash, is_lost: 1 })',
        replace: '.where({ chain_id, transaction_hash, is_lost: 1, id: -1 })',
      },
    ],
    tests: ['test/store/journal/reorganisations.test.ts', '-g', 'every block that it has been in'],
  },
  {
    name: 'the time of a step’s last change goes back with the clock',
    changes: [
      { file: 'server/store/actions/stepChange.ts', find: 'CASE WHEN updated_at > ?', replace: 'CASE WHEN 0 > ?' },
    ],
    tests: ['test/store/actions/stepChange.test.ts'],
  },
]
