import { type Address, type Hash, keccak256, padHex, zeroAddress } from 'viem'
import { type Chain, ChainUnavailable, type Log } from './chain.js'
import type { ChainConfig } from '../domain/chainConfig.js'
import { encodeBalanceOf, encodeTransfer } from './contracts.js'
import { readPaidByVault } from './paidByVault.js'
import type { Rpc } from './nodes/rpc.js'
import {
  call,
  quantity,
  readArray,
  readBigInt,
  readHash,
  readLog,
  readObject,
  readWord,
  resultOf,
} from './nodes/rpcFormat.js'
import type { RpcAnswer, RpcCall } from './nodes/rpcNode.js'
import { isRevert } from './nodes/isRevert.js'
import { transferTopic, transfersOf } from './transfers.js'

const maxReadings = 5

/** What a token's logs say has reached a vault, in its smallest unit. */
type LoggedArrival = { token: Address; to: Address; amount: bigint }

/**
 * Finds out what has really reached a vault: a token may take a fee, or lie, and log the full amount. Measured is by
 * how much the vault's balance grew in the block, but for what the vault itself has paid out of it, against all that
 * the token's logs say has come. What is missing is shared by the arrivals of that block in proportion, rounded in the
 * solver's favour: together they never get more than has come. What the token makes for the vault itself, as interest,
 * is nobody's share of it. Null: it can't be measured now.
 */
export function createArrivalMeter(
  rpc: Rpc,
  { agreement, blockReceipts }: Pick<Chain, 'blockReceipts'> & Pick<ChainConfig, 'agreement'>,
) {
  return async function measureArrivals(logged: readonly LoggedArrival[], block: bigint): Promise<(bigint | null)[]> {
    try {
      const totals = new Map<string, LoggedArrival>()
      for (const { token, to, amount } of logged) {
        const before = totals.get(placeOf({ token, to }))?.amount ?? 0n
        totals.set(placeOf({ token, to }), { token, to, amount: before + amount })
      }
      const measured = new Map(
        await Promise.all(
          [...totals].map(async ([place, total]) => [place, await measureSurely(total, block)] as const),
        ),
      )
      return logged.map((arrival) => share(arrival.amount, measured.get(placeOf(arrival))!))
    } catch (error) {
      if (!(error instanceof ChainUnavailable) || !isStateGone(error.reason)) throw error
      return Promise.all(logged.map(tryOut))
    }
  }

  /**
   * That something is missing is believed when two readings agree on it. A node may read a balance off the next block's
   * state while that block is being added (anvil does), or have different backends answer one batch; then the user
   * would lose what the vault paid out in that next block.
   */
  async function measureSurely(total: LoggedArrival, block: bigint): Promise<Measure> {
    let last = await measure(total, block)
    for (let readings = 1; last.arrived < last.logged; readings++) {
      if (readings > maxReadings) throw new Error(`The nodes tell different balances of the vault at block ${block}`)
      const again = await measure(total, block)
      if (again.arrived === last.arrived && again.logged === last.logged) {
        await requireAgreement(total, again, block)
        break
      }
      last = again
    }
    return last
  }

  /** As many nodes as have to agree on a receipt have to agree on how little the vault's balance grew. */
  async function requireAgreement(
    { token, to: vault }: LoggedArrival,
    { grown }: Measure,
    block: bigint,
  ): Promise<void> {
    if (agreement === 1 || grown === null) return
    const told = await rpc.readEach(balancesOf({ token, vault, block }), (answers) =>
      answers.some(({ error }) => error && isStateGone(error.message)) ? 'forgotten' : growth(answers),
    )
    // Nodes that keep no state of the block will never tell; the others are believed then, unless they differ.
    const areAlike = told.every((other) => other === grown || other === 'forgotten')
    const agreeing = told.filter((other) => other === grown || (other === 'forgotten' && areAlike))
    if (agreeing.length >= agreement) return
    throw new Error(`Fewer than ${agreement} nodes tell the same balances of the vault at block ${block}`)
  }

  /**
   * What a block's logs, `total` among them, say has come into the vault by the token, and what has really come. Where
   * the token did not tell the vault's balance there, nothing has: it will never tell it, and steps that share a
   * transaction with it must not wait for that.
   */
  async function measure(total: LoggedArrival, block: bigint): Promise<Measure> {
    const { token, to: vault } = total
    const balances = balancesOf({ token, vault, block })
    try {
      const { grown, logs } = await read(total, balances, block)
      // The common case: nothing is missing, or the vault has paid nothing, and no more has to be asked for.
      if (grown >= logs.incoming || logs.outgoing.length === 0) return { logged: logs.incoming, arrived: grown, grown }
      const paid = await readPaidByVault(rpc, { token, vault, block }, logs.outgoing)
      return { logged: logs.incoming, arrived: grown + paid, grown }
    } catch (error) {
      if (!(error instanceof ChainUnavailable) || !(await isSilent(balances))) throw error
      return { logged: total.amount, arrived: 0n, grown: null }
    }
  }

  /**
   * By how much the vault's balance grew, and the token's logs about it. Nodes give only so many logs at once, and
   * anybody can have a token log more than that in a block; then the block's receipts have them.
   */
  async function read(total: LoggedArrival, balances: readonly RpcCall[], block: bigint) {
    const { token, to: vault, amount } = total
    const range = { address: token, fromBlock: quantity(block), toBlock: quantity(block) }
    const party = padHex(vault, { size: 32 })
    const searches = [
      call('eth_getLogs', { ...range, topics: [transferTopic, null, party] }),
      call('eth_getLogs', { ...range, topics: [transferTopic, party] }),
    ]
    try {
      return await rpc.read([...balances, ...searches], (answers) => {
        const logs = answers.slice(2).flatMap((answer) => readArray(resultOf(answer)).map(readLogOf))
        return { grown: growth(answers), logs: flowsOf(logs, { vault, atLeast: amount }) }
      })
    } catch (error) {
      if (!(error instanceof ChainUnavailable) || isStateGone(error.reason)) throw error
      const found = await blockReceipts(block)
      if (!found) throw error
      const logs = found.receipts.flatMap((receipt) =>
        receipt.logs.flatMap((log) => (log.address === token ? { transactionHash: receipt.hash, log } : [])),
      )
      return { grown: await rpc.read(balances, growth), logs: flowsOf(logs, { vault, atLeast: amount }) }
    }
  }

  /**
   * Whether every node says that the token's code itself gives no balance: one alone may take its own fault for that.
   */
  async function isSilent(balances: readonly RpcCall[]): Promise<boolean> {
    const said = await rpc.readEach(balances, (answers) => answers.some(({ error }) => error && isRevert(error)))
    return said.every((isRefused) => isRefused === true)
  }

  /**
   * Where the nodes have forgotten the block's state: what would arrive elsewhere if the vault sent as much now. Null:
   * the vault can't, since it has nothing left, or the token lets nobody send or tells no balance now.
   */
  async function tryOut({ token, to: vault, amount }: LoggedArrival): Promise<bigint | null> {
    // Nobody's address, so that the token has no reason to treat it otherwise.
    const recipient: Address = `0x${keccak256(token).slice(26)}`
    const balanceOf = (holder: Address) => ({ from: vault, to: token, data: encodeBalanceOf(holder) })
    const asked = [call('eth_call', balanceOf(vault), 'latest')]
    const balance = await rpc
      .read(asked, ([answer]) => wordIn(resultOf(answer)))
      .catch(async (error: unknown) => {
        if (!(error instanceof ChainUnavailable) || !(await isSilent(asked))) throw error
        return null
      })
    if (balance === null) return null
    const tried = balance < amount ? balance : amount
    if (tried === 0n) return null
    const transfer = { from: vault, to: token, data: encodeTransfer(recipient, tried) }
    const calls = [balanceOf(recipient), transfer, balanceOf(recipient)]
    const run = call('eth_simulateV1', { blockStateCalls: [{ calls }], validation: false }, 'latest')
    return rpc.read([run], ([answer]) => {
      const ran = readArray(readObject(readArray(resultOf(answer))[0])['calls']).map(readObject)
      const [before, said, after] = ran.map((one) => wordIn(one['returnData']))
      const haveRun = ran.every((one) => readBigInt(one['status']) === 1n) && said !== 0n
      if (!haveRun || before == null || after == null) return null
      return share(amount, { logged: tried, arrived: after - before })
    })
  }
}

type Share = { logged: bigint; arrived: bigint }
/** `grown`: by how much the vault's balance grew; null: every node says that the token tells none. */
type Measure = Share & { grown: bigint | null }

/** What a vault had before a block and after it. */
function balancesOf({ token, vault, block }: { token: Address; vault: Address; block: bigint }): RpcCall[] {
  const balance = { to: token, data: encodeBalanceOf(vault) }
  return [call('eth_call', balance, quantity(block - 1n)), call('eth_call', balance, quantity(block))]
}

function growth([before, after]: readonly (RpcAnswer | undefined)[]): bigint {
  return balanceIn(resultOf(after)) - balanceIn(resultOf(before))
}

function placeOf({ token, to }: Pick<LoggedArrival, 'token' | 'to'>): string {
  return `${token} ${to}`
}

function share(amount: bigint, { logged, arrived }: Share): bigint {
  if (arrived >= logged) return amount
  return arrived > 0n ? (amount * arrived) / logged : 0n
}

/** A log with the transaction that it is of. */
type LogOf = { transactionHash: Hash; log: Log }

function readLogOf(value: unknown): LogOf {
  return { transactionHash: readHash(readObject(value)['transactionHash']), log: readLog(value) }
}

/**
 * What a token logs as having come into the vault, and the transactions in which it logs that something has left it. A
 * log may be there twice; some nodes count the logs of each transaction from 0.
 */
function flowsOf(logs: readonly LogOf[], { vault, atLeast }: { vault: Address; atLeast: bigint }) {
  const each = new Map(logs.map((entry) => [`${entry.transactionHash} ${entry.log.logIndex}`, entry]))
  const transfers = [...each.values()].flatMap(({ transactionHash, log }) =>
    transfersOf({ logs: [log] }).map((transfer) => ({ ...transfer, transactionHash })),
  )
  const incoming = transfers
    .filter(({ from, to }) => to === vault && from !== zeroAddress)
    .reduce((sum, { amount }) => sum + amount, 0n)
  if (incoming < atLeast) throw new Error('the node lacks logs that the receipt has')
  // Only transfers of something: tokens let anybody move nothing out of the vault.
  const outgoing = transfers.filter(({ from, amount }) => from === vault && amount > 0n)
  return { incoming, outgoing: [...new Set(outgoing.map(({ transactionHash }) => transactionHash))] }
}

/** The first word of what a call has returned. Null: it has returned none. */
function wordIn(data: unknown): bigint | null {
  return typeof data === 'string' && data.length >= 66 ? readWord(data) : null
}

/** Where there is no code yet, nobody has a balance. */
function balanceIn(data: unknown): bigint {
  return data === '0x' ? 0n : readWord(data)
}

/**
 * How nodes say that they keep no state of so old a block: geth, nethermind, besu, erigon, reth; and anvil. Not that
 * they do not have the block (yet), as one behind a load balancer may say that lags.
 */
function isStateGone(reason: string): boolean {
  const [, height, wanted] = /height is (\d+) but requested was (\d+)/.exec(reason) ?? []
  if (height !== undefined && BigInt(wanted!) < BigInt(height)) return true
  return /missing trie node|state .*(?:not available|unavailable|pruned|not found)|historical state|old data not available|pruned|no state|proof window|world state unavailable/i.test(
    reason,
  )
}
