import type { Mutation } from './mutation.js'

/** Of the keys that payouts are made under, of who books them, and of whose credit comes in with them. */
export const payoutMutations: Mutation[] = [
  {
    name: 'credit is paid out by other lanes though the database is older than a chain',
    changes: [
      {
        file: 'server/store/journal/lanes.ts',
        find: ".whereIn('status', aheadStatuses).select('signer')",
        replace: ".where('status', 'never').select('signer')",
      },
    ],
    tests: ['test/engine/olderDatabase.test.ts', '-g', 'pays nothing on credit'],
  },
  {
    name: 'a lane that is paused is not held against the chain',
    changes: [
      {
        file: 'server/engine/lanes/drift.ts',
        find: '!isAhead && !isRetired)',
        replace: "!isAhead && !isRetired).filter(({ status }) => status === 'active')",
      },
    ],
    tests: ['test/engine/olderDatabase.test.ts', '-g', 'which was paused then,'],
  },
  {
    name: 'a lane whose key is gone is not held against the chain',
    changes: [
      {
        file: 'server/engine/lanes/drift.ts',
        find: '!isAhead && !isRetired)',
        replace: '!isAhead && !isRetired).filter(({ signer }) => tools.signers.has(signer))',
      },
    ],
    tests: ['test/engine/olderDatabase.test.ts', '-g', 'which is configured no more'],
  },
  {
    name: 'what was prepared before a lane was found ahead is signed all the same',
    changes: [
      {
        file: 'server/store/journal/transactionRecorder.ts',
        find: 'if (pays && ahead.length > 0)',
        replace: 'if (pays && ahead.length < 0)',
      },
    ],
    tests: ['test/store/journal/heldPayouts.test.ts', '-g', 'neither prepared nor signed'],
  },
  {
    name: 'what a former vault has paid is taken for unpaid',
    changes: [
      {
        file: 'server/engine/outcomes/stepOutcome.ts',
        find: 'fulfilledKeys(receipt, ...vaultsOf(chain.config))',
        replace: 'fulfilledKeys(receipt, vaultsOf(chain.config)[0]!)',
      },
    ],
    tests: ['test/e2e/replacedVault.test.ts', '-g', 'while nobody works'],
  },
  {
    name: 'the vault pays what a former one has paid',
    changes: [
      {
        file: 'server/engine/outcomes/formerVaults.ts',
        find: 'formerVaults.length > 0',
        replace: 'formerVaults.length < 0',
      },
    ],
    tests: ['test/e2e/replacedVault.test.ts', '-g', 'does not pay it again'],
  },
  {
    name: 'what reaches a former vault is nobody’s credit',
    changes: [
      {
        file: 'server/chain/transfers.ts',
        find: '.filter(({ to }) => isVault(to, config))',
        replace: '.filter(({ to }) => to === config.vault)',
      },
    ],
    tests: ['test/e2e/replacedVault.test.ts', '-g', 'that was signed before'],
  },
  {
    name: 'what goes through a vault that is not configured is taken for unpaid',
    changes: [
      {
        file: 'server/engine/outcomes/stepOutcome.ts',
        find: 'transaction.to !== work.user && !isVault(',
        replace: 'transaction.to === work.user && !isVault(',
      },
    ],
    tests: ['test/engine/stepOutcome.test.ts', '-g', 'not configured here'],
  },
  {
    name: 'a chains file may drop what is needed',
    changes: [
      {
        file: 'server/start/knownDeployment.ts',
        find: 'if (refused.length > 0) throw',
        replace: 'if (refused.length < 0) throw',
      },
    ],
    tests: ['test/e2e/droppedFromChainsFile.test.ts', '-g', 'no token that is being paid'],
  },
  {
    name: 'a user pays for what can’t follow any more',
    changes: [
      {
        file: 'server/services/steps.ts',
        find: 'userPays ? undefined : ref.stepIndex + 1',
        replace: 'ref.stepIndex + 1',
      },
    ],
    tests: ['test/e2e/droppedFromChainsFile.test.ts', '-g', 'before a user pays'],
  },
  {
    name: 'a key goes to another step though a transaction was signed with it',
    changes: [
      {
        file: 'server/store/actions/stepKeys.ts',
        find: 'isSameStep(view, refOf(step))',
        replace: 'isSameStep(view, refOf(step)) && (false as boolean)',
      },
    ],
    tests: ['test/store/journal/reorganisations.test.ts', '-g', 'leaves a payout its key once'],
  },
  {
    name: 'a late visit takes another key for its own',
    changes: [
      {
        file: 'server/store/actions/stepKeys.ts',
        find: "if (fixed === 0 && (await step().first('step_key'))?.step_key !== stepKey)",
        replace: 'if (fixed < 0)',
      },
    ],
    tests: ['test/store/journal/reorganisations.test.ts', '-g', 'fixes no other key'],
  },
  {
    name: 'a payout of an ended step is left to a transaction that says nothing of it',
    changes: [
      {
        file: 'server/store/journal/settlement.ts',
        find: "if (row.status !== 'executing') return (await readPayoutsOf(trx, row)).length > 0\n",
        replace: '',
      },
    ],
    tests: ['test/store/journal/lateTransactions.test.ts', '-g', 'books what the transaction of an earlier attempt'],
  },
  {
    name: 'what was paid and not run is booked by each transaction that tells of it',
    changes: [
      {
        file: 'server/store/journal/settlement.ts',
        find: 'return (await readPayoutsOf(trx, row)).length > 0',
        replace: 'return (await readPayoutsOf(trx, row)).length < 0',
      },
    ],
    tests: ['test/store/journal/lateTransactions.test.ts', '-g', 'books once what was paid and not run'],
  },
  {
    name: 'an adopted payout takes what the user has paid in its transaction',
    changes: [
      {
        file: 'server/engine/outcomes/adoptExecution.ts',
        find: "work.kind === 'delegated' ? await arrivalsOfRun(receipt, work.user, chain, tools) : []",
        replace: 'await arrivalsOfRun(receipt, work.user, chain, tools)',
      },
    ],
    tests: ['test/engine/adoption.test.ts', '-g', 'leaves what the user has paid'],
  },
  {
    name: 'a transaction is ended without a step that it carries',
    changes: [
      {
        file: 'server/store/journal/settlement.ts',
        find: 'if (isMissing || (airdrops.length > 0 && !settled.airdrop))',
        replace: 'if (airdrops.length > 0 && !settled.airdrop && isMissing)',
      },
    ],
    tests: ['test/store/journal/lateTransactions.test.ts', '-g', 'had read its step as done'],
  },
  {
    name: 'a transaction is ended without the airdrop that it carries',
    changes: [
      {
        file: 'server/store/journal/settlement.ts',
        find: 'if (isMissing || (airdrops.length > 0 && !settled.airdrop))',
        replace: 'if (isMissing || airdrops.length < 0)',
      },
    ],
    tests: ['test/store/airdrops.test.ts', '-g', 'had read it as paid'],
  },
  {
    name: 'a wallet has several airdrops in a period',
    changes: [
      {
        file: 'server/store/airdrops.ts',
        find: ".where({ status: 'success' }).where('asked_at'",
        replace: ".where({ status: 'error' }).where('asked_at'",
      },
    ],
    tests: ['test/store/airdrops.test.ts', '-g', 'whatever the next asks for'],
  },
  {
    name: 'a wallet has one airdrop for ever',
    changes: [
      {
        file: 'server/store/airdrops.ts',
        find: "where('asked_at', '>', now - wanted.periodMs)",
        replace: "where('asked_at', '>', 0)",
      },
    ],
    tests: ['test/store/airdrops.test.ts', '-g', 'whatever the next asks for'],
  },
  {
    name: 'an airdrop is followed by another while it is under way',
    changes: [
      {
        file: 'server/store/airdrops.ts',
        find: "some.where({ status: 'executing' })",
        replace: "some.where({ status: 'error' })",
      },
    ],
    tests: ['test/store/airdrops.test.ts', '-g', 'however many ask at once'],
  },
  {
    name: 'an airdrop that was paid late counts for nothing',
    changes: [
      {
        file: 'server/store/airdrops.ts',
        find: 'row && (await readStanding(trx, wanted, now))',
        replace: "row?.status === 'error' ? undefined : await readStanding(trx, wanted, now)",
      },
    ],
    tests: ['test/store/airdrops.test.ts', '-g', 'though it was paid late'],
  },
  {
    name: 'more than the set amount is given at once',
    changes: [
      {
        file: 'server/services/airdrops.ts',
        find: 'if (amount === 0n || amount > terms.amount)',
        replace: 'if (amount === 0n)',
      },
    ],
    tests: ['test/services/airdrops.test.ts', '-g', 'the most that is allowed'],
  },
  {
    name: 'what nobody can tell the credit for is an exposure though it is set aside',
    changes: [
      {
        file: 'server/store/journal/bookResult.ts',
        find: '[spender.ref]))).flat().length > 0',
        replace: '[spender.ref]))).flat().length < 0',
      },
    ],
    tests: ['test/store/journal/lateTransactions.test.ts', '-g', 'from what is set aside still'],
  },
  {
    name: 'what nobody can tell the credit for is no exposure though none is set aside',
    changes: [
      {
        file: 'server/store/journal/bookResult.ts',
        find: '[spender.ref]))).flat().length > 0',
        replace: '[spender.ref]))).flat().length >= 0',
      },
    ],
    tests: ['test/store/journal/lateTransactions.test.ts', '-g', 'any more as an exposure'],
  },
  {
    name: 'a node that is behind agrees on how deep a block is',
    changes: [
      {
        file: 'server/chain/certainty.ts',
        find: 'return isCanonical && isDeep',
        replace: 'return isCanonical && (isDeep || true)',
      },
    ],
    tests: ['test/chain/certainty.test.ts', '-g', 'is certain of'],
  },
  {
    name: 'a deposit waits for no more than what was reported asks for',
    changes: [
      {
        file: 'server/engine/depositQueue.ts',
        find: 'Math.max(work.requiredConfirmations, confirmationsFor(',
        replace: 'Math.min(work.requiredConfirmations, confirmationsFor(',
      },
    ],
    tests: ['test/engine/depositReports.test.ts', '-g', 'all that its transaction has paid'],
  },
  {
    name: 'who comes new passes by those who wait for an account',
    changes: [
      {
        file: 'server/engine/steps/accounts.ts',
        find: '(!isAwaited(work) && !isBehindCalled(work) &&',
        replace: '(!isBehindCalled(work) &&',
      },
    ],
    tests: ['test/engine/accounts.test.ts', '-g', 'passed by'],
  },
  {
    name: 'who looks by himself passes by one that was called',
    changes: [{ file: 'server/engine/steps/accounts.ts', find: ' && !isBehindCalled(work)', replace: '' }],
    tests: ['test/engine/accounts.test.ts', '-g', 'pass by one that was called'],
  },
  {
    name: 'a payout that was asked for on its own goes on to others',
    changes: [
      {
        file: 'server/domain/request.ts',
        find: "step.kind === 'payment' ? order.action === 'execute' : step.follow",
        replace: "order.action === 'execute' || step.follow",
      },
    ],
    tests: ['test/store/journal/successors.test.ts', '-g', 'is not asked for'],
  },
  {
    name: 'a payout that is under way does not hear that its payment goes on',
    changes: [
      {
        file: 'server/store/journal/settlement.ts',
        find: 'if (goesOn) trx.later(',
        replace: 'if (goesOn && next.follow) trx.later(',
      },
    ],
    tests: ['test/store/journal/successors.test.ts', '-g', 'on its own'],
  },
  {
    name: 'of many small credits only the first fifty are set aside',
    changes: [
      {
        file: 'server/store/money/moveCredits.ts',
        find: 'of writtenTogether(moves)) {',
        replace: 'of writtenTogether(moves).slice(0, 1)) {',
      },
    ],
    tests: ['test/store/money/credits.test.ts', '-g', 'many small amounts'],
  },
]
