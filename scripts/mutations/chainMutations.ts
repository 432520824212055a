import type { Mutation } from './mutation.js'

/** Of how nodes are understood, and of what is done with what they say. */
export const chainMutations: Mutation[] = [
  {
    name: 'an account that burns its gas is taken for a node that fails',
    changes: [
      {
        file: 'server/chain/readFlag.ts',
        find: "method === 'eth_call' && isRevert(error)",
        replace: "method === 'eth_call' && error.code === 3",
      },
    ],
    tests: ['test/engine/redelegated.test.ts', '-g', 'burns'],
  },
  {
    name: 'an account is believed that its batch has run',
    changes: [
      {
        file: 'server/engine/outcomes/stepOutcome.ts',
        find: 'if (isTrue) return null',
        replace: 'if (isTrue || adoption) return null',
      },
    ],
    tests: ['test/engine/redelegated.test.ts', '-g', 'says'],
  },
  {
    name: 'a token without balances is asked for ever',
    changes: [
      {
        file: 'server/chain/measureArrivals.ts',
        find: 'error && isRevert(error)',
        replace: 'error && !isRevert(error)',
      },
    ],
    tests: ['test/engine/unreadableToken.test.ts'],
  },
  {
    name: 'what is mined and can’t be read is not noted',
    changes: [{ file: 'server/engine/receipts/meetReceipt.ts', find: '      await note()\n', replace: '' }],
    tests: ['test/engine/meetReceipt.test.ts'],
  },
  {
    name: 'what a contract reverts with is read as what the node says of itself',
    changes: [
      { file: 'server/chain/simulation/answers.ts', find: '  if (isRevert(error)) return null\n', replace: '' },
    ],
    tests: ['test/chain/revertReasons.test.ts'],
  },
  {
    name: 'what is to be run by itself goes in company once its turn has come',
    changes: [
      {
        file: 'server/chain/simulation/simulate.ts',
        find: 'options.inCompany && runs.assumedNow().simulation',
        replace: 'runs.assumedNow().simulation',
      },
    ],
    tests: ['test/chain/simulateMany.test.ts', '-g', 'estimated each'],
  },
  {
    name: 'who had company in vain has it again',
    changes: [
      { file: 'server/chain/simulation/simulate.ts', find: '!hadCompany && hasCompany()', replace: 'hasCompany()' },
    ],
    tests: ['test/chain/simulateTogether.test.ts', '-g', 'asked once'],
  },
  {
    name: 'nobody waits for the first of his form',
    changes: [
      {
        file: 'server/chain/simulation/simulate.ts',
        find: 'await settledOrAfter(first, firstWithinMs)',
        replace: 'void first',
      },
    ],
    tests: ['test/chain/simulateMany.test.ts', '-g', 'for which the others wait'],
  },
  {
    name: 'the first of a form is waited for as long as it takes',
    changes: [
      {
        file: 'server/chain/simulation/simulate.ts',
        find: 'await settledOrAfter(first, firstWithinMs)',
        replace: 'await first',
      },
    ],
    tests: ['test/chain/simulateMany.test.ts', '-g', 'wait for long'],
  },
  {
    name: 'a step that is visited twice runs after itself',
    changes: [
      {
        file: 'server/chain/simulation/inCompany.ts',
        find: 'thoseThatFit(oneOfEachAccount(asked), (',
        replace: 'thoseThatFit(oneOfEachAccount([]).concat(asked), (',
      },
    ],
    tests: ['test/chain/simulateTogether.test.ts', '-g', 'of one account'],
  },
  {
    name: 'a search for a log ends where a node takes too long for the whole chain',
    changes: [
      {
        file: 'server/chain/findLog.ts',
        find: '.catch(async () => ({ hash: undefined, head: await readHead(nodes), hasFailed: true }))',
        replace: '',
      },
    ],
    tests: ['test/chain/findLog.test.ts', '-g', 'whole chain is too much'],
  },
  {
    name: 'a search for a log ends where its first windows are too wide',
    changes: [
      {
        file: 'server/chain/findLog.ts',
        find: '        if (size === windowSizes.at(-1)) throw error\n',
        replace: '        throw error\n',
      },
    ],
    tests: ['test/chain/findLog.test.ts', '-g', 'are the most'],
  },
  {
    name: 'windows that were refused count as searched',
    changes: [
      {
        file: 'server/chain/findLog.ts',
        find: '        if (size === windowSizes.at(-1)) throw error\n',
        replace: '        if (size === windowSizes.at(-1)) return null\n',
      },
      {
        file: 'server/chain/findLog.ts',
        find: '        await readHead(nodes)\n',
        replace: '        await readHead(nodes).catch(() => undefined)\n',
      },
    ],
    tests: ['test/chain/findLog.test.ts', '-g', 'as an outage'],
  },
  {
    name: 'a node that was never reached may have what was sent',
    changes: [
      {
        file: 'server/chain/sendToAll.ts',
        find: "return { kind: error.isUnreached ? 'unreached' : 'ambiguous', text: error.message }",
        replace: "return { kind: 'ambiguous', text: error.message }",
      },
    ],
    tests: ['test/nodes/cameToNothing.test.ts', '-g', 'another node is down'],
  },
  {
    name: 'a node that breaks a connection was never reached',
    changes: [
      {
        file: 'server/chain/nodes/nodeFailure.ts',
        find: "return syscall === 'connect' || syscall === 'getaddrinfo' || code === 'UND_ERR_CONNECT_TIMEOUT'",
        replace: 'return Boolean(syscall ?? code)',
      },
    ],
    tests: ['test/chain/sends.test.ts', '-g', 'may be sent where'],
  },
  {
    name: 'a user holds a lane for as long as a node fails',
    changes: [
      {
        file: 'server/engine/lanes/resends.ts',
        find: 'if (carries.length <= 1 && authorizations.length === 0) return false',
        replace: 'if (carries.length <= 1 && authorizations.length <= 1) return false',
      },
    ],
    tests: ['test/nodes/cameToNothing.test.ts', '-g', 'a few raised fees'],
  },
  {
    name: 'a bundle is given up for the time for which it did not pay enough',
    changes: [
      {
        file: 'server/engine/lanes/resends.ts',
        find: 'if (!paysFor(forms, head) || climbs)',
        replace: 'if (climbs)',
      },
    ],
    tests: ['test/engine/atTheCap.test.ts', '-g', 'did not pay enough'],
  },
  {
    name: 'what carries steps leaves no room for a cancel below the fee cap',
    changes: [
      {
        file: 'server/domain/feeCap.ts',
        find: 'return (maxFeePerGasCap * 1_000n) / raisedTo',
        replace: 'return maxFeePerGasCap',
      },
    ],
    tests: ['test/engine/bundleCompany.test.ts', '-g', 'no higher fees may be signed'],
  },
  {
    name: 'other blocks of the same number are not read',
    changes: [{ file: 'server/engine/receipts/watchChain.ts', find: '      newBlocks.exchanged(head)\n', replace: '' }],
    tests: ['test/engine/reorganisation.test.ts', '-g', 'one of the same number'],
  },
  {
    name: 'what a shorter chain leaves undecided is taken for decided',
    changes: [
      {
        file: 'server/engine/receipts/mined.ts',
        find: 'if (gone === null || (gone && !(await noteGone(transaction)))) isDecided = false',
        replace: 'if (gone && !(await noteGone(transaction))) isDecided = false',
      },
    ],
    tests: ['test/engine/reorganisation.test.ts', '-g', 'shorter in between'],
  },
  {
    name: 'what nodes let nobody search is taken for searched',
    changes: [
      {
        file: 'server/chain/findLog.ts',
        find: "if (asked === mostRequests) return 'unsearched'",
        replace: 'if (asked === mostRequests) return null',
      },
    ],
    tests: ['test/chain/findLog.test.ts', '-g', 'only of what it has searched'],
  },
  {
    name: 'requests to a node are bounded by the number of their calls alone',
    changes: [{ file: 'server/chain/nodes/rpcNode.ts', find: ' && length + group.length <= maxLength', replace: '' }],
    tests: ['test/chain/rpc.test.ts', '-g', 'carries no more in one request'],
  },
  {
    name: 'steps are tried out together however long they are',
    changes: [
      {
        file: 'server/lists/thoseThatFit.ts',
        find: 'const fits = length + lengthOf(item) <= most',
        replace: 'const fits = length + lengthOf(item) <= most || true',
      },
    ],
    tests: ['test/chain/simulateTogether.test.ts', '-g', 'as many in one request as nodes take'],
  },
  {
    name: 'steps are tried out together however much gas they take',
    changes: [
      {
        file: 'server/lists/chunkByWeight.ts',
        find: 'if (part && weight <= most) {',
        replace: 'if (part && (weight <= most || true)) {',
      },
    ],
    tests: ['test/chain/simulateTogether.test.ts', '-g', 'too little gas in a block'],
  },
  {
    name: 'nodes are sent all of a lane at once',
    changes: [{ file: 'server/engine/lanes/sendWindow.ts', find: 'if (nonce >= lane.end) return false', replace: '' }],
    tests: ['test/engine/sendWindow.test.ts', '-g', 'is filled up as blocks come'],
  },
  {
    name: 'what is queued waits until it is looked after for its own sake',
    changes: [
      {
        file: 'server/engine/receipts/watchChain.ts',
        find: 'queuedSends.check()',
        replace: 'void queuedSends',
      },
    ],
    tests: ['test/engine/sendWindow.test.ts', '-g', 'is filled up as blocks come'],
  },
  {
    name: 'a node that fails is asked for as much as before',
    changes: [
      {
        file: 'server/chain/nodes/pace.ts',
        find: 'allowed = Math.max(Math.floor(allowed / 2), 1)',
        replace: 'allowed += 0',
      },
    ],
    tests: ['test/chain/pace.test.ts'],
  },
  {
    name: 'a limit has no room for what is refunded',
    changes: [{ file: 'server/chain/gas.ts', find: '(estimate * 135n) / 100n', replace: '(estimate * 12n) / 10n' }],
    tests: ['test/engine/refunds.test.ts'],
  },
  {
    name: 'an account is believed that what it declares has moved',
    changes: [
      { file: 'server/engine/outcomes/batchRun.ts', find: 'if (missing === null) return null', replace: 'return null' },
    ],
    tests: ['test/engine/untrueRuns.test.ts', '-g', 'no success'],
  },
  {
    name: 'what the vault has paid is taken for what the account has done',
    changes: [
      {
        file: 'server/engine/outcomes/adoptExecution.ts',
        find: 'const untrue = hasRun(work, receipt, tools)',
        replace: 'const untrue = receipt',
      },
    ],
    tests: ['test/engine/untrueRuns.test.ts', '-g', 'forgotten'],
  },
  {
    name: 'a gateway that has waited in vain speaks for the EVM',
    changes: [
      {
        file: 'server/chain/nodes/isRevert.ts',
        find: '(code === -32015 && !saysLate({ message }))',
        replace: 'code === -32015',
      },
    ],
    tests: ['test/chain/isRevert.test.ts'],
  },
  {
    name: 'what a contract reverts with has its node left alone',
    changes: [
      {
        file: 'server/chain/nodes/busyNode.ts',
        find: 'if (code === 3 || code === -32015 || /revert/i.test(message)) return false',
        replace: '',
      },
    ],
    tests: ['test/chain/nodeLimits.test.ts', '-g', 'takes no word of a contract'],
  },
  {
    name: 'a step whose transaction was taken over rests on its block',
    changes: [
      {
        file: 'server/store/money/payments.ts',
        find: 'const unmined = { block_number: null, block_hash: null, confirmations: 0 }',
        replace: 'const unmined = {}',
      },
    ],
    tests: ['test/store/journal/reorganisations.test.ts', '-g', 'opens no step again'],
  },
  {
    name: 'a block is settled in by its number alone',
    changes: [
      {
        file: 'server/engine/receipts/readBlocks.ts',
        find: 'const fits = expected.includes(block.hash)',
        replace: 'const fits = expected.includes(block.hash) || true',
      },
    ],
    tests: ['test/engine/reorganisation.test.ts', '-g', 'does not name as its parent'],
  },
]
