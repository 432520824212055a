import type { StepWork } from '../store/actions/steps.js'
import type { EngineTools } from './tools.js'

/**
 * How a visit to a row ended. `moved`: the row got further, which may make others due. `waits`: it is to be looked at
 * again after a while. `postponed`: likewise, and it has been stored already when that is.
 */
export type Visit = { outcome: 'moved' } | { outcome: 'waits'; delayMs: number } | { outcome: 'postponed' }

export const moved: Visit = { outcome: 'moved' }
export const postponed: Visit = { outcome: 'postponed' }

export function waits(delayMs: number): Visit {
  return { outcome: 'waits', delayMs }
}

/**
 * For a step that waits for something that makes it due at once. It looks by itself ever later, by a share of the time
 * since it was asked for, since many steps may wait for the same; and each a little sooner or later, so that those that
 * came together don't come again together.
 */
export function waitsEverLater(
  work: StepWork,
  { soonestMs, latestMs, share }: { soonestMs: number; latestMs: number; share: number },
  tools: Pick<EngineTools, 'now'>,
): Visit {
  const askedForMs = tools.now() - work.view.updatedAt
  return waits(Math.min(latestMs, Math.max(soonestMs, askedForMs * share)) * (0.75 + Math.random() / 2))
}
