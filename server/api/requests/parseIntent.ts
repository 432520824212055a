import type { Hex } from 'viem'
import { readToken } from '../../../sdk/src/readToken.js'
import type { Call, ChainAuthorization, TokenTransfer } from '../../domain/action.js'
import type { UnverifiedIntent } from '../../services/checkAction.js'
import type * as wire from '../generated/types.gen.js'
import { lower } from './lower.js'

/** An intent of a request as the service knows it: lower case, `bigint`, one name for the native currency. */
export function parseIntent(intent: wire.IntentRequest): UnverifiedIntent {
  switch (intent.mode) {
    case '7702':
      return {
        mode: intent.mode,
        signatureType: intent.signatureType,
        signature: lower(intent.signature),
        nbf: intent.nbf,
        exp: intent.exp,
        chainBatches: intent.chainBatches.map((batch) => ({
          ...parseBatch(batch),
          calls: batch.calls.map(parseCall),
          hash: lower(batch.hash),
        })),
      }
    case 'non-7702:on-demand':
      return { mode: intent.mode, chainBatches: intent.chainBatches.map(parseUsersBatch) }
    case 'non-7702:presign':
      return {
        mode: intent.mode,
        chainBatches: intent.chainBatches.map(parseUsersBatch),
        callSignatures: intent.chainBatches.map((batch) => lower(batch.call.signature)),
      }
  }
}

export function parseAuthorization(authorization: wire.ChainAuthorization): ChainAuthorization {
  return {
    address: lower(authorization.address),
    chainId: authorization.chainId,
    nonce: authorization.nonce,
    r: word(authorization.r),
    s: word(authorization.s),
    yParity: authorization.yParity ?? 0,
  }
}

function parseBatch(batch: { chainId: number; tokenTransfers: wire.TokenTransfer[] }) {
  return { chainId: batch.chainId, tokenTransfers: batch.tokenTransfers.map(parseTransfer) }
}

/** A batch whose one call the user sends by himself. */
function parseUsersBatch(batch: { chainId: number; tokenTransfers: wire.TokenTransfer[]; call: wire.Call }) {
  return { ...parseBatch(batch), calls: [parseCall(batch.call)], hash: null }
}

function parseTransfer({ from, to, token, amount }: wire.TokenTransfer): TokenTransfer {
  return {
    from: from === 'solver' ? from : lower(from),
    to: lower(to),
    token: readToken(token),
    amount: BigInt(amount),
  }
}

export function parseCall({ to, value, data }: wire.Call): Call {
  return { to: lower(to), value: BigInt(value), data: lower(data) }
}

/** A word of 32 bytes in all its digits; some libraries leave leading zeros out. */
function word(hex: Hex): Hex {
  return `0x${hex.slice(2).toLowerCase().padStart(64, '0')}`
}
