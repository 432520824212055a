import type { DepositReport } from '../../server/domain/deposit.js'
import type { DepositResult } from '../../server/store/money/deposits.js'
import { usdOn1, usdOn2 } from '../support/builders.js'
import { arrivalsIn } from './visits.js'
import { anyOf, type Report, unlessEarly, type World } from './world.js'

/** Deposits and withdrawals that users report, and what becomes of the reports. */
export function createReports(world: World) {
  const { store, random, chains, now, note, signer } = world
  const refused: DepositResult = { outcome: 'refused', code: 'deposit_mismatch', message: 'no' }
  return { report, lookAtAll }

  async function report(): Promise<void> {
    if (random.chance(0.3)) return reportTransfer('withdrawal')
    return random.chance(0.5) ? reportStep() : reportTransfer('payment')
  }

  async function reportTransfer(kind: 'payment' | 'withdrawal'): Promise<void> {
    const transfer = anyOf(
      world,
      world.transfers.filter((entry) => entry.kind === kind),
    )
    if (!transfer) return
    const { hash: transactionHash, user, amount } = transfer
    const isDeposit = kind === 'payment'
    const place = { chainId: 1, transactionHash, token: usdOn1 }
    const id = await send({ ...place, user, amount, sender: isDeposit ? user : signer, isDeposit })
    world.reports.push({ id, transfer })
  }

  /** What a step has brought into the vault may be reported as a deposit, too. */
  async function reportStep(): Promise<void> {
    const bringing = chains
      .everIncluded()
      .flatMap(({ transaction, done }) =>
        done.filter(({ step }) => step.brings > 0n).map(({ step }) => ({ transaction, step })),
      )
    const seen = anyOf(world, bringing)
    if (!seen) return
    const { transaction, step } = seen
    const place = { chainId: 2, transactionHash: transaction.hash, token: usdOn2 }
    const id = await send({ ...place, user: step.user, amount: step.brings, sender: step.user, isDeposit: true })
    world.reports.push({ id, transaction, step })
  }

  async function send(report: DepositReport): Promise<number> {
    const { id } = await store.reportDeposit(report, 1, now)
    note(`report ${id}: ${report.isDeposit ? 'deposit' : 'withdrawal'} in ${report.transactionHash.slice(0, 10)}`)
    return id
  }

  async function lookAtAll(): Promise<void> {
    for (const entry of world.reports) {
      const work = await store.readDeposit(entry.id)
      if (work?.status !== 'pending') continue
      const result = found(entry) ?? (random.chance(0.3) ? refused : null)
      if (!result) continue
      await unlessEarly(() => store.settleDeposit(work, result, now))
      note(`look at report ${entry.id}: ${(await store.readDeposit(entry.id))!.status}`)
    }
  }

  /** What the chain says of it now; null: it does not know the transaction. */
  function found(entry: Report): DepositResult | null {
    const inclusion = 'transfer' in entry ? null : chains.inclusionOf(entry.transaction)
    const block = 'transfer' in entry ? entry.transfer.block : inclusion?.block
    if (!block) return null
    const movements =
      'transfer' in entry
        ? [{ logIndex: world.countsFrom(), amount: entry.transfer.amount }]
        : arrivalsIn(world, inclusion!, entry.step.user)
    if (movements.length === 0) return refused
    const place = { blockNumber: block.number, blockHash: block.hash, confirmations: 1 }
    return { outcome: 'found', custody: 'vault', movements, mismatch: 'no', ...place }
  }
}
