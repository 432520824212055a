import { setTimeout as pause } from 'node:timers/promises'
import { type Address, type Hash, padHex } from 'viem'
import { encodeBalanceOf, fulfilledTopic } from '../../server/chain/contracts.js'
import { fulfilledIn, mostTogether, readWithReceipts } from '../../server/chain/paidByVault.js'
import { createRpc } from '../../server/chain/nodes/rpc.js'
import {
  call,
  quantity,
  readArray,
  readBalance,
  readBigInt,
  readHash,
  readHex,
  readLog,
  readObject,
  resultOf,
} from '../../server/chain/nodes/rpcFormat.js'
import type { RpcAnswer, RpcCall } from '../../server/chain/nodes/rpcNode.js'
import { isRevert } from '../../server/chain/nodes/isRevert.js'
import { addressIn, nativeReceivedTopic, transferTopic, withdrawnTopic } from '../../server/chain/transfers.js'
import { nativeToken } from '../../server/domain/action.js'
import type { ChainConfig } from '../../server/domain/chainConfig.js'
import { chunk } from '../../server/lists/chunk.js'
import { createSearchPace } from './searchPace.js'

/** What a log says has moved into or out of a vault. */
export type Movement = { token: Address; party: Address; hash: Hash; logIndex: number; amount: bigint }

/** How long no node is asked, and how often, while none answers anything. */
const pauseMs = 1_000
const mostRests = 60
/** Searches take longer than what the engine asks for. */
const readTimeoutMs = 20_000

/**
 * Reads the logs of vaults, all tokens at once, from whichever of the chain's nodes answers. `genesis` is the first
 * block that a node has to have, null where none is known.
 */
export function createVaultLogs(chain: ChainConfig, vaults: readonly Address[], genesis: Hash | null) {
  const isGenesis = async (_chainId: number, hash: Hash) => genesis === null || hash === genesis
  const rpc = createRpc(chain.chainId, chain.rpcUrls, { readTimeoutMs, isGenesis })
  const tokens = chain.tokens.map(({ address }) => address)
  const parties = vaults.map((vault) => padHex(vault, { size: 32 }))

  return {
    head: () => readQuantity(call('eth_blockNumber')),
    start,
    arrivalsAndWithdrawals,
    transfersOut,
    fulfilments,
    nativePayouts,
    balances,
  }

  /**
   * The first block that can hold a movement: as the chains file says, or else the earliest deployment of a vault,
   * found by halves. 0 where no node knows what was then, and where something was there before the vault: its address
   * is known before it is deployed.
   */
  async function start(head: bigint): Promise<bigint> {
    if (chain.vaultBlock !== undefined) {
      if (BigInt(chain.vaultBlock) <= head) return BigInt(chain.vaultBlock)
      throw new Error(
        `vaultBlock ${chain.vaultBlock} of chain ${chain.chainId} is above its newest block ${head}: correct the chains file`,
      )
    }
    try {
      const starts = await Promise.all(vaults.map((vault) => deployedAt(vault, head)))
      const first = starts.reduce((least, at) => (at < least ? at : least), head)
      if (first === 0n) return 0n
      const before = await Promise.all(tokens.map((token) => balance(token, first - 1n)))
      return before.some((held) => held > 0n) ? 0n : first
    } catch {
      return 0n
    }
  }

  async function deployedAt(vault: Address, head: bigint): Promise<bigint> {
    const isThere = (block: bigint) =>
      rpc.read([call('eth_getCode', vault, quantity(block))], ([code]) => readHex(resultOf(code)) !== '0x')
    if (!(await isThere(head))) return 0n
    let [low, high] = [0n, head]
    while (low < high) {
      const middle = (low + high) / 2n
      if (await isThere(middle)) high = middle
      else low = middle + 1n
    }
    return low
  }

  async function arrivalsAndWithdrawals(range: { from: bigint; head: bigint }) {
    const erc20 = tokens.filter((token) => token !== nativeToken)
    const own = { address: vaults, topics: [[nativeReceivedTopic, withdrawnTopic]] }
    const into = { address: erc20, topics: [transferTopic, null, parties] }
    // Without a token an empty list of addresses would mean all of them.
    const movements = await search(erc20.length > 0 ? [own, into] : [own], range, readMovement)
    return {
      arrivals: movements.filter(({ topic }) => topic !== withdrawnTopic),
      withdrawals: movements.filter(({ topic }) => topic === withdrawnTopic),
    }
  }

  /** Of ERC-20 tokens: native currency leaves no log. */
  function transfersOut(token: Address, range: { from: bigint; head: bigint }): Promise<Movement[]> {
    return search([{ address: token, topics: [transferTopic, parties] }], range, readMovement)
  }

  /** The transactions in which the vaults have paid, or run somebody's batch, each once. */
  async function fulfilments(range: { from: bigint; head: bigint }): Promise<Hash[]> {
    const filter = { address: vaults, topics: [fulfilledTopic] }
    return [...new Set(await search([filter], range, (log) => [readHash(readObject(log)['transactionHash'])]))]
  }

  /**
   * What the vaults have paid of the native currency in these transactions, by what they were
   * asked for and say that they did.
   */
  async function nativePayouts(hashes: readonly Hash[]): Promise<{ hash: Hash; amount: bigint }[]> {
    const found: { hash: Hash; amount: bigint }[] = []
    for (const part of chunk(hashes, mostTogether)) {
      const paid = await readWithReceipts(rpc, part, (transaction, receipt) =>
        vaults
          .flatMap((vault) => fulfilledIn(transaction, receipt, vault).transfers)
          .filter(({ token, amount }) => token === nativeToken && amount > 0n)
          .map(({ amount }) => ({ hash: transaction.hash, amount })),
      )
      found.push(...paid.flat())
    }
    return found
  }

  /** What all vaults hold of each token, as of a block. */
  async function balances(block: bigint): Promise<Map<Address, bigint>> {
    const held = await Promise.all(tokens.map(async (token) => [token, await balance(token, block)] as const))
    return new Map(held)
  }

  async function balance(token: Address, block: bigint): Promise<bigint> {
    const asked = vaults.map((vault) =>
      token === nativeToken
        ? call('eth_getBalance', vault, quantity(block))
        : call('eth_call', { to: token, data: encodeBalanceOf(vault) }, quantity(block)),
    )
    // Before a token was deployed nothing answers for it, and one that is broken says nothing;
    // the others are to be explained.
    const sum = (answers: RpcAnswer[]) => answers.reduce((total, answer) => total + readBalance(answer), 0n)
    return rpc.read(asked, sum, { isAnswer: isRevert })
  }

  /** Window by window, as many and as wide as nodes allow. */
  async function search<Found>(
    filters: readonly object[],
    range: { from: bigint; head: bigint },
    read: (log: unknown) => Found[],
  ): Promise<Found[]> {
    const found: Found[] = []
    const pace = createSearchPace()
    for (let { from } = range; from <= range.head;) {
      const [size, count] = [pace.size(), pace.windows()]
      const windows = windowsFrom(from, range.head, { size, count })
      const asked = windows.flatMap((window) => filters.map((filter) => call('eth_getLogs', { ...filter, ...window })))
      try {
        found.push(...(await readLogs(asked, range.head, read)))
        from += size * BigInt(count)
        pace.answered()
      } catch (error) {
        await pause(pace.refused(error))
        await untilAnswered()
      }
    }
    return found
  }

  /** Where no node answers for long, that is thrown. */
  async function untilAnswered(): Promise<void> {
    for (let rests = 0; ; rests++) {
      try {
        await readQuantity(call('eth_blockNumber'))
        return
      } catch (error) {
        if (rests === mostRests) throw error
        await pause(pauseMs)
      }
    }
  }

  /** A node that is behind leaves logs out without a word, so it has to show that it has the head. */
  function readLogs<Found>(asked: readonly RpcCall[], head: bigint, read: (log: unknown) => Found[]) {
    return rpc.read([...asked, call('eth_blockNumber')], (answers) => {
      if (readBigInt(resultOf(answers.at(-1))) < head) throw new Error('the node is behind')
      return answers.slice(0, -1).flatMap((answer) => readArray(resultOf(answer)).flatMap(read))
    })
  }

  function readQuantity(asked: RpcCall): Promise<bigint> {
    return rpc.read([asked], ([answer]) => readBigInt(resultOf(answer)))
  }
}

function windowsFrom(first: bigint, head: bigint, { size, count }: { size: bigint; count: number }) {
  return Array.from({ length: count }, (_, index) => first + size * BigInt(index))
    .filter((start) => start <= head)
    .map((start) => {
      const end = start + size - 1n
      return { fromBlock: quantity(start), toBlock: quantity(end < head ? end : head) }
    })
}

function readMovement(value: unknown): (Movement & { topic: Hash })[] {
  const { address, topics, data, logIndex } = readLog(value)
  const [topic, first, second] = topics
  // ERC-721 has the topic of ERC-20 transfers; its logs carry no amount.
  if (!topic || !first || data.length < 66) return []
  const token = topic === transferTopic ? address : topic === withdrawnTopic ? addressIn(first) : nativeToken
  const party = topic === withdrawnTopic && second ? addressIn(second) : addressIn(first)
  const hash = readHash(readObject(value)['transactionHash'])
  return [{ topic, token, party, hash, logIndex, amount: BigInt(data.slice(0, 66)) }]
}
