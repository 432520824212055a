import { type Address, concat, type Hex, size, slice } from 'viem'
import type { SignedIntent } from './accountModel.js'
import type { ContractIntent } from './intents.js'

const signatureLength = 65

/** The batches that can run on this chain. */
export const hereOf = ({ batches }: SignedIntent): number[] =>
  batches.flatMap(({ isHere }, index) => (isHere ? [index] : []))

/** The intent with the calls of only some of its batches, as the signature allows it. */
export function strip({ intent }: SignedIntent, carried: number[]): ContractIntent {
  const chainBatches = intent.chainBatches.map((batch, index) =>
    carried.includes(index) ? batch : { ...batch, calls: [] },
  )
  if (intent.signatureType === 'ecdsa') return { ...intent, chainBatches }
  const words = carried.map((index) =>
    slice(intent.signature, signatureLength + 32 * index, signatureLength + 32 * (index + 1)),
  )
  return { ...intent, signature: concat([slice(intent.signature, 0, signatureLength), ...words]), chainBatches }
}

export type Tampering = 'no' | 'signature' | 'calls' | 'exp' | 'type' | 'account'

/** The intent as somebody brings it who wants something else than what was signed. */
export function alter(signed: SignedIntent, carried: number[], tampering: Tampering, otherAccount: Address) {
  const intent = strip(signed, carried)
  const altered: Record<Tampering, () => ContractIntent> = {
    no: () => intent,
    signature: () => ({ ...intent, signature: flipped(intent.signature, 10) }),
    calls: () => ({
      ...intent,
      chainBatches: intent.chainBatches.map((batch) => ({
        ...batch,
        calls: batch.calls.map((call) => ({ ...call, value: call.value + 1n })),
      })),
    }),
    exp: () => ({ ...intent, exp: intent.exp + 1n }),
    type: () => ({ ...intent, signatureType: intent.signatureType === 'ecdsa' ? 'eip712' : 'ecdsa' }),
    account: () => intent,
  }
  const isCovered = tampering === 'calls' ? carried.length > 0 : tampering !== 'no' && tampering !== 'account'
  const account = tampering === 'account' ? otherAccount : (signed.user as Address)
  return { intent: altered[tampering](), isTampered: isCovered, account }
}

function flipped(bytes: Hex, index: number): Hex {
  const byte = Number(slice(bytes, index, index + 1)) ^ 1
  return concat([
    slice(bytes, 0, index),
    `0x${byte.toString(16).padStart(2, '0')}`,
    slice(bytes, index + 1, size(bytes)),
  ])
}
