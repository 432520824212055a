import { encodeAbiParameters, type Hash, keccak256 } from 'viem'
import type { Receipt } from '../chain/chain.js'
import type { Airdrop, AirdropKey } from '../domain/airdrop.js'
import { recordAndSend } from './lanes.js'
import type { EngineTools } from './tools.js'
import { moved, type Visit } from './visit.js'
import type { Queue } from './worker.js'

/** Airdrops that were asked for and that no transaction carries yet. */
export function airdropQueue(tools: EngineTools): Queue<Airdrop> {
  return {
    name: 'airdrops',
    claim: (limit, leaseMs) => tools.store.claimDueAirdrops(limit, leaseMs),
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
  const data = tools.codec.encodeFulfill({
    stepKey: airdropKey(airdrop),
    transfers: [{ to: airdrop.wallet, token: airdrop.token, amount: airdrop.amount }],
    account: null,
    intent: null,
    stepIndex: 0,
  })
  const from = [...tools.signers.keys()][0]!
  const simulation = await chain.simulate(
    { from, to, data, value: 0n, authorization: null },
    { overrideDelegate: null },
  )
  if (simulation.outcome === 'reverted') {
    await tools.store.failAirdrop(airdrop, tools.codec.decodeRevert(simulation.data).message)
    tools.changed(airdropTopic(airdrop))
    return moved
  }
  const gasLimit = tools.codec.gasLimit({ estimate: simulation.gas, authorizations: 0 })
  return recordAndSend({ chain, to, data, authorizations: [], gasLimit, steps: [], airdrop }, tools)
}

/** What a final receipt means for the airdrop that the transaction carried. */
export function airdropResult(airdrop: Airdrop, receipt: Receipt, tools: EngineTools) {
  const vault = tools.chains.get(airdrop.chainId)!.config.vault
  const paid = receipt.status === 'success' && tools.codec.fulfilledKeys(receipt, vault).includes(airdropKey(airdrop))
  return { airdrop, paid, message: paid ? null : 'The transaction was mined and paid nothing.' }
}

/** What requests wait on. */
export function airdropTopic({ chainId, token, wallet }: AirdropKey): string {
  return `airdrop:${chainId}:${token}:${wallet}`
}

/** What the vault remembers the airdrop by: each round of a wallet once. */
function airdropKey({ token, wallet, round, askedAt }: Airdrop): Hash {
  return keccak256(
    encodeAbiParameters(
      [{ type: 'string' }, { type: 'address' }, { type: 'address' }, { type: 'uint256' }, { type: 'uint256' }],
      ['airdrop', token, wallet, BigInt(round), BigInt(askedAt)],
    ),
  )
}
