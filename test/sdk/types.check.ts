/**
 * What must not compile, held by the type check: each `@ts-expect-error` is an error itself when the line after it
 * compiles. package.test.ts checks it against the packed types too.
 */
import {
  createIntentClient,
  IntentApiError,
  signIntent,
  signRegistration,
  StepFailedError,
} from '../../sdk/src/index.js'
import type { ErrorCode, IntentRequest, LegacyTransactionRequest, Step, StepErrorCode } from '../../sdk/src/index.js'
import type { Finding, FindingCode, HealthReport, HealthStatus, RequestHeaders } from '../../sdk/src/index.js'
import { intentActions, sendOnDemand, walletAccount } from '../../sdk/src/viem.js'
import { type Account, createWalletClient, http, type SignedAuthorization } from 'viem'
import type { PrivateKeyAccount } from 'viem/accounts'

const client = createIntentClient({ baseUrl: 'http://127.0.0.1:3000' })
declare const account: PrivateKeyAccount
declare const step: Step
const user = account.address
const transfer = { from: user, to: user, token: user, amount: 1n }
const call = { to: user, value: 0n, data: '0x' } as const
const signed = await signIntent({ account, chainBatches: [{ chainId: 1, tokenTransfers: [transfer], calls: [call] }] })

// What is right compiles.
await client.createAction({ user, chainAuthorizations: [], intents: [signed] })
await client.send({ account, intents: [{ chainBatches: [{ chainId: 1, tokenTransfers: [transfer], calls: [] }] }] })
const onDemand: IntentRequest = {
  mode: 'non-7702:on-demand',
  chainBatches: [{ chainId: 1, tokenTransfers: [transfer], call }],
}
await client.createAction({ user, intents: [onDemand] })
// So does what nobody can change any more, as `as const` has it.
const fixed = {
  user: '0x9965507D1a55bcC2695C58ba16FB37d819B0A4dc',
  chainAuthorizations: [{ address: '0x01', chainId: 1, nonce: 0, r: '0x01', s: '0x01' }],
  intents: [
    {
      mode: '7702',
      signatureType: 'eip712',
      signature: '0x',
      nbf: 0,
      exp: 1,
      chainBatches: [{ hash: '0x', chainId: 1, tokenTransfers: [transfer], calls: [call] }],
    },
    { mode: 'non-7702:on-demand', chainBatches: [{ chainId: 1, tokenTransfers: [transfer], call }] },
    {
      mode: 'non-7702:presign',
      chainBatches: [{ chainId: 1, tokenTransfers: [transfer], call: { ...call, signature: '0x' } }],
    },
  ],
} as const
await client.createAction(fixed)
const { chainAuthorizations } = fixed
await client.send({ account, intents: [{ chainBatches: [] }], chainAuthorizations })
const ofViem = {} as SignedAuthorization
await client.send({ account, intents: [{ chainBatches: [] }], chainAuthorizations: [ofViem] })
const batchOnDemand = { chainId: 1, tokenTransfers: [transfer], call } as const
await sendOnDemand(client, { user, intents: [{ chainBatches: [batchOnDemand] }], pay: async () => '0x' } as const)
await client.findVenueTxHashes({ address: user, actionTypes: ['swap'] } as const)
declare const legacy: Omit<LegacyTransactionRequest, 'authorization'>
await client.submitTransaction({ ...legacy, authorization: chainAuthorizations })

// A payment that the service does not know of yet, as the README has it.
const walletClient = createWalletClient({ account, transport: http() })
const hash = await walletClient.sendTransaction({ chain: null, to: user, value: 1n })
const signature = await signRegistration({ account: walletAccount(walletClient), ...step, hash })
await client.executeStep(step, { hash, signature })
await client.runAction(step.actionId)

// What may be left out may be undefined as well, also with exactOptionalPropertyTypes.
declare const signal: AbortSignal | undefined
await client.getAction(step.actionId, { signal, timeoutMs: undefined })
await client.executeStep(step, { hash: undefined, signature: undefined, waitSeconds: undefined, signal })
await client.waitForAction(step.actionId, { signal, timeoutMs: undefined, pollIntervalMs: undefined })
await client.listActions({ user: undefined, status: undefined, cursor: undefined })
await client.send({
  account,
  intents: [{ chainBatches: [], exp: undefined, mode: undefined }],
  signal,
  expect: undefined,
})
createIntentClient({
  baseUrl: new URL('http://127.0.0.1:3000'),
  fetch: undefined,
  headers: undefined,
  retries: undefined,
})
// A fetch that adds a header, however it is typed.
createIntentClient({ baseUrl: '', fetch, nodeFetch: (url, init) => fetch(url, init) })
createIntentClient({
  baseUrl: '',
  fetch: (url, init) => fetch(url, { ...init, headers: { ...init.headers, 'x-api-key': 'k' } }),
  headers: async () => ({ authorization: 'Bearer' }),
})

// What is given and taken has names.
declare const headers: () => Promise<RequestHeaders>
createIntentClient({ baseUrl: '', headers })
createIntentClient({ baseUrl: '', headers: new Headers({ 'x-api-key': 'k' }) })
createIntentClient({ baseUrl: '', headers: async () => [['x-api-key', 'k']] as const })
export function worstOf({ database, findings }: HealthReport): FindingCode | HealthStatus {
  const worst: Finding | undefined = findings[0]
  return worst ? worst.code : database
}

// Signed intents without authorizations.
// @ts-expect-error Signed intents need authorizations, be it none.
await client.createAction({ user, intents: [signed] })

// A wrong mode.
// @ts-expect-error A wrong mode.
await client.createAction({ user, intents: [{ ...signed, mode: '7703' }] })
// @ts-expect-error A wrong mode.
await client.createAction({ user, intents: [{ mode: 'non-7702:on-demand', chainBatches: signed.chainBatches }] })
// @ts-expect-error A wrong mode.
await client.send({ account, intents: [{ mode: 'non-7702:on-demand', chainBatches: [] }] })

// A number or a string for an amount.
// @ts-expect-error A number or a string for an amount.
await signIntent({ account, chainBatches: [{ chainId: 1, tokenTransfers: [{ ...transfer, amount: 1 }], calls: [] }] })
// @ts-expect-error A number or a string for an amount.
await signIntent({ account, chainBatches: [{ chainId: 1, tokenTransfers: [{ ...transfer, amount: '1' }], calls: [] }] })
// @ts-expect-error A number or a string for an amount.
await signIntent({ account, chainBatches: [{ chainId: 1, tokenTransfers: [], calls: [{ ...call, value: 0 }] }] })
// @ts-expect-error A number or a string for an amount.
await client.requestAirdrop({ chainId: 1, tokenId: 'usd', wallet: user, amount: 1000 })
// @ts-expect-error A number or a string for an amount.
await client.getBalances(user).then(([balance]) => balance!.amount * 2)

// A missing field.
// @ts-expect-error A missing field.
await client.createAction({ intents: [signed] })
// @ts-expect-error A missing field.
await client.send({ intents: [] })
// @ts-expect-error A missing field.
await signIntent({ account, chainBatches: [{ chainId: 1, calls: [] }] })
// @ts-expect-error A missing field.
await client.executeStep({ actionId: step.actionId, intentIndex: 0 })
// @ts-expect-error A missing field.
createIntentClient({})

// A name that is no address, and a sender that is neither an address nor the solver.
// @ts-expect-error A name that is no address, and a sender that is neither an address nor the solver.
await client.getBalances('alice')
// @ts-expect-error A name that is no address, and a sender that is neither an address nor the solver.
await signIntent({ account, chainBatches: [{ chainId: 1, tokenTransfers: [{ ...transfer, from: 'me' }], calls: [] }] })

// Words that the spec does not have.
// @ts-expect-error Words that the spec does not have.
if (step.status === 'done') throw new Error()
// @ts-expect-error Words that the spec does not have.
await client.listActions({ status: 'pending' })
export function reasonOf(error: unknown): ErrorCode | StepErrorCode | string | undefined {
  if (error instanceof StepFailedError) return error.step.error.code
  // @ts-expect-error Words that the spec does not have.
  if (error instanceof IntentApiError && error.code === 'no_such_code') return 'never'
  return error instanceof IntentApiError && error.code === 'insufficient_credit' ? `${error.required! - 1n}` : undefined
}

// The extension is typed in any wallet client.
const wallet = createWalletClient({ account: user, transport: http() }).extend(intentActions({ baseUrl: '' }))
for await (const { step: changed } of wallet.intents.watchAction(step.actionId)) changed.status satisfies Step['status']
// @ts-expect-error A chain id is a number.
await wallet.sendIntents({ intents: [{ chainBatches: [{ chainId: '1', tokenTransfers: [], calls: [] }] }] })
export const walletOfAnyone = (someone: Account) =>
  createWalletClient({ account: someone, transport: http() }).extend(intentActions({ baseUrl: '' }))
