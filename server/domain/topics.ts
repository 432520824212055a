import type { AirdropKey } from './airdrop.js'

/**
 * Names of what requests wait for; whoever changes it tells its topic
 * (`services/changes.ts`). Steps: their action's id.
 */

export function depositTopic(id: number): string {
  return `deposit:${id}`
}

export function airdropTopic({ chainId, token, wallet }: AirdropKey): string {
  return `airdrop:${chainId}:${token}:${wallet}`
}
