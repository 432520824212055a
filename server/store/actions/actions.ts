import type { Knex } from 'knex'
import type { Address, Hash } from 'viem'
import type { Status } from '../../domain/action.js'
import { readAmounts } from '../../domain/amountsJson.js'
import { statusOf } from '../../domain/status.js'
import type { ActionView, BatchView, IntentView } from '../../domain/views.js'
import { groupBy } from '../../lists/groupBy.js'
import type { Database } from '../connection/database.js'
import { type ActionRow, type IntentRow, type StepRow, stepViewColumns, toStepView } from '../rows.js'

export async function readAction(database: Database, actionId: string): Promise<ActionView | null> {
  const [action, intents, steps] = await Promise.all([
    database.knex<ActionRow>('actions').where({ id: actionId }).first(),
    database
      .knex<IntentRow>('intents')
      .where({ action_id: actionId })
      .orderBy('intent_index')
      .select(...intentColumns),
    database
      .knex<StepRow>('steps')
      .where({ action_id: actionId })
      .orderBy(['intent_index', 'step_index'])
      .select(...stepViewColumns),
  ])
  return action ? toActionView(action, intents, steps) : null
}

/** Which actions to list. Null: whatever the user, status or transaction. */
type ActionFilter = { user: Address | null; status: Status | null; transactionHash: Hash | null }
/** `before`: the id of the last action of the page before; null: from the newest on. */
type Page = ActionFilter & { before: string | null; limit: number }

/** How long a page's batches and steps may be together, in characters; a page has at least one action, however long. */
const mostOnPage = 1_000_000
/** About how long a step is in a reply, in characters. */
const lengthOfStep = 400
/**
 * How many actions of a page are read first; the next are as many as fit if they are no larger than those on average.
 */
const readFirst = 5

/**
 * Actions newest first: by id, which sorts by time. A page has fewer than `limit` where there are no more actions, or
 * where they are large.
 */
export async function listActions(
  database: Database,
  filter: Page,
): Promise<{ actions: ActionView[]; hasMore: boolean }> {
  return database.snapshot((reader) => readPage(reader, database, filter))
}

/** Reads all of a page as of one moment, so that an action found by its status still has it when its steps are read. */
async function readPage(
  reader: Knex,
  database: Database,
  filter: Page,
): Promise<{ actions: ActionView[]; hasMore: boolean }> {
  const rows = await listed(reader, database, filter)
  const onPage = rows.slice(0, filter.limit)
  const actions: ActionView[] = []
  let length = 0
  let next = readFirst
  for (let read = 0; read < onPage.length;) {
    const part = onPage.slice(read, read + next)
    const ids = part.map(({ id }) => id)
    const [intents, steps] = await Promise.all([
      reader<IntentRow>('intents')
        .whereIn('action_id', ids)
        .orderBy('intent_index')
        .select(...intentColumns),
      reader<StepRow>('steps')
        .whereIn('action_id', ids)
        .orderBy(['intent_index', 'step_index'])
        .select(...stepViewColumns),
    ])
    const [intentsOf, stepsOf] = [groupBy(intents, actionIdOf), groupBy(steps, actionIdOf)]
    for (const action of part) {
      const itsIntents = intentsOf.get(action.id) ?? []
      const itsSteps = stepsOf.get(action.id) ?? []
      length += itsIntents.reduce((sum, { batches }) => sum + batches.length, lengthOfStep * itsSteps.length)
      if (length > mostOnPage && actions.length > 0) return { actions, hasMore: true }
      actions.push(toActionView(action, itsIntents, itsSteps))
    }
    read += part.length
    next = Math.max(1, Math.floor((read * (mostOnPage - length)) / length))
  }
  return { actions, hasMore: rows.length > onPage.length }
}

function actionIdOf({ action_id }: { action_id: string }): string {
  return action_id
}

const actionColumns = ['id', 'user', 'created_at', 'updated_at'] as const

/** The actions of a page, and one more where there is one. */
async function listed(
  reader: Knex,
  database: Database,
  filter: Page,
): Promise<Pick<ActionRow, (typeof actionColumns)[number]>[]> {
  const { transactionHash } = filter
  if (transactionHash === null) return inOrder(reader, database, filter)
  const ids = await idsOf(reader, database, { ...filter, transactionHash })
  if (ids.length === 0) return []
  return reader<ActionRow>('actions')
    .whereIn('id', ids)
    .orderBy('id', 'desc')
    .select(...actionColumns)
}

/**
 * By the index that has them in their order. MariaDB would by itself read all actions of a user or a status, newest
 * first, and throw away those before the page.
 */
async function inOrder(reader: Knex, database: Database, { user, status, before, limit }: Page) {
  const columns = [...(user === null ? [] : ['user']), ...(status === null ? [] : ['status'])]
  const table =
    columns.length === 0 ? 'actions' : database.by('actions', ['actions', ...columns, 'id', 'index'].join('_'))
  const query = reader<ActionRow>(table)
    .orderBy('id', 'desc')
    .limit(limit + 1)
  if (user !== null) void query.where({ user })
  if (status !== null) void query.where({ status })
  if (before !== null) void query.where('id', '<', before)
  return query.select(...actionColumns)
}

/**
 * The ids of the actions of a page and one more, among those that a transaction has to do with. Anyone may have his
 * actions name any hash, so they too are read in their order, and no further than the page goes.
 */
async function idsOf(
  reader: Knex,
  database: Database,
  { user, status, transactionHash, before, limit }: Page & { transactionHash: Hash },
): Promise<string[]> {
  const query = reader<StepRow>(database.by('steps', 'steps_transaction_hash_action_id_user_index'))
    .where({ transaction_hash: transactionHash })
    .groupBy('action_id')
    .orderBy('action_id', 'desc')
    .limit(limit + 1)
  if (user !== null) void query.where({ user })
  if (before !== null) void query.where('action_id', '<', before)
  if (status !== null) {
    void query.whereExists(reader<ActionRow>('actions').where({ status }).whereRaw('actions.id = steps.action_id'))
  }
  return (await query.select('action_id')).map(actionIdOf)
}

/** The intent that carries this signature, by the signature's keccak256. */
export async function findIntentBySignature(
  database: Database,
  signatureHash: Hash,
): Promise<{ actionId: string; intentIndex: number } | null> {
  const row = await database
    .knex<IntentRow>('intents')
    .where({ signature_hash: signatureHash })
    .first('action_id', 'intent_index')
  return row ? { actionId: row.action_id, intentIndex: row.intent_index } : null
}

export async function readIntent(
  database: Database,
  actionId: string,
  intentIndex: number,
): Promise<IntentView | null> {
  const key = { action_id: actionId, intent_index: intentIndex }
  const [intent, steps] = await Promise.all([
    database
      .knex<IntentRow>('intents')
      .where(key)
      .first(...intentColumns),
    database
      .knex<StepRow>('steps')
      .where(key)
      .orderBy('step_index')
      .select(...stepViewColumns),
  ])
  return intent ? toIntentView(intent, steps) : null
}

const intentColumns = ['action_id', 'intent_index', 'mode', 'batches', 'created_at', 'updated_at'] as const

type IntentColumns = Pick<IntentRow, (typeof intentColumns)[number]>
type StepColumns = Pick<StepRow, (typeof stepViewColumns)[number]>

/**
 * The statuses of action and intents are derived from the steps in the same reply: the stored ones may be a moment
 * older or newer than the steps, which are read by a statement of their own.
 */
function toActionView(
  action: Pick<ActionRow, 'id' | 'user' | 'created_at' | 'updated_at'>,
  intents: IntentColumns[],
  steps: StepColumns[],
): ActionView {
  const views = intents.map((intent) =>
    toIntentView(
      intent,
      steps.filter((step) => step.intent_index === intent.intent_index),
    ),
  )
  return {
    actionId: action.id,
    user: action.user,
    status: statusOf(views.map(({ status }) => status)),
    intents: views,
    createdAt: action.created_at,
    updatedAt: action.updated_at,
  }
}

function toIntentView(row: IntentColumns, steps: StepColumns[]): IntentView {
  return {
    actionId: row.action_id,
    intentIndex: row.intent_index,
    mode: row.mode,
    status: statusOf(steps.map(({ status }) => status)),
    chainBatches: readAmounts(row.batches) as BatchView[],
    steps: steps.map(toStepView),
    createdAt: row.created_at,
    updatedAt: row.updated_at,
  }
}
