import { type Address, keccak256, padHex } from 'viem'
import { ChainUnavailable } from './chain.js'
import { encodeBalanceOf, encodeTransfer } from './contracts.js'
import type { Rpc } from './rpc.js'
import { call, quantity, readArray, readBigInt, readLog, readObject, resultOf } from './rpcFormat.js'
import { transferTopic, transfersOf } from './transfers.js'

/** What a token's logs say has reached the vault, in its smallest unit. */
export type LoggedArrival = { token: Address; amount: bigint }

/**
 * Finds out what has really reached the vault: a token may take a fee, or lie, and log the full amount. Measured is by
 * how much the vault's balance grew in the block, against all that its logs say; what is missing is counted against each
 * arrival in that block, so that it can come out too low where several share it, never too high.
 */
export function createArrivalMeter(rpc: Rpc, vault: Address) {
  return async function measureArrivals(logged: readonly LoggedArrival[], block: bigint): Promise<bigint[]> {
    try {
      const tokens = [...new Set(logged.map(({ token }) => token))]
      const missing = new Map(
        await Promise.all(tokens.map(async (token) => [token, await missingIn(token, block)] as const)),
      )
      return logged.map(({ token, amount }) => atLeastNone(amount - missing.get(token)!))
    } catch (error) {
      if (!(error instanceof ChainUnavailable) || !isStateGone(error.reason)) throw error
      return Promise.all(logged.map(tryOut))
    }
  }

  /** How much less of a token has come in on balance than its logs say. */
  async function missingIn(token: Address, block: bigint): Promise<bigint> {
    const range = { address: token, fromBlock: quantity(block), toBlock: quantity(block) }
    const party = padHex(vault, { size: 32 })
    const balance = { to: token, data: encodeBalanceOf(vault) }
    const calls = [
      call('eth_call', balance, quantity(block - 1n)),
      call('eth_call', balance, quantity(block)),
      call('eth_getLogs', { ...range, topics: [transferTopic, null, party] }),
      call('eth_getLogs', { ...range, topics: [transferTopic, party] }),
    ]
    return rpc.read(calls, (answers) => {
      const [before, after, incoming, outgoing] = answers.map(resultOf)
      const sum = (logs: unknown) =>
        transfersOf({ logs: readArray(logs).map(readLog) }).reduce((total, { amount }) => total + amount, 0n)
      return atLeastNone(sum(incoming) - sum(outgoing) - (word(after) - word(before)))
    })
  }

  /** Where the nodes have forgotten the block's state: what arrives elsewhere when the vault sends as much now. */
  async function tryOut({ token, amount }: LoggedArrival): Promise<bigint> {
    // Nobody's address, so that the token has no reason to treat it otherwise.
    const recipient: Address = `0x${keccak256(token).slice(26)}`
    const balance = { from: vault, to: token, data: encodeBalanceOf(recipient) }
    const calls = [balance, { from: vault, to: token, data: encodeTransfer(recipient, amount) }, balance]
    const run = call('eth_simulateV1', { blockStateCalls: [{ calls }], validation: false }, 'latest')
    return rpc.read([run], ([answer]) => {
      const [before, sent, after] = readArray(readObject(readArray(resultOf(answer))[0])['calls']).map(readObject)
      if (readBigInt(sent?.['status']) !== 1n) throw new Error('the vault can’t send as much for a trial')
      const arrived = atLeastNone(word(after?.['returnData']) - word(before?.['returnData']))
      return arrived < amount ? arrived : amount
    })
  }
}

function word(data: unknown): bigint {
  return readBigInt(typeof data === 'string' ? data.slice(0, 66) : data)
}

function atLeastNone(amount: bigint): bigint {
  return amount > 0n ? amount : 0n
}

/** How nodes say that they keep no state of so old a block: geth, nethermind, besu, erigon, reth, anvil. */
function isStateGone(reason: string): boolean {
  return /missing trie node|state .*(?:not available|unavailable|pruned|not found)|historical state|old data not available|pruned|no state|proof window|out of range|world state unavailable|header not found/i.test(
    reason,
  )
}
