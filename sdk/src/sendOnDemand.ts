import type { Action } from './amounts.js'
import type { Address, Hash, Hex } from 'viem'
import { abortable, throwIfAborted } from './abortable.js'
import { beginStep } from './beginStep.js'
import type { IntentClient } from './client.js'
import { asFilledList, checkAccount, checkBatch, checkCall, checkHash, checkSigner, fail } from './checkInput.js'
import { checkTimes } from './checkTimes.js'
import type { Call, TokenTransfer } from './digests.js'
import { IntentError, naming, StepFailedError, UnregisteredPaymentError } from './errors.js'
import { inTurn } from './inTurn.js'
import { type Expectation, isSame } from './pins.js'
import { keyOf } from './randomKey.js'
import { readToken } from './readToken.js'
import { keccak256 } from './keccak256.js'
import { tell } from './progress.js'
import { readAction } from './readAction.js'
import type { RunOptions } from './runAction.js'
import { storeAction } from './storeAction.js'
import { type SigningAccount, signRegistration } from './sign.js'
import { addressWord, word } from './structHash.js'
import type { Step } from './wire.js'

/** A chain's part of an intent that the user pays himself: either what he pays, or what the solver does. */
export type OnDemandBatch = { chainId: number; tokenTransfers: readonly TokenTransfer[]; call?: Call }

/** A transaction for the user to send. */
export type Payment = { chainId: number; to: Address; value: bigint; data: Hex }

/** Tells `onProgress` of a payment that is signed; to be waited for before it is sent, so that its hash is kept. */
export type TellSigned = (raw: Hex) => Promise<unknown>

export type OnDemandOptions = RunOptions & {
  user: Address
  intents: readonly { chainBatches: readonly OnDemandBatch[] }[]
  /**
   * Sends the user's transaction and resolves with its hash, at best the one that was mined, since a wallet may have
   * sent it again with higher fees; also where it may have been sent and its hash is known. Called once for each step
   * that he pays. Where it is signed before it is sent, `tellSigned` is for what was signed.
   */
  pay: (payment: Payment, tellSigned: TellSigned) => Promise<Hash>
  /** Signs that each payment is for this action, so that nobody else can claim it. */
  account?: Pick<SigningAccount, 'signTypedData'> | undefined
  /** The contracts that you trust, instead of the client's. */
  expect?: Expectation | undefined
  /**
   * A second call with the same key and content takes the same action, and pays what the service knows no payment
   * of, once what comes before has succeeded. The service knows a key for 24 hours, and a call after that makes
   * another action, which is paid anew: keep the `actionId` of `created`, and go on with `runAction`. Random by
   * default; `created` and errors name it.
   */
  idempotencyKey?: string | undefined
}

/**
 * Creates an action of mode `non-7702:on-demand`, has the user pay his steps, and has the solver carry out the others;
 * resolves with the finished action. Nothing is paid before the action is stored, and one call pays no step twice. The
 * solver pays out what was paid in the same action, less the `feeBps` of `getChains`. Rejects with
 * `UnregisteredPaymentError` where a payment was sent that the service does not know of. Calls for one user pay one
 * after the other in one process; others know nothing of each other, so let there be one at a time for each key.
 */
export async function sendOnDemand(client: IntentClient, options: OnDemandOptions): Promise<Action> {
  const { user, account, signal, expect } = options
  const idempotencyKey = keyOf(options.idempotencyKey)
  checkTimes(options)
  checkOnDemand(options)
  const batches = options.intents.flatMap(({ chainBatches }) => chainBatches)
  const payments = batches.map(paymentOf)
  const chains = await client.checkChains(
    batches.map(({ chainId }) => chainId),
    { signal, expect },
  )
  const isProofRequired = chains.some(({ onDemandProof }) => onDemandProof === 'required')
  if (isProofRequired) checkSigner(account ?? {})

  const nothing: Call = { to: user, value: 0n, data: '0x' }
  const intents = options.intents.map(({ chainBatches }) => ({
    mode: 'non-7702:on-demand' as const,
    chainBatches: chainBatches.map((batch) => ({ ...batch, call: batch.call ?? nothing })),
  }))
  const created = await storeAction(client, { user, intents }, { idempotencyKey, signal })
  const { actionId } = created
  return naming({ actionId, idempotencyKey }, async () => {
    await tell(options, { type: 'created', ...created, idempotencyKey })
    for (const [index, payment] of payments.entries()) {
      const begin = async (): Promise<() => Promise<Step>> => {
        // Anew each time: another call under the same key may have paid it while the one before was followed.
        const step = (await readAction(client, actionId, { signal })).intents.flatMap(({ steps }) => steps)[index]!
        // The service goes on to the solver's by itself.
        if (!payment) return beginStep(client, step, options)
        const own = paid.get(nameOf(step))
        const hash = own ?? step.transactionHash
        if (!hash) return payStep(client, step, payment, options)
        // It has failed, or is not registered: signed for again, so that nobody else can claim the payment meanwhile.
        // Not one that was not paid here, unless all have to sign: a stranger may have named it.
        const isOpen = step.status !== 'executing' && step.status !== 'success'
        if (isOpen && (own || isProofRequired)) return register(client, step, hash, options)
        return beginStep(client, step, options, { hash })
      }
      const follow = await (payment ? inTurn(user, signal, begin) : begin())
      const ended = await follow()
      if (ended.status !== 'success') throw new StepFailedError(ended)
      paid.delete(nameOf(ended))
    }
    return client.runAction(actionId, options)
  })
}

/**
 * By step, what was paid in this process: a call that waited for another one's turn registers that, where it could not.
 */
const paid = new Map<string, Hash>()

const nameOf = (step: Step) => [step.actionId, step.intentIndex, step.stepIndex].join()

/** Has the user pay a step, and registers that; resolves with what follows the step to its end. */
async function payStep(client: IntentClient, step: Step, payment: Payment, options: OnDemandOptions) {
  throwIfAborted(options.signal)
  const hash = await options.pay(payment, (raw) => tell(options, { type: 'paying', step, hash: keccak256(raw), raw }))
  try {
    checkHash(hash, 'pay()')
    paid.set(nameOf(step), hash)
    await tell(options, { type: 'paid', step, hash })
    return await register(client, step, hash, options)
  } catch (cause) {
    throw new UnregisteredPaymentError({ step, hash, cause })
  }
}

/** Names a step's payment to the service, signed for where there is an account, so that nobody else can claim it. */
async function register(client: IntentClient, step: Step, hash: Hash, options: OnDemandOptions) {
  const { account, signal } = options
  const signature = account && (await abortable(() => signRegistration({ account, ...step, hash }), signal))
  return beginStep(client, step, options, { hash, signature })
}

/** All that registering a payment will need as well: once it is sent, it is too late. */
function checkOnDemand({ user, intents, pay, account }: OnDemandOptions): void {
  checkAccount({ address: user }, 'user')
  if (typeof pay !== 'function') fail('pay', 'a function', pay)
  if (account) {
    checkSigner(account)
    const { address = user } = account as Partial<SigningAccount>
    if (!isSame(address, user)) throw new IntentError(`account is ${address}, user is ${user}.`)
  }
  asFilledList(intents, 'intents').forEach((intent, index) => {
    const { mode, chainBatches } = intent as { mode?: unknown; chainBatches?: unknown }
    if (mode !== undefined && mode !== 'non-7702:on-demand') fail(`intents[${index}].mode`, 'non-7702:on-demand', mode)
    asFilledList(chainBatches, `intents[${index}].chainBatches`).forEach((batch, number) => {
      const place = `intents[${index}].chainBatches[${number}]`
      const { call, calls } = checkBatch(batch, place)
      if (calls !== undefined) fail(`${place}.calls`, 'left out: name a call', calls)
      if (call !== undefined) checkCall(call, `${place}.call`)
    })
  })
}

/** The one transaction that does what a batch asks of the user. Null when it asks nothing of him. */
function paymentOf({ chainId, tokenTransfers, call }: OnDemandBatch): Payment | null {
  const isBare = tokenTransfers.length === 0
  const own = tokenTransfers.filter(({ from }) => from !== 'solver')
  const [transfer, more] = own
  const isNative = (token: Address) => BigInt(readToken(token)) === 0n
  const asked = call && (isBare || call.value || call.data !== '0x') ? call : null
  // A transaction has one recipient and one value, by which native transfers are told.
  const isOne = ({ to, token, amount }: (typeof own)[0]) =>
    !isNative(token) || (isSame(asked?.to, to) && amount <= asked!.value)
  if (asked ? !own.every(isOne) : isBare || more) {
    throw new IntentError('A step is one transaction: name a call for all.')
  }
  if (asked) return { ...asked, chainId }
  if (!transfer) return null
  const { to, token, amount } = transfer
  if (isNative(token)) return { chainId, to, value: amount, data: '0x' }
  // transfer(address,uint256)
  const data: Hex = `0xa9059cbb${addressWord(to).slice(2)}${word(amount).slice(2)}`
  return { chainId, to: token, value: 0n, data }
}
