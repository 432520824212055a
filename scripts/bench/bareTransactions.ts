import { type Address, createWalletClient, type Hash, type Hex, http, type PrivateKeyAccount } from 'viem'
import { intentDigest } from '../../sdk/src/signing.js'
import { parseAuthorization, parseIntent } from '../../server/api/requests/parseIntent.js'
import type * as wire from '../../server/api/generated/types.gen.js'
import { encodeExecute } from '../../server/chain/contracts.js'
import { toSerializable } from '../../test/support/serializable.js'
import type { SignedIntent } from '../../server/domain/action.js'

const gas = 250_000n
const maxPriorityFeePerGas = 1_000_000_000n
const maxFeePerGas = 100_000_000_000n

export type BarePayload = ReturnType<typeof barePayload>

/** What a transaction carries that carries out the first step of a body of `POST /actions`. */
export function barePayload(body: string, chainId: number) {
  const request = JSON.parse(body) as {
    user: Address
    chainAuthorizations: wire.ChainAuthorization[]
    intents: wire.IntentRequest[]
  }
  const intent = parseIntent(request.intents[0]!) as Omit<SignedIntent, 'digest'>
  return {
    to: request.user,
    data: encodeExecute({ ...intent, digest: intentDigest(intent) }, 0),
    authorizations: request.chainAuthorizations.map(parseAuthorization).filter((tuple) => tuple.chainId === chainId),
  }
}

/** The type-4 transaction, signed by an operator. */
export function signBare(
  payload: BarePayload,
  { account, ...place }: { account: PrivateKeyAccount; chainId: number; nonce: number },
): Promise<Hex> {
  const fees = { maxFeePerGas, maxPriorityFeePerGas }
  return account.signTransaction(toSerializable({ ...payload, ...place, value: 0n, gas, ...fees }))
}

/** Sends by viem's `sendTransaction`, which asks the node for nonce, fees and gas first. */
export function bareSender(account: PrivateKeyAccount, url: string): (payload: BarePayload) => Promise<Hash> {
  const client = createWalletClient({ account, transport: http(url, { retryCount: 0 }) })
  return ({ authorizations, ...payload }) =>
    client.sendTransaction({ ...payload, authorizationList: authorizations, chain: null })
}
