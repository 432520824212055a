import type { OperationId } from './handlers.js'

const probes: ReadonlySet<OperationId> = new Set(['getHealth', 'getLiveness', 'getReadiness'])

/**
 * Whether the operation is a probe: asked every few seconds, by what decides whether the process lives. So it is answered
 * however many other requests wait, counts against no rate limit, and does not crowd the log.
 */
export function isProbe(operationId: OperationId): boolean {
  return probes.has(operationId)
}

/** The operations that give the engine work; drain mode refuses them. */
export const startsWork: ReadonlySet<OperationId> = new Set([
  'createAction',
  'executeStep',
  'recordDeposit',
  'requestAirdrop',
  'submitTransaction',
])

/** Operations that cost more than one point of a rate limit: signatures to check, rows to write, transactions to send. */
const costs: Partial<Record<OperationId, number>> = {
  createAction: 5,
  submitTransaction: 5,
  executeStep: 3,
  recordDeposit: 3,
  requestAirdrop: 5,
}

/** How many points a request takes from the rate limit of each client or user that it counts against. */
export function costOf(operationId: OperationId): number {
  return costs[operationId] ?? 1
}
