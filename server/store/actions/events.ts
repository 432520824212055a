import type { Hash } from 'viem'
import type { StepEvent, StepView } from '../../domain/views.js'
import type { Database, Transaction } from '../connection/database.js'
import type { ActionRow, EventRow } from '../rows.js'

/** The events of an action after the one with the sequence number `after`, oldest first. */
export async function readEvents(
  database: Database,
  actionId: string,
  after: number,
  limit: number,
): Promise<StepEvent[]> {
  const rows = await database
    .knex<EventRow>('events')
    .where({ action_id: actionId })
    .where('sequence', '>', after)
    .orderBy('sequence')
    .limit(limit)
    .select('sequence', 'step')
  return rows.map((row) => {
    const { traceparent, ...step } = stepIn(row)
    return { sequence: row.sequence, step, traceparent }
  })
}

/** A step as it was seen with a transaction. */
export type StepSeen = StepView & { transactionHash: Hash }

/**
 * The steps of an action as those of its events have told of them that name a transaction. The database leaves out the
 * others: a step that fails before anything is sent may be asked for without end, and each time adds two.
 */
export async function readStepsSeen(trx: Transaction, actionId: string): Promise<StepSeen[]> {
  const rows = await trx<EventRow>('events')
    .where({ action_id: actionId })
    .where('step', 'like', '%"transactionHash":"0x%')
    .select('step')
  return rows.map(stepIn).filter((step): step is ReturnType<typeof stepIn> & StepSeen => step.transactionHash !== null)
}

function stepIn({ step }: Pick<EventRow, 'step'>) {
  return JSON.parse(step) as StepView & { traceparent: string | null }
}

/**
 * How many events an action has, and whether any of its steps is under way, both by one statement: with two, a step
 * that ends between them would seem to have no event left to tell of. Null: no such action.
 */
export async function readProgress(
  database: Database,
  actionId: string,
): Promise<{ status: ActionRow['status']; events: number; isMoving: boolean } | null> {
  const [action] = await database.select<Pick<ActionRow, 'status' | 'event_count'> & { moving: number }>(
    'SELECT status, event_count, ' +
      'EXISTS (SELECT 1 FROM steps WHERE steps.action_id = actions.id AND steps.status = ?) AS moving ' +
      'FROM actions WHERE id = ?',
    ['executing', actionId],
  )
  return action ? { status: action.status, events: action.event_count, isMoving: Boolean(action.moving) } : null
}

/** How many events each of these actions has. */
export async function readEventCounts(database: Database, actionIds: readonly string[]): Promise<[string, number][]> {
  const rows = await database.knex<ActionRow>('actions').whereIn('id', actionIds).select('id', 'event_count')
  return rows.map((row) => [row.id, row.event_count])
}
