/** What a node's answer to a raw transaction means. */
export type SendKind =
  /** The node has taken it. */
  | 'accepted'
  /** The node had it already. */
  | 'known'
  /** Its nonce is used up. */
  | 'consumed'
  /** Another transaction holds its nonce and pays as much. */
  | 'slotTaken'
  /** Anything else that a node may say: it may be sent. */
  | 'ambiguous'
  /** One node says `authorityBusy`, and another may have taken it. */
  | 'perhapsBusy'
  /** Pending transactions of a user whose authorization it carries keep it out. */
  | 'authorityBusy'
  /** The node refuses it for now, since its signer can't pay for it. */
  | 'unfunded'
  /** The node refuses it for all that it may cost, which is more than the node's own cap. */
  | 'overFeeCap'
  /** A node refuses it for all that it may cost, and of others it is not known whether they have it. */
  | 'perhapsOverFeeCap'
  /** The node refuses it for now, for anything else. */
  | 'notPooled'
  /** No chain state can make it valid. */
  | 'dead'

/**
 * What the journal notes of the last send of a transaction. `overFeeCap`, or that it is so perhaps, stands also where
 * nodes have a cheaper form by now than the newest, which they refuse.
 */
export type NotedSend = SendKind

/** Whether a node refuses a transaction for all that it may cost, while none is known to have it. */
export function isRefusedForCost(kind: SendKind | null): kind is 'overFeeCap' | 'perhapsOverFeeCap' {
  return kind === 'overFeeCap' || kind === 'perhapsOverFeeCap'
}
