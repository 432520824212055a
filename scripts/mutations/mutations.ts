/** A safeguard that is switched off, and the tests that have to notice. */
export type Mutation = {
  name: string
  /** `find` has to occur exactly once in the file, so that a safeguard which has moved is not forgotten. */
  changes: { file: string; find: string; replace: string }[]
  /** Arguments of mocha. */
  tests: string[]
}

const falseAnswers = ['test/chaos/badNodes.test.ts', '-g', 'false answer']
const everyFault = ['test/chaos/badNodes.test.ts', '-g', 'every fault']
const lostDatabase = ['test/chaos/lostDatabase.test.ts']

/** Signs what a transaction carries again, at the lane's next nonce. */
const signAgain = (transaction: string) => `recordAndSend({ ...${transaction}, chain, steps: [] }, tools)`

export const mutations: Mutation[] = [
  {
    name: 'nonce "too low" takes a new one',
    changes: [
      {
        file: 'server/engine/lanes/send.ts',
        find: `  if (answer.kind === 'slotTaken') await`,
        replace: `  if (answer.kind === 'consumed') await ${signAgain('transaction')}
  if (answer.kind === 'slotTaken') await`,
      },
      {
        file: 'server/engine/lanes/send.ts',
        find: "import { headOf } from './heads.js'",
        replace: "import { headOf } from './heads.js'\nimport { recordAndSend } from './record.js'",
      },
    ],
    tests: falseAnswers,
  },
  {
    name: 'send before store',
    changes: [
      {
        file: 'server/engine/lanes/record.ts',
        find: '    return await tools.store.recordTransaction(',
        replace: `    const lane = (await tools.store.readLanes(chain.config.chainId)).find((entry) => entry.signer === signer)!
    const early = await signForm({ ...outgoing, nonce: lane.nextNonce, signer, fees, isCancel: false }, tools)
    await chain.send(early)
    return await tools.store.recordTransaction(`,
      },
    ],
    tests: everyFault,
  },
  {
    name: 'one null receipt trusted',
    changes: [
      {
        file: 'server/engine/receipts/silent.ts',
        find: 'else unseen.push(transaction)',
        replace: `else {
        unseen.push(transaction)
        await ${signAgain('transaction')}
      }`,
      },
      {
        file: 'server/engine/receipts/silent.ts',
        find: "import type { createResends } from '../lanes/resends.js'",
        replace:
          "import type { createResends } from '../lanes/resends.js'\nimport { recordAndSend } from '../lanes/record.js'",
      },
    ],
    tests: falseAnswers,
  },
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
        file: 'server/engine/steps/payload.ts',
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
        file: 'server/engine/steps/adoptExecution.ts',
        find: "if (name === 'AlreadyFulfilled' && work.stepKey) return loggedIn(await chain.findFulfilment(work.stepKey))",
        replace: '',
      },
    ],
    tests: lostDatabase,
  },
  {
    name: 'what others have in a pool is not waited for',
    changes: [
      {
        file: 'server/engine/steps/adoptExecution.ts',
        find: 'if (isUnmined) return (await isPending(work, chain))',
        replace: 'if (isUnmined && (false as boolean)) return (await isPending(work, chain))',
      },
    ],
    tests: ['test/e2e/executedByOthers.test.ts', '-g', 'is waited for'],
  },
  {
    name: 'a limit above what a block has is signed',
    changes: [
      {
        file: 'server/engine/steps/executeStep.ts',
        find: 'if (gasLimit > ofBlock) {',
        replace: 'if (gasLimit > ofBlock && (false as boolean)) {',
      },
    ],
    tests: ['test/engine/blockGas.test.ts', '-g', 'ends before'],
  },
  {
    name: 'lease without compare-and-set',
    changes: [
      {
        file: 'server/store/claims.ts',
        find: 'database.after(leaseMs)',
        replace: 'database.after(0)',
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
    name: 'a bundle is waited for though one user keeps its authorizations out of the pools',
    changes: [
      {
        file: 'server/engine/lanes/send.ts',
        find: '(transaction.carries.length > 1 || (await isWaitedFor',
        replace: '((false as boolean) || (await isWaitedFor',
      },
    ],
    tests: ['test/engine/bundleCompany.test.ts', '-g', 'is given up when'],
  },
  {
    name: 'a bundle is waited for until every failure in it is explained',
    changes: [
      {
        file: 'server/engine/receipts/bundleOutcome.ts',
        find: "    return { status: 'alone' }\n  }\n}",
        replace: '    throw error\n  }\n}',
      },
    ],
    tests: ['test/engine/bundleCompany.test.ts', '-g', 'ends for all others'],
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
    name: 'gas of another is enough where the transaction ends well',
    changes: [
      {
        file: 'server/chain/simulation/inCompany.ts',
        find: 'if (its && its.gas >= used && isTight(its.gas, used)) found.push([one, its])',
        replace: 'if (its && isTight(its.gas, used)) found.push([one, its])',
      },
    ],
    tests: ['test/chain/simulateTogether.test.ts', '-g', 'starve'],
  },
  {
    name: 'a step that is handed over is due for others too',
    changes: [
      {
        file: 'server/store/actions/stepRequests.ts',
        find: 'due_at: leaseMs === undefined ? database.atOnce() : database.after(leaseMs),',
        replace: 'due_at: leaseMs === undefined ? database.atOnce() : database.after(0),',
      },
    ],
    tests: ['test/store/steps.test.ts', '-g', 'nobody else before'],
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
    tests: ['test/store/credit.test.ts', '-g', 'comes late'],
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
    tests: ['test/store/reorganisations.test.ts', '-g', 'outlived the settlement'],
  },
  {
    name: 'a step takes its account before the step before it has ended',
    changes: [
      {
        file: 'server/store/actions/stepRequests.ts',
        find: 'const takesAccount = ready && known.account !== null',
        replace: 'const takesAccount = known.account !== null',
      },
    ],
    tests: ['test/store/steps.test.ts', '-g', 'leaves the account'],
  },
  {
    name: 'a step whose transaction is cancelled is not looked up on the chain',
    changes: [
      {
        file: 'server/engine/receipts/outcome.ts',
        find: 'const done = await refusalNow(work, receipt, chain)',
        replace: 'const done = isCancelled ? null : await refusalNow(work, receipt, chain)',
      },
    ],
    tests: ['test/nodes/cameToNothing.test.ts'],
  },
  {
    name: 'a step whose transaction reverts is not looked up on the chain',
    changes: [
      {
        file: 'server/engine/receipts/outcome.ts',
        find: 'const done = await refusalNow(work, receipt, chain)',
        replace: 'const done = isCancelled ? await refusalNow(work, receipt, chain) : null',
      },
    ],
    tests: ['test/nodes/cameToNothing.test.ts', '-g', 'though it is paused'],
  },
  {
    name: 'a step that is refused is not looked up in the vault',
    changes: [
      {
        file: 'server/engine/steps/executeStep.ts',
        find: 'const isPaid = stepKey !== null &&',
        replace: "const isPaid = reason === 'intent_expired' && stepKey !== null &&",
      },
    ],
    tests: ['test/engine/restored.test.ts', '-g', 'paused|delegation'],
  },
  {
    name: 'what an operator without its right has sent fails the step',
    changes: [
      {
        file: 'server/engine/receipts/outcome.ts',
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
    tests: ['test/store/reorganisations.test.ts', '-g', 'every block that it has been in'],
  },
  {
    name: 'what a full block leaves over waits until it is looked after for its own sake',
    changes: [
      { file: 'server/engine/receipts/watchChain.ts', find: 'leftOver.blockSeen({ after: movedAt })', replace: '' },
    ],
    tests: ['test/engine/leftOver.test.ts'],
  },
  {
    name: 'only the lowest nonce of what a full block leaves over is sent again',
    changes: [
      {
        file: 'server/engine/lanes/leftOver.ts',
        find: "if (kind === 'accepted') dropped.push(nonce++)",
        replace: "if (kind === 'accepted') dropped.push(nonce)",
      },
    ],
    tests: ['test/engine/leftOver.test.ts'],
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
        file: 'server/engine/steps/executeStep.ts',
        find: 'const isPaid = stepKey !== null &&',
        replace: "const isPaid = reason !== 'intent_expired' && stepKey !== null &&",
      },
    ],
    tests: ['test/engine/adoption.test.ts', '-g', 'run out'],
  },
  {
    name: 'a step that is refused is not looked up in the account',
    changes: [
      {
        file: 'server/engine/steps/executeStep.ts',
        find: 'if (!untried.includes(reason)) return null',
        replace: 'if (untried.includes(reason)) return null',
      },
    ],
    tests: ['test/e2e/executedByOthers.test.ts', '-g', 'although the user'],
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
        file: 'server/engine/receipts/outcome.ts',
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
    tests: ['test/store/lateTransactions.test.ts', '-g', 'though ours is in another'],
  },
  {
    name: 'the time of a step’s last change goes back with the clock',
    changes: [
      { file: 'server/store/actions/stepChange.ts', find: 'CASE WHEN updated_at > ?', replace: 'CASE WHEN 0 > ?' },
    ],
    tests: ['test/store/stepChange.test.ts'],
  },
]
