import { type Address, maxUint256 } from 'viem'
import type { Chain, Receipt } from '../../chain/chain.js'
import { nativeToken } from '../../domain/action.js'
import { requiredConfirmations } from '../../domain/finality.js'
import type { Arrival } from '../../store/money/creditArrivals.js'
import type { EngineTools } from '../tools.js'

/**
 * How deep a transaction has to be for what these users have paid in it. Each user's payments count by themselves:
 * steps that share a transaction wait no longer than each would by itself, unless one of them moves more.
 */
export function confirmationsFor(
  receipt: Receipt,
  users: readonly Address[],
  { config }: Chain,
  tools: Pick<EngineTools, 'codec'>,
): number {
  const arrivals = tools.codec.vaultArrivals(receipt, config)
  const needed = users.map((user) =>
    requiredConfirmations(
      config,
      arrivals.filter(({ from }) => from === user),
    ),
  )
  return Math.max(config.confirmations, ...needed)
}

/**
 * What reached the vaults from the user in a transaction: what its logs say, less what tokens kept of it. Throws while
 * a part of it can't be measured.
 */
export async function arrivalsOf(
  receipt: Receipt,
  user: Address,
  chain: Chain,
  tools: Pick<EngineTools, 'settings' | 'codec' | 'log'>,
): Promise<Arrival[]> {
  const { measured, unmeasured } = await measure(receipt, user, chain, tools)
  if (unmeasured.length > 0) throw new Error(cannotBeMeasured)
  return measured
}

/**
 * The same for a batch that the user's account has run. Others may share its transaction, and none of them is to wait
 * for a token that is paused: an amount that can't be measured now is reported as a deposit in the user's name, and
 * becomes credit once it can.
 */
export async function arrivalsOfRun(
  receipt: Receipt,
  user: Address,
  chain: Chain,
  tools: EngineTools,
): Promise<Arrival[]> {
  const { measured, unmeasured } = await measure(receipt, user, chain, tools)
  const amounts = new Map<Address, bigint>()
  for (const { token, amount } of unmeasured) amounts.set(token, (amounts.get(token) ?? 0n) + amount)
  const { chainId } = chain.config
  for (const [token, amount] of amounts) {
    tools.log.error({ chainId, hash: receipt.hash, user, token }, cannotBeMeasured)
    // Only a token that lies logs more than there can be, and nothing of that is reported.
    if (amount > maxUint256) continue
    const report = { user, chainId, transactionHash: receipt.hash, sender: user, token, amount, isDeposit: true }
    const needed = confirmationsFor(receipt, [user], chain, tools)
    await tools.store.reportDeposit(report, needed, tools.now())
  }
  return measured
}

const cannotBeMeasured =
  'what has reached the vault can’t be measured now: the nodes have forgotten the block, and the token lets the vault send nothing'

/**
 * What reached the vaults from the user. `unmeasured`: what can't be measured now, with the amounts that its logs say.
 */
async function measure(
  receipt: Receipt,
  user: Address,
  chain: Chain,
  tools: Pick<EngineTools, 'settings' | 'codec' | 'log'>,
) {
  // The user may have become a funder since his action was posted.
  if (tools.settings.funders.has(user)) return { measured: [], unmeasured: [] }
  const logged = tools.codec.vaultArrivals(receipt, chain.config).filter((arrival) => arrival.from === user)
  const tokens = logged.filter(({ token }) => token !== nativeToken)
  const found = tokens.length > 0 ? await chain.measureArrivals(tokens, receipt.blockNumber) : []
  const amounts = new Map(tokens.map((arrival, index) => [arrival, found[index]!]))
  const measured: Arrival[] = []
  const unmeasured: typeof logged = []
  for (const arrival of logged) {
    const amount = amounts.has(arrival) ? amounts.get(arrival)! : arrival.amount
    if (amount === null) {
      unmeasured.push(arrival)
      continue
    }
    if (amount < arrival.amount) {
      const told = { token: arrival.token, logged: arrival.amount.toString(), arrived: amount.toString() }
      const place = { chainId: chain.config.chainId, hash: receipt.hash, user }
      tools.log.warn({ ...place, ...told }, 'the vault has got less than the token says')
    }
    measured.push({
      chainId: chain.config.chainId,
      transactionHash: receipt.hash,
      logIndex: arrival.logIndex,
      blockNumber: Number(receipt.blockNumber),
      blockHash: receipt.blockHash,
      user,
      token: arrival.token,
      amount,
    })
  }
  return { measured, unmeasured }
}
