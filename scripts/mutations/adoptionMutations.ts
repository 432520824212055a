import type { Mutation } from './mutation.js'

const lostDatabase = ['test/chaos/lostDatabase.test.ts']

/** Of what was carried out before, by somebody else or unknown to us, and is taken for done. */
export const adoptionMutations: Mutation[] = [
  {
    name: 'stepKey check off, in the vault',
    changes: [
      {
        file: 'server/contracts/SolverVault.sol',
        find: 'if (isFulfilled[stepKey]) revert AlreadyFulfilled(stepKey);',
        replace: '',
      },
    ],
    tests: lostDatabase,
  },
  {
    name: 'stepKey check off, in the server',
    changes: [
      {
        file: 'server/engine/payload.ts',
        find: "keyOf('on-demand', work.user, payment.transactionHash, payment.chainId,",
        replace: "keyOf('on-demand', work.user, keccak256(stringToHex(work.ref.actionId)),",
      },
    ],
    tests: lostDatabase,
  },
  {
    name: 'what the vault has paid before is not looked up',
    changes: [
      {
        file: 'server/engine/outcomes/adoptExecution.ts',
        find: "if (done === 'paid' && work.stepKey) return loggedIn(await chain.findFulfilment(work.stepKey))",
        replace: '',
      },
    ],
    tests: lostDatabase,
  },
  {
    name: 'what others have in a pool is not waited for',
    changes: [
      {
        file: 'server/engine/outcomes/adoptExecution.ts',
        find: 'if (isUnmined) return (await isPending(work, chain))',
        replace: 'if (isUnmined && (false as boolean)) return (await isPending(work, chain))',
      },
    ],
    tests: ['test/e2e/executedByOthers.test.ts', '-g', 'is waited for'],
  },
  {
    name: 'a step whose transaction is cancelled is not looked up on the chain',
    changes: [
      {
        file: 'server/engine/outcomes/stepOutcome.ts',
        find: 'const remembered = await doneSince(receipt, work, chain)',
        replace: 'const remembered = isCancelled ? null : await doneSince(receipt, work, chain)',
      },
    ],
    tests: ['test/nodes/cameToNothing.test.ts'],
  },
  {
    name: 'a step whose transaction reverts is not looked up on the chain',
    changes: [
      {
        file: 'server/engine/outcomes/stepOutcome.ts',
        find: 'const remembered = await doneSince(receipt, work, chain)',
        replace: 'const remembered = isCancelled ? await doneSince(receipt, work, chain) : null',
      },
    ],
    tests: ['test/nodes/cameToNothing.test.ts', '-g', 'though it is paused'],
  },
  {
    name: 'a step that is refused is not looked up in the vault',
    changes: [
      {
        file: 'server/engine/steps/adoptIfDone.ts',
        find: 'const remembered = await doneBefore(work,',
        replace:
          "const remembered = await doneBefore({ ...work, stepKey: reason === 'intent_expired' ? stepKey : null },",
      },
    ],
    tests: ['test/engine/restored.test.ts', '-g', 'paused|delegation'],
  },
  {
    name: 'a payout is keyed by the step before it, whatever that is',
    changes: [
      {
        file: 'server/engine/steps/stepQueue.ts',
        find: 'return previous?.stepIndex === stepIndex ? previous : tools.store.readStep({ ...work.ref, stepIndex })',
        replace: 'return previous',
      },
    ],
    tests: ['test/engine/payoutsTogether.test.ts'],
  },
  {
    name: 'the vault is not asked whether it has paid what has run out and has calls',
    changes: [
      {
        file: 'server/engine/steps/adoptIfDone.ts',
        find: 'const remembered = await doneBefore(work,',
        replace:
          "const remembered = await doneBefore({ ...work, stepKey: reason === 'intent_expired' ? null : stepKey },",
      },
    ],
    tests: ['test/engine/adoption.test.ts', '-g', 'run out'],
  },
  {
    name: 'a step that is refused is not looked up in the account',
    changes: [
      {
        file: 'server/engine/steps/adoptIfDone.ts',
        find: 'asksAccount: untried.includes(reason)',
        replace: 'asksAccount: !untried.includes(reason)',
      },
    ],
    tests: ['test/e2e/executedByOthers.test.ts', '-g', 'although the user'],
  },
  {
    name: 'credit is given back before the lanes are checked',
    changes: [
      {
        file: 'server/engine/steps/executeStep.ts',
        find: 'const paysOut = solverTransfers(work.batch).length > 0',
        replace: 'const paysOut = solverTransfers(work.batch).length < 0',
      },
    ],
    tests: ['test/engine/adoption.test.ts', '-g', 'before the lanes'],
  },
  {
    name: 'an account is asked what it has run by the code that it has now',
    changes: [
      {
        file: 'server/chain/createChain.ts',
        find: '{ to: account, data, code, ...when }',
        replace: '{ to: account, data, ...when }',
      },
    ],
    tests: ['test/engine/executedThenRevoked.test.ts'],
  },
  {
    name: 'a step that our transaction did not run is not looked up in the account',
    changes: [
      {
        file: 'server/engine/outcomes/stepOutcome.ts',
        find: 'const isDone = spent.length === 0 &&',
        replace: 'const isDone = spent.length < 0 &&',
      },
    ],
    tests: ['test/engine/executedThenRevoked.test.ts', '-g', 'when ours is mined'],
  },
  {
    name: 'what another transaction carried out stays with ours',
    changes: [
      {
        file: 'server/store/journal/settlement.ts',
        find: '...(isAnothers && { transaction_id: null })',
        replace: '...(isAnothers && {})',
      },
    ],
    tests: ['test/store/journal/lateTransactions.test.ts', '-g', 'though ours is in another'],
  },
  {
    name: 'a node that is behind says whether an account has run a batch',
    changes: [
      {
        file: 'server/engine/outcomes/adoptExecution.ts',
        find: 'accountRemembers(step, chain, tools.heads.get(chain.config.chainId)?.number)',
        replace: 'accountRemembers(step, chain, tools.heads.size === -1 ? 0n : undefined)',
      },
    ],
    tests: ['test/engine/adoption.test.ts'],
  },
]
