/** Actions with all that becomes of them, made through the store as the API and the engine make them. */
import { randomBytes } from 'node:crypto'
import { type Address, type Hash, toHex } from 'viem'
import type { StepRef } from '../../server/domain/action.js'
import type { SolverNeed } from '../../server/domain/solverNeeds.js'
import type { Payout } from '../../server/store/journal/bookResult.js'
import type { Store } from '../../server/store/store.js'
import {
  aBatch,
  aNewAction,
  anOnDemandIntent,
  aSignedIntent,
  randomAddress,
  randomHash,
  stepOf,
} from '../../test/support/builders.js'

export type SeededChain = { chainId: number; token: Address }

export type SeededAction = {
  actionId: string
  user: Address
  /** Of the newest transaction of its steps. */
  hash: Hash | null
  /** Of the user's venue record. */
  venueHash: Hash
  /** Of his signature; null where he has signed nothing. */
  signatureHash: Hash | null
  /** `open`: nothing has been asked for. `moving`: the service has more to do. */
  state: 'open' | 'moving' | 'ended'
}

type Place = {
  store: Store
  /** The user pays on the first; the solver pays on the second. */
  chains: [SeededChain, SeededChain]
  signer: Address
  user: Address
}

const amount = 100n
/** Digits of it can be raised by five and be past still. */
const seededFrom = 0x0195_5555_0000
/** Every action rests on blocks that lie further back than any reorganisation is looked for. */
const lastSeededBlock = 500

export async function openSeededLane(store: Store, chains: readonly SeededChain[]): Promise<Address> {
  const signer = randomAddress()
  for (const { chainId } of chains)
    await store.openLane({ chainId, signer, chainNonce: 0, ifLedgerIsNew: null }, Date.now())
  return signer
}

/**
 * One action of a new user, and his venue record, deposit and airdrop. Of ten, five were paid and paid out, three were
 * signed and executed, one was paid and its second step never asked for, and one was only posted.
 */
export async function finishAction(
  store: Store,
  { index, chains, signer }: { index: number; chains: [SeededChain, SeededChain]; signer: Address },
): Promise<SeededAction> {
  const user = randomAddress()
  const place = { store, chains, signer, user }
  const kind = index % 10
  const intent =
    kind < 5 || kind === 8
      ? anOnDemandIntent(user, amount, chains)
      : aSignedIntent(chains.map(({ chainId }) => aBatch({ chainId, hash: randomHash() })))
  const entry = {
    ...aNewAction({ user, intents: [intent], now: seededFrom + index }),
    idempotencyKeyHash: randomHash(),
  }
  await store.insertAction(entry)
  const [first, second] = [stepOf(entry, 0, 0), stepOf(entry, 0, 1)]
  let hash: Hash | null = null
  if (kind < 5 || kind === 8) hash = await pay(place, first)
  if (kind < 5) hash = await execute(place, second, { chain: chains[1], needs: [needOf(chains)] })
  if (kind >= 5 && kind < 8) hash = await execute(place, first, { chain: chains[0], needs: [] })
  if (kind >= 5 && kind < 8) await execute(place, second, { chain: chains[1], needs: [] })
  const state = kind < 8 ? 'ended' : kind === 8 ? 'moving' : 'open'
  const [signatureHash] = entry.signatureHashes
  const venueHash = await record(place)
  return { actionId: entry.action.actionId, user, hash, venueHash, signatureHash: signatureHash!, state }
}

function needOf(chains: readonly SeededChain[]): SolverNeed {
  const members = chains.map(({ chainId, token }) => ({ chainId, token, decimals: 6 }))
  return { ...chains[1]!, amount, decimals: 6, feeBps: 0, members, openCapPerDay: null }
}

function someBlock() {
  return { blockNumber: 1 + Math.floor(Math.random() * lastSeededBlock), blockHash: randomHash() }
}

/** Asked without a signature or any leave. */
const plainly = { signed: false, proofRequired: false, behindFailed: false }
/** No trace, and no visit that takes the step over. */
const byNobody = { traceparent: null, leftTo: null }

async function pay({ store, chains: [{ chainId, token }], user }: Place, ref: StepRef): Promise<Hash> {
  const hash = randomHash()
  const order = { ...plainly, action: 'register', hash } as const
  await store.requestStep({ ref, order, needs: [], ...byNobody }, Date.now())
  const block = { transactionHash: hash, ...someBlock() }
  const arrivals = [{ chainId, logIndex: 0, user, token, amount, ...block }]
  await store.settleStep(
    { ref, attempt: '1' },
    { status: 'success', confirmations: 1, arrivals, payouts: [], ...block },
    Date.now(),
  )
  return hash
}

/** By a transaction of the lane. */
async function execute(
  { store, signer }: Place,
  ref: StepRef,
  { chain, needs }: { chain: SeededChain; needs: SolverNeed[] },
): Promise<Hash> {
  const { chainId, token } = chain
  const order = { ...plainly, action: 'execute', hash: null } as const
  await store.requestStep({ ref, order, needs, ...byNobody }, Date.now())
  await store.fixStepKey(ref, randomHash())
  const hash = randomHash()
  const recorded = await store.recordTransaction(
    {
      chainId,
      signer,
      to: randomAddress(),
      data: toHex(randomBytes(300)),
      authorizations: [],
      gasLimit: 200_000n,
      steps: [{ ref, attempt: '1' }],
      airdrop: null,
      sign: async () => ({
        hash,
        raw: toHex(randomBytes(400)),
        maxFeePerGas: 2_000_000_000n,
        maxPriorityFeePerGas: 1_000_000_000n,
        isCancel: false,
      }),
    },
    Date.now(),
  )
  if (recorded.outcome !== 'recorded') throw new Error(`The seeded transaction is ${recorded.outcome}`)
  const mined = { hash, ...someBlock() }
  const { blockNumber, blockHash } = mined
  const payouts: Payout[] = needs.map((need) => ({ chainId, token, amount: need.amount }))
  const result = {
    status: 'success' as const,
    transactionHash: hash,
    confirmations: 1,
    arrivals: [],
    payouts,
    blockNumber,
    blockHash,
  }
  const transactionId = recorded.transaction.id
  const results = [{ ref, result, needs }]
  await store.settleTransaction({ transactionId, mined, results, airdrop: null }, Date.now())
  return hash
}

/** What the user has on record beside his action. */
async function record({ store, chains: [{ chainId, token }], user }: Place): Promise<Hash> {
  const now = Date.now()
  const venue = { address: user, txHash: randomHash(), actionType: 'trade', venue: 'somewhere', chainId }
  await store.venueTxHashes.insert(venue, now)

  const report = { user, chainId, transactionHash: randomHash(), sender: randomAddress(), token, amount }
  const deposit = await store.reportDeposit({ ...report, isDeposit: true }, 1, now)
  const found = { outcome: 'found', custody: 'wallet', movements: [{ logIndex: 0, amount }], mismatch: '' } as const
  await store.settleDeposit(deposit, { ...found, confirmations: 1, ...someBlock() }, now)

  const wanted = { chainId, token, wallet: user, amount, periodMs: 86_400_000 }
  const { outcome, ...asked } = await store.requestAirdrop(wanted, now)
  if (!('airdrop' in asked)) throw new Error(`The seeded airdrop is ${outcome}`)
  const { blockNumber: number, blockHash: hash } = someBlock()
  await store.adoptAirdrop({ airdrop: asked.airdrop, hash: randomHash(), paidIn: { number, hash }, message: null }, now)
  return venue.txHash
}
