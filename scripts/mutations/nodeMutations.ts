import type { Mutation } from './mutation.js'

/** Of nodes that are silent, or have lost what others have. */
export const nodeMutations: Mutation[] = [
  {
    name: 'a silent node is awaited by each that asks',
    changes: [
      {
        file: 'server/chain/nodes/rpc.ts',
        find: '!hasAnswered || performance.now() - silentAt >= silentMs',
        replace: '!hasAnswered || silentAt < Infinity',
      },
    ],
    tests: ['test/chain/certainty.test.ts', '-g', 'in time no more'],
  },
  {
    name: 'what the first node has no log of is on no node',
    changes: [
      {
        file: 'server/chain/findLog.ts',
        find: '    if (isFound(found)) return found\n',
        replace: '    return found\n',
      },
    ],
    tests: ['test/nodes/lostReceipts.test.ts', '-g', 'somebody else has run'],
  },
  {
    name: 'a mined transaction waits for the node that has lost its receipt',
    changes: [
      {
        file: 'server/engine/receipts/mined.ts',
        find: 'if (unreceipted.length > 0) await meetUnreceipted(unreceipted, head)',
        replace: 'if (unreceipted.length < 0) await meetUnreceipted(unreceipted, head)',
      },
    ],
    tests: ['test/nodes/lostReceipts.test.ts', '-g', 'receipts are lost too'],
  },
  {
    name: 'what the first node does not know is given up without the others',
    changes: [
      {
        file: 'server/engine/outcomes/namedTransaction.ts',
        find: 'return unseenMs >= unknownForMs\n}',
        replace: 'return unseenMs > 2 * unknownForMs\n}',
      },
      {
        file: 'server/engine/outcomes/namedTransaction.ts',
        find: 'if (isLastLook(unseenMs)) return null',
        replace: 'if (isLastLook(unseenMs) || unseenMs >= unknownForMs) return null',
      },
    ],
    tests: ['test/nodes/lostReceipts.test.ts', '-g', 'before they are given up'],
  },
]
