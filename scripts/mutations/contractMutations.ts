import type { Mutation } from './mutation.js'

/** Random use of both contracts; a broken one has to be found by it alone, without a test made for that break. */
const randomUse = ['test/contracts/invariants.test.ts', '-g', 'random use']

const vault = 'server/contracts/SolverVault.sol'
const delegate = 'server/contracts/Delegate.sol'
const executed = 'server/contracts/ExecutedBatches.sol'

const operatorsOnly = 'if (!isOperator[msg.sender]) revert NotOperator(msg.sender);'

/** One safeguard of a contract that is switched off, or one thing that it does beside what it should. */
function broken(name: string, file: string, find: string, replace: string): Mutation {
  return { name: `contracts: ${name}`, changes: [{ file, find, replace }], tests: randomUse }
}

export const contractMutations: Mutation[] = [
  broken('a step key is paid under twice', vault, 'if (isFulfilled[stepKey]) revert AlreadyFulfilled(stepKey);', ''),
  {
    name: 'contracts: a step key is taken after the transfers, and nothing guards re-entering',
    changes: [
      {
        file: vault,
        find: `        nonReentrant\n    {\n        ${operatorsOnly}`,
        replace: `    {\n        ${operatorsOnly}`,
      },
      { file: vault, find: '        isFulfilled[stepKey] = true;\n', replace: '' },
      {
        file: vault,
        find: '        emit Fulfilled(stepKey);',
        replace: '        isFulfilled[stepKey] = true;\n        emit Fulfilled(stepKey);',
      },
    ],
    tests: randomUse,
  },
  broken('anybody may pay out', vault, `${operatorsOnly}\n        carryOut`, 'carryOut'),
  broken('anybody may send a bundle', vault, `${operatorsOnly}\n        for`, 'for'),
  broken('a paused vault pays', vault, 'if (paused) revert Paused();', ''),
  broken('the outflow cap is not looked at', vault, 'countOutflow(transfer.token, transfer.amount);', ''),
  broken(
    'what was paid does not count against the cap',
    vault,
    '(outflow.spent, outflow.day) = (uint112(wanted), today);',
    '(outflow.spent, outflow.day) = (0, today);',
  ),
  {
    // It pays less than it may, which random use meets too seldom to be relied on.
    ...broken('the outflow of a day never ends', vault, '(outflow.day == today ? outflow.spent : 0)', 'outflow.spent'),
    tests: ['test/contracts/solverVault.test.ts'],
  },
  broken(
    'the vault calls an account with another selector',
    vault,
    'bytes4 selector = IDelegate.execute.selector;',
    'bytes4 selector = intent.exp % 5 == 0 ? bytes4(0xa9059cbb) : IDelegate.execute.selector;',
  ),
  broken(
    'the vault does not ask whether anything ran',
    vault,
    'if (executed == 0) revert BatchNotExecuted(account);',
    '',
  ),
  broken(
    'an account without code counts as one that ran',
    vault,
    `        if (account.code.length == 0) revert AccountNotDelegated(account);
`,
    `        if (account.code.length == 0) return;
`,
  ),
  broken(
    'what arrives at the recipient is not measured',
    vault,
    'if (received != amount) revert',
    'if (received == amount + 12_345) revert',
  ),
  broken(
    'anybody may withdraw',
    vault,
    'function withdraw(address token, address to, uint256 amount) external onlyOwner nonReentrant {',
    'function withdraw(address token, address to, uint256 amount) external nonReentrant {',
  ),
  broken(
    'an account runs what it has not signed',
    delegate,
    'if (recovered != address(this)) revert',
    'if (recovered == address(1)) revert',
  ),
  broken(
    'calls need not be those that were signed',
    delegate,
    'if (intact && signature.length == end) {',
    'if (true) {',
  ),
  broken(
    'an expired intent runs',
    delegate,
    'if (block.timestamp > intent.exp) revert IntentExpired(block.timestamp, intent.exp);',
    '',
  ),
  broken(
    'an intent runs before its time',
    delegate,
    'if (block.timestamp < intent.nbf) revert IntentTooEarly(block.timestamp, intent.nbf);',
    '',
  ),
  broken(
    'a batch runs again',
    delegate,
    `            if (!store().executed.add(id, intent.exp, block.timestamp)) {
                revert DuplicateChainBatch(intent.signature, batch.hash, id);
            }
`,
    `            store().executed.add(id, intent.exp, block.timestamp);
`,
  ),
  broken(
    'a call that fails is passed over',
    delegate,
    'if (!success) revert CallReverted(',
    'if (!success && result.length == 1) revert CallReverted(',
  ),
  broken(
    'anybody sends an account’s own calls',
    delegate,
    'if (msg.sender != address(this)) revert OnlySelf(msg.sender);',
    '',
  ),
  broken(
    'a place is given away before its intent has expired',
    executed,
    'if (first >> ID_BITS < present) shift = FIRST;',
    'if (first >> ID_BITS < present + 64) shift = FIRST;',
  ),
  broken(
    'a horizon is not raised',
    executed,
    'if (word & TIME < until) set.words[i] = (word & ~TIME) | until;',
    'if (word & TIME < until) set.words[i] = word;',
  ),
  broken('ids beyond the words are not looked for', executed, 'if (further && set.rest[id]) return false;', ''),
]
