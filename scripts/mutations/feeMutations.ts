import type { Mutation } from './mutation.js'

/** Of the fees that transactions are signed with. */
export const feeMutations: Mutation[] = [
  {
    name: 'only the lowest nonce of a lane is raised, whatever the base fee',
    changes: [
      {
        file: 'server/engine/lanes/resends.ts',
        find: 'return !pays && replace(',
        replace: 'return !pays && (false as boolean) && replace(',
      },
    ],
    tests: ['test/engine/feeSpikes.test.ts', '-g', 'are all raised'],
  },
  {
    name: 'each transaction climbs to the tip by itself',
    changes: [
      {
        file: 'server/engine/lanes/tips.ts',
        find: 'if (!form || form.maxPriorityFeePerGas <= before.tip) return',
        replace: 'if ((true as boolean) || !form || form.maxPriorityFeePerGas <= before.tip) return',
      },
    ],
    tests: ['test/engine/feeSpikes.test.ts', '-g', 'climb to it once'],
  },
  {
    name: 'what a signer can’t pay for keeps its fees',
    changes: [
      {
        file: 'server/engine/lanes/send.ts',
        find: "if (answer.kind === 'unfunded' && !form.isCancel)",
        replace: "if (answer.kind === 'unfunded' && !form.isCancel && (false as boolean))",
      },
    ],
    tests: ['test/engine/feeSpikes.test.ts', '-g', 'go out with lower fees'],
  },
  {
    name: 'what nodes refuse for all that it may cost is signed dearer',
    changes: [
      {
        file: 'server/engine/lanes/resends.ts',
        find: ' && !isTooDear && !mayBeMined',
        replace: ' && !mayBeMined',
      },
    ],
    tests: ['test/engine/nodesFeeCap.test.ts', '-g', 'never signed dearer'],
  },
  {
    name: 'bundles are made as dear as one that nodes have refused for that',
    changes: [
      {
        file: 'server/engine/steps/bundles.ts',
        find: 'refused.cost / 2n / maxFeePerGas',
        replace: '(refused.cost * 2n) / maxFeePerGas',
      },
    ],
    tests: ['test/engine/nodesFeeCap.test.ts', '-g', 'has the bundles after it'],
  },
  {
    name: 'what offers less than blocks ask for is given up, as if its user were in the way',
    changes: [
      {
        file: 'server/engine/lanes/resends.ts',
        find: 'if (climbs || waitsForBlocks(transaction, seen)) return false',
        replace: 'if (waitsForBlocks(transaction, seen)) return false',
      },
      {
        file: 'server/engine/lanes/resends.ts',
        find: 'if (!paysFor(forms, head) || climbs)',
        replace: 'if (!paysFor(forms, head))',
      },
    ],
    tests: ['test/engine/resends.test.ts', '-g', 'twofold at the most'],
  },
  {
    name: 'a lone step is given up as soon where no node has it',
    changes: [
      {
        file: 'server/engine/lanes/resends.ts',
        find: 'carries.length > 1 || known.isTaken ?',
        replace: 'carries.length > 0 || known.isTaken ?',
      },
    ],
    tests: ['test/engine/resends.test.ts', '-g', 'given up late where no node'],
  },
]
