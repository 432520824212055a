import type { Address, Hex } from 'viem'
import { type Call, type ChainAuthorization, nativeToken, type TokenTransfer } from '../domain/action.js'
import type { UnverifiedIntent } from '../services/checkAction.js'
import type * as wire from './generated/types.gen.js'

/** Other names of the native currency that clients use in token fields. */
const nativeSynonyms = new Set(['0x0', '0xeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeee'])

/** An intent of a request as the service knows it: lower case, `bigint`, one name for the native currency. */
export function readIntent(intent: wire.IntentRequest): UnverifiedIntent {
  switch (intent.mode) {
    case '7702':
      return {
        mode: intent.mode,
        signatureType: intent.signatureType,
        signature: lower(intent.signature),
        nbf: intent.nbf,
        exp: intent.exp,
        chainBatches: intent.chainBatches.map((batch) => ({
          ...readBatch(batch),
          calls: batch.calls.map(readCall),
          hash: lower(batch.hash),
        })),
      }
    case 'non-7702:on-demand':
      return {
        mode: intent.mode,
        chainBatches: intent.chainBatches.map((batch) => ({
          ...readBatch(batch),
          calls: [readCall(batch.call)],
          hash: null,
        })),
      }
    case 'non-7702:presign':
      return {
        mode: intent.mode,
        chainBatches: intent.chainBatches.map((batch) => ({
          ...readBatch(batch),
          calls: [readCall(batch.call)],
          hash: null,
        })),
        callSignatures: intent.chainBatches.map((batch) => lower(batch.call.signature)),
      }
  }
}

export function readAuthorization(authorization: wire.ChainAuthorization): ChainAuthorization {
  return {
    address: lower(authorization.address),
    chainId: authorization.chainId,
    nonce: authorization.nonce,
    r: word(authorization.r),
    s: word(authorization.s),
    yParity: authorization.yParity ?? 0,
  }
}

/** A token field; everywhere else an address is just put in lower case. */
export function readToken(token: Address): Address {
  const address = lower(token)
  return nativeSynonyms.has(address) ? nativeToken : address
}

export function lower<T extends Hex>(hex: T): T {
  return hex.toLowerCase() as T
}

function readBatch(batch: { chainId: number; tokenTransfers: wire.TokenTransfer[] }) {
  return { chainId: batch.chainId, tokenTransfers: batch.tokenTransfers.map(readTransfer) }
}

function readTransfer({ from, to, token, amount }: wire.TokenTransfer): TokenTransfer {
  return {
    from: from === 'solver' ? from : lower(from),
    to: lower(to),
    token: readToken(token),
    amount: BigInt(amount),
  }
}

export function readCall({ to, value, data }: wire.Call): Call {
  return { to: lower(to), value: BigInt(value), data: lower(data) }
}

/** A word of 32 bytes in all its digits; some libraries leave leading zeros out. */
function word(hex: Hex): Hex {
  return `0x${hex.slice(2).toLowerCase().padStart(64, '0')}`
}
