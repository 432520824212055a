import { type Address, createWalletClient, type Hash, type Hex, http } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { intentDigest } from '../../sdk/src/signing.js'
import { readAuthorization, readIntent } from '../../server/api/readAction.js'
import type * as wire from '../../server/api/generated/types.gen.js'
import { encodeExecute } from '../../server/chain/contracts.js'
import { toSerializable } from '../../test/support/serializable.js'
import type { SignedIntent } from '../../server/domain/action.js'

const gas = 250_000n
const maxPriorityFeePerGas = 1_000_000_000n
const maxFeePerGas = 100_000_000_000n

/** The type-4 transaction that carries out the first step of a body of `POST /actions`, signed by an operator. */
export async function signBare(body: string, options: { key: Hex; chainId: number; nonce: number }): Promise<Hex> {
  const { key, chainId, nonce } = options
  const fees = { maxFeePerGas, maxPriorityFeePerGas }
  const transaction = toSerializable({ ...payloadOf(body, chainId), chainId, nonce, value: 0n, gas, ...fees })
  return privateKeyToAccount(key).signTransaction(transaction)
}

/** As viem's `sendTransaction`, which asks the node for nonce, fees and gas first. */
export async function sendBare(body: string, options: { key: Hex; chainId: number; url: string }): Promise<Hash> {
  const { key, chainId, url } = options
  const { authorizations, ...payload } = payloadOf(body, chainId)
  const transport = http(url, { retryCount: 0 })
  const client = createWalletClient({ account: privateKeyToAccount(key), transport })
  return client.sendTransaction({ ...payload, authorizationList: authorizations, chain: null })
}

function payloadOf(body: string, chainId: number) {
  const request = JSON.parse(body) as {
    user: Address
    chainAuthorizations: wire.ChainAuthorization[]
    intents: wire.IntentRequest[]
  }
  const intent = readIntent(request.intents[0]!) as Omit<SignedIntent, 'digest'>
  return {
    to: request.user,
    data: encodeExecute({ ...intent, digest: intentDigest(intent) }, 0),
    authorizations: request.chainAuthorizations.map(readAuthorization).filter((tuple) => tuple.chainId === chainId),
  }
}
