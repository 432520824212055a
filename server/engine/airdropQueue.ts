import type { Chain } from '../chain/chain.js'
import type { Airdrop } from '../domain/airdrop.js'
import { airdropTopic } from '../domain/topics.js'
import { doneAccordingTo } from './outcomes/doneBefore.js'
import { isPaidByFormer } from './outcomes/formerVaults.js'
import { airdropKey, findPayment } from './outcomes/airdropOutcome.js'
import { headOf } from './heads.js'
import { noLane, recordAndSend } from './lanes/record.js'
import { anOperator, isOperatorsFault } from './lanes/operators.js'
import type { EngineTools } from './tools.js'
import { moved, type Visit, waits } from './visit.js'
import type { Queue } from './worker.js'

/** Airdrops that were asked for and that no transaction carries yet. */
export function airdropQueue(tools: EngineTools): Queue<Airdrop> {
  return {
    name: 'airdrops',
    claim: tools.store.claimDueAirdrops,
    chainOf: (airdrop) => airdrop.chainId,
    lengthOf: () => 0,
    visit: (airdrop) => sendAirdrop(airdrop, tools),
    postpone: (airdrop, delayMs) => tools.store.postponeAirdrop(airdrop, delayMs),
    label: ({ chainId, token, wallet, round }) => ({ chainId, token, wallet, round }),
  }
}

/** One visit: simulation, then the journal and the send, as for any payout of the vault. */
async function sendAirdrop(airdrop: Airdrop, tools: EngineTools): Promise<Visit> {
  const chain = tools.chains.get(airdrop.chainId)
  if (!chain) throw new Error(`Chain ${airdrop.chainId} is not configured any more`)
  const to = chain.config.vault
  const stepKey = airdropKey(airdrop)
  if (await isPaidByFormer(stepKey, chain)) return adopt(airdrop, chain, tools)
  const data = tools.codec.encodeFulfill({
    stepKey,
    transfers: [{ to: airdrop.wallet, token: airdrop.token, amount: airdrop.amount }],
    account: null,
    intent: null,
    stepIndex: 0,
  })
  const from = anOperator(chain, tools)
  const simulation = await chain.simulate({ from, to, data }, { overrideDelegate: null, inCompany: false })
  if (simulation.outcome === 'reverted') {
    const failure = tools.codec.decodeRevert(simulation.data)
    if (doneAccordingTo(failure) === 'paid') return adopt(airdrop, chain, tools)
    if (await isOperatorsFault(failure, { from, to }, chain, tools)) return noLane
    await tools.store.failAirdrop(airdrop, failure.message)
    const { chainId, token, wallet, round } = airdrop
    tools.log.info({ chainId, token, wallet, round, paid: false }, 'airdrop ended without effect')
    tools.changed(airdropTopic(airdrop))
    return moved
  }
  const { gasLimit: ofBlock } = await headOf(chain, tools)
  const gasLimit = tools.codec.gasLimit({ estimate: simulation.gas, authorizations: 0, ofBlock })
  return recordAndSend({ chain, to, data, authorizations: [], gasLimit, steps: [], airdrop }, tools)
}

/**
 * The vault has paid the airdrop before, by a transaction that the journal does not have or has given up: that one
 * counts.
 */
async function adopt(airdrop: Airdrop, chain: Chain, tools: EngineTools): Promise<Visit> {
  const payment = await findPayment(airdrop, chain, tools)
  if (!payment) return waits(chain.config.pollIntervalMs)
  await tools.store.adoptAirdrop(payment, tools.now())
  tools.changed(airdropTopic(airdrop))
  return moved
}
