import type { Address, Hash, Hex } from 'viem'

/**
 * `7702`: through the user's delegated account. On-demand: the user pays first, the solver
 * fulfils. Presign: schema only.
 */
export type Mode = '7702' | 'non-7702:on-demand' | 'non-7702:presign'

/** How a `7702` intent was signed; see `sdk/src/signing.ts` for both digests. */
export type SignatureType = 'ecdsa' | 'eip712'

/** The five words that steps, intents and actions share. */
export type Status = 'created' | 'executing' | 'success' | 'reverted' | 'error'

/** Who a transfer comes from: an account, or the solver out of its vault. */
type TransferSource = Address | 'solver'

/** The native currency's place among token addresses. */
export const nativeToken: Address = '0x0000000000000000000000000000000000000000'

/** Addresses are lower case throughout the service; the API shows them in EIP-55 form. */
export type TokenTransfer = {
  from: TransferSource
  to: Address
  /** `nativeToken` for the native currency. */
  token: Address
  /** In the token's smallest unit. */
  amount: bigint
}

export type Call = { to: Address; value: bigint; data: Hex }

/** One chain's part of an intent; carried out as one step. */
export type ChainBatch = {
  chainId: number
  tokenTransfers: TokenTransfer[]
  /** One call in the non-7702 modes. */
  calls: Call[]
  /** Mode `7702`: what the signature covers of this batch. Null in the other modes. */
  hash: Hash | null
}

/** An EIP-7702 tuple signed by the user. */
export type ChainAuthorization = {
  /** The delegate contract. */
  address: Address
  chainId: number
  nonce: number
  r: Hex
  s: Hex
  yParity: number
}

export type Intent =
  | {
      mode: '7702'
      signatureType: SignatureType
      /** 65 bytes r, s, v. Never leaves the service but to the chain. */
      signature: Hex
      /** Unix seconds, inclusive; 0 means at once. */
      nbf: number
      /** Unix seconds, inclusive. */
      exp: number
      /** What the signature signs; see `intentDigest`. */
      digest: Hash
      chainBatches: ChainBatch[]
    }
  | { mode: 'non-7702:on-demand'; chainBatches: ChainBatch[] }
  | {
      mode: 'non-7702:presign'
      chainBatches: ChainBatch[]
      /** One per batch, in order: the user's presigned transaction. Never leaves the service. */
      callSignatures: Hex[]
    }

export type SignedIntent = Extract<Intent, { mode: '7702' }>

export type Action = {
  actionId: string
  user: Address
  chainAuthorizations: ChainAuthorization[]
  intents: Intent[]
}

/** A step's place: the batch's position in its intent, and the intent's in its action. */
export type StepRef = { actionId: string; intentIndex: number; stepIndex: number }

/** A step in one of its attempts, such as `3`, or `3.1` once a reorganisation has opened that one again. */
export type StepAttempt = { ref: StepRef; attempt: string }

export function isSameStep(a: StepRef, b: StepRef): boolean {
  return a.actionId === b.actionId && a.intentIndex === b.intentIndex && a.stepIndex === b.stepIndex
}

/** A step's place as one word, by which to look it up. */
export function nameOfStep({ actionId, intentIndex, stepIndex }: StepRef): string {
  return `${actionId}/${intentIndex}/${stepIndex}`
}

/** The account that a 7702 step runs on, which one step at a time may have: its user's, on its chain. */
export function accountOf({ view, user }: { view: { chainId: number }; user: Address }): string {
  return `${view.chainId}:${user}`
}

/** The actions that these steps are of, each once. */
export function actionsOf(steps: readonly { ref: StepRef }[]): Set<string> {
  return new Set(steps.map(({ ref }) => ref.actionId))
}
