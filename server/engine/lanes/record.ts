import type { Address, Hex } from 'viem'
import type { Chain } from '../../chain/chain.js'
import { actionsOf, type ChainAuthorization, type StepAttempt } from '../../domain/action.js'
import type { Airdrop } from '../../domain/airdrop.js'
import { SignerUnavailable } from '../../domain/errors.js'
import type { RecordOutcome } from '../../store/journal/transactionRecorder.js'
import type { CarriedStep } from '../../store/journal/journalTransactions.js'
import type { EngineTools } from '../tools.js'
import { moved, type Visit, waits } from '../visit.js'
import { headOf } from '../heads.js'
import { isRefused } from './operators.js'
import { sendStored } from './send.js'
import { isResting, signForm } from './signForm.js'

/**
 * A lane is one operator key on one chain. Its transactions go through these states, all of them in the journal:
 * recorded (bytes stored) → sent (a node has them, or may have; so many of a lane at once) → mined → final.
 * Whatever fails between recorded and mined, the nonce is kept and the stored bytes are sent again; only a
 * replacement at the same nonce ever changes them.
 */

const noLaneMs = 1_000

export type Outgoing = {
  chain: Chain
  to: Address
  data: Hex
  authorizations: ChainAuthorization[]
  gasLimit: bigint
  /** What it carries, each step as it was when its credit was set aside and its payload prepared. */
  steps: (CarriedStep & StepAttempt)[]
  airdrop?: Airdrop
}

type Recorded = Extract<RecordOutcome, { outcome: 'recorded' | 'stale' }> | { outcome: 'noLane' }

/** How a visit ends when no lane took its transaction: it comes again before long. */
export const noLane: Visit = waits(noLaneMs)

/** Stores a signed transaction on the least busy lane, then sends it. */
export async function recordAndSend(outgoing: Outgoing, tools: EngineTools): Promise<Visit> {
  const recorded = await record(outgoing, tools)
  if (recorded.outcome === 'noLane') return noLane
  if (recorded.outcome === 'recorded') await sendStored(recorded.transaction, outgoing.chain, tools)
  return moved
}

/**
 * Stores a signed transaction on the least busy lane. Where steps are stale nothing is stored, and the answer says
 * which.
 */
export async function record(outgoing: Outgoing, tools: EngineTools): Promise<Recorded> {
  const { chain } = outgoing
  const lanes = await usableLanes(chain, tools)
  const isAllowed = ({ signer }: { signer: Address }) =>
    outgoing.to !== chain.config.vault || !isRefused(chain, signer, tools)
  const allowed = lanes.filter(isAllowed)
  const funded =
    allowed.length > 1 ? await tools.gasBalances.thatCanPay(chain, allowed, await costOf(outgoing, tools)) : allowed
  const signer = leastBusy(funded, chain, tools)
  if (!signer) return { outcome: 'noLane' }
  // One transaction of a lane at a time, or all but one would be signed for a nonce that is gone.
  const turn = await tools.laneMutex.run(laneKey(chain, signer), () => recordOn(signer, outgoing, tools))
  const recorded = turn.done ? turn.result : null
  if (recorded?.outcome === 'stale') return recorded
  if (recorded?.outcome !== 'recorded') return { outcome: 'noLane' }
  if (outgoing.steps.length > 0) tools.observeTransaction(chain.config.chainId, outgoing.steps.length)
  for (const actionId of actionsOf(outgoing.steps)) tools.changed(actionId, recorded.steps)
  return recorded
}

/** What has to be on the signer's account for nodes to take the transaction, in wei. */
async function costOf(
  { chain, gasLimit }: Outgoing,
  tools: Pick<EngineTools, 'codec' | 'tips' | 'heads'>,
): Promise<bigint> {
  const head = await headOf(chain, tools)
  return gasLimit * tools.codec.initialFees(head.baseFeePerGas, tools.tips.withTip(chain.config)).maxFeePerGas
}

/**
 * Signs for the lane's next nonce and stores that. Null: there is no signature to be had now. Nothing has been stored
 * then, and the next visit begins again.
 */
async function recordOn(signer: Address, outgoing: Outgoing, tools: EngineTools): Promise<RecordOutcome | null> {
  const { chain } = outgoing
  if (isResting(signer, tools)) return null
  const head = await headOf(chain, tools)
  const fees = tools.codec.initialFees(head.baseFeePerGas, tools.tips.withTip(chain.config))
  try {
    return await tools.store.recordTransaction(
      {
        chainId: chain.config.chainId,
        signer,
        to: outgoing.to,
        data: outgoing.data,
        authorizations: outgoing.authorizations,
        gasLimit: outgoing.gasLimit,
        steps: outgoing.steps,
        airdrop: outgoing.airdrop ?? null,
        sign: (nonce) => signForm({ ...outgoing, nonce, signer, fees, isCancel: false }, tools),
      },
      tools.now(),
    )
  } catch (error) {
    if (error instanceof SignerUnavailable) return null
    throw error
  }
}

/** The lanes that take work, with how many open transactions each has. */
async function usableLanes(chain: Chain, tools: EngineTools): Promise<{ signer: Address; open: number }[]> {
  const { chainId } = chain.config
  if (!(await tools.lanesChecked.within(chainId, noLaneMs))) return []
  // Whether the only lane takes work shows when its nonce is read.
  if (tools.signers.size === 1) return [...tools.signers.keys()].map((signer) => ({ signer, open: 0 }))
  const [lanes, open] = await Promise.all([tools.store.readLanes(chainId), tools.store.countOpenOf(chainId)])
  return lanes
    .filter(({ status, signer }) => status === 'active' && tools.signers.has(signer) && !isResting(signer, tools))
    .map(({ signer }) => ({ signer, open: open.get(signer) ?? 0 }))
}

/**
 * The lane with the fewest transactions. Those that are being recorded count as well as the open ones, or all who come
 * at one moment would choose the same lane.
 */
function leastBusy(
  lanes: readonly { signer: Address; open: number }[],
  chain: Chain,
  tools: Pick<EngineTools, 'laneMutex'>,
): Address | undefined {
  const loads = lanes.map(({ signer, open }) => ({
    signer,
    load: open + tools.laneMutex.queued(laneKey(chain, signer)),
  }))
  return loads.sort((a, b) => a.load - b.load)[0]?.signer
}

function laneKey(chain: Chain, signer: Address): string {
  return `${chain.config.chainId} ${signer}`
}
