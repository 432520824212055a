import type { OperationId } from './handlerTypes.js'

const probes: ReadonlySet<OperationId> = new Set(['getHealth', 'getLiveness', 'getReadiness'])

/**
 * Whether the operation is a probe, which is asked every few seconds by whatever decides if the process lives. So it is
 * answered however many other requests wait, counts against no rate limit, and is left out of the log at level `info`.
 */
export function isProbe(operationId: OperationId): boolean {
  return probes.has(operationId)
}

/**
 * What a read asks the database for: nothing, as its answer is kept in memory; by a
 * statement of many reads; or by its own.
 */
export type ReadKind = 'kept' | 'shared' | 'own'

const kindsOfReads: Partial<Record<OperationId, ReadKind>> = {
  listChains: 'kept',
  getOpenapiYaml: 'kept',
  getOpenapiJson: 'kept',
  getDocs: 'kept',
  getExplorer: 'kept',
  getExplorerAction: 'kept',
  getStep: 'shared',
}

export function kindOfRead(operationId: OperationId): ReadKind {
  return kindsOfReads[operationId] ?? 'own'
}

/** The operations that give the engine work; drain mode refuses them. */
export const startsWork: ReadonlySet<OperationId> = new Set([
  'createAction',
  'executeStep',
  'recordDeposit',
  'requestAirdrop',
  'submitTransaction',
])

/** What costs more than one point of the rate limit: signatures to check, rows to write, transactions to send. */
const costs: Partial<Record<OperationId, number>> = {
  createAction: 5,
  submitTransaction: 5,
  executeStep: 3,
  recordDeposit: 3,
  requestAirdrop: 5,
}

/** How many points a request takes from the share of each client or user that it counts against. */
export function costOf(operationId: OperationId): number {
  return costs[operationId] ?? 1
}
