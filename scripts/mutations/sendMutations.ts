import type { Mutation } from './mutation.js'

const falseAnswers = ['test/chaos/badNodes.test.ts', '-g', 'false answer']
const everyFault = ['test/chaos/badNodes.test.ts', '-g', 'every fault']
/** Signs what a transaction carries again, at the lane's next nonce. */
const signAgain = (transaction: string) => `recordAndSend({ ...${transaction}, chain, steps: [] }, tools)`

/** Of how transactions are signed and sent, and what comes of those that are not mined. */
export const sendMutations: Mutation[] = [
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
        find: "import { headOf } from '../heads.js'",
        replace: "import { headOf } from '../heads.js'\nimport { recordAndSend } from './record.js'",
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
        find: 'else unmined.push(transaction)',
        replace: `else {
        unmined.push(transaction)
        await ${signAgain('transaction')}
      }`,
      },
      {
        file: 'server/engine/receipts/silent.ts',
        find: "import type { createResends } from '../lanes/resends.js'",
        replace:
          "import type { createResends } from '../lanes/resends.js'\nimport { recordAndSend } from '../lanes/record.js'",
      },
      {
        file: 'server/engine/receipts/silent.ts',
        find: "tools: Pick<EngineTools, 'store' | 'now' | 'sendWindow' | 'log'>",
        replace: 'tools: EngineTools',
      },
    ],
    tests: falseAnswers,
  },
  {
    name: 'a limit above what a block has is signed',
    changes: [
      {
        file: 'server/engine/steps/executeStep.ts',
        find: 'if (gasLimit > ofBlock) return',
        replace: 'if (gasLimit > ofBlock && (false as boolean)) return',
      },
    ],
    tests: ['test/engine/blockGas.test.ts', '-g', 'ends before'],
  },
  {
    name: 'a bundle is waited for though one user keeps its authorizations out of the pools',
    changes: [
      {
        file: 'server/engine/lanes/send.ts',
        find: 'if (carries.length > 1) return true',
        replace: 'if (carries.length > 1 && (false as boolean)) return true',
      },
    ],
    tests: ['test/engine/bundleCompany.test.ts', '-g', 'is given up when'],
  },
  {
    name: 'a bundle is waited for until every failure in it is explained',
    changes: [
      {
        file: 'server/engine/outcomes/bundleOutcome.ts',
        find: "    return { status: 'alone' }\n  }\n}",
        replace: '    throw error\n  }\n}',
      },
    ],
    tests: ['test/engine/bundleCompany.test.ts', '-g', 'ends for all others'],
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
]
