import type { Address, Hex } from 'viem'
import { isRevert } from './nodes/isRevert.js'
import { saysNoPendingBlock } from './nodes/noPendingBlock.js'
import type { Rpc } from './nodes/rpc.js'
import { call, quantity, readBigInt, readHex, resultOf } from './nodes/rpcFormat.js'
import type { RpcAnswer } from './nodes/rpcNode.js'

/**
 * How much gas the answer may take: more than the delegate ever needs, and a bound for an account whose code burns all
 * that it is given.
 */
const flagGas = 1_000_000n

/**
 * What a contract answers by yes or no. Null: there is no such contract, so that it says nothing. `since`: by a node
 * that has this block. `isThere`: the contract is known to be there, so that a node that says nothing of it, as one
 * that is still getting the chain's state, is passed over. `code`: as if the contract had this code.
 */
export function readFlag(
  rpc: Rpc,
  {
    to,
    data,
    since,
    tag = 'latest',
    isThere = false,
    code,
  }: {
    to: Address
    data: Hex
    since?: bigint | undefined
    tag?: 'latest' | 'pending' | Hex
    isThere?: boolean
    code?: Hex
  },
): Promise<boolean | null> {
  const overrides = code === undefined ? [] : [{ [to]: { code } }]
  const asked = call('eth_call', { to, data, gas: quantity(flagGas) }, tag, ...overrides)
  // The head first, so that the flag is of that block at the least.
  return rpc.read(
    since === undefined ? [asked] : [call('eth_blockNumber'), asked],
    (answers) => {
      const [answer, head] = answers.toReversed()
      if (since !== undefined && readBigInt(resultOf(head)) < since) throw new Error('the node lags behind')
      const flag = flagOf(answer)
      if (flag === null && isThere) throw new Error('the node says nothing of a contract that is there')
      return flag
    },
    {
      isAnswer: (error, { method }) =>
        // An account with other code may end in any way that the EVM knows.
        (method === 'eth_call' && isRevert(error)) || (tag === 'pending' && saysNoPendingBlock(error)),
    },
  )
}

/** The yes or no in an answer. Null: it holds none, as where the contract has no such flag. */
export function flagOf(answer: RpcAnswer | undefined): boolean | null {
  const word = answer?.error ? '0x' : readHex(resultOf(answer))
  return word.length === 66 ? BigInt(word) === 1n : null
}

/** Whether there is a contract that has such a flag. Null: the answer says nothing of it. */
export function tellsFlag(answer: RpcAnswer): boolean | null {
  if (answer.error) return isRevert(answer.error) ? false : null
  return readHex(resultOf(answer)).length === 66
}
