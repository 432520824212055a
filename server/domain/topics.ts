import type { AirdropKey } from './airdrop.js'

/** What requests wait on, and what is told to them when it has changed. For steps it is their action's id. */

export function depositTopic(id: number): string {
  return `deposit:${id}`
}

export function airdropTopic({ chainId, token, wallet }: AirdropKey): string {
  return `airdrop:${chainId}:${token}:${wallet}`
}
