import { expect } from 'chai'
import type { Action, Step } from '../../../server/api/generated/types.gen.js'
import { exchange, post } from '../../fuzz/wire.js'
import { type Api, createApi, type Reply } from '../../support/api.js'
import { randomOf } from '../../support/random.js'
import { until } from '../../support/until.js'
import { load } from './loadWorld.js'
import type { End, Plan, PlannedStep } from './scene.js'

/** The steps of one user wait for each other, and one user has many. */
const stepMs = 60_000 + load.actions * 400

export type GoodClient = ReturnType<typeof createGoodClient>

/**
 * Has actions carried out as clients do who are in a hurry: they ask several times at once, for steps out of their
 * order too, wait long or not at all, hang up, and follow by events or by looking again and again.
 */
export function createGoodClient(url: string) {
  const api = createApi(url)
  /** What ended as it has to, by its word. */
  const ended = new Map<string, number>()
  const identifiers: string[] = []
  /** How long the whole of an action took its client, by its shape, the longest, in ms. */
  const took = new Map<string, number>()

  return { ended, identifiers, took, carryOut }

  async function carryOut(plan: Plan): Promise<void> {
    const random = randomOf(load.seed, `client:${plan.name}`)
    const startedAt = performance.now()
    if (plan.deposit) await record(api, plan)
    const actionId = await create(plan, 1 + random.below(3))
    identifiers.push(actionId)
    const last = plan.steps.at(-1)!
    if (last.stepIndex > 0 && random.chance(0.5)) await askTooEarly(actionId, last)
    const waits = random.pick(['none', 'short', 'long'] as const)
    // An action of which a step is never carried out has no last event.
    const hasEnd = plan.steps.length === stepsOf(plan) && plan.steps.every(({ ends }) => ends.every(isSuccess))
    const follows = hasEnd && random.chance(0.2) ? followEvents(url, actionId) : null
    for (const step of plan.steps) {
      if (random.chance(0.1)) await hangUp(actionId, step)
      const times = random.pick([1, 1, 2, 4])
      const seconds = { none: 0, short: 1, long: 20 }[waits]
      const replies = await Promise.all(Array.from({ length: times }, () => ask(actionId, step, seconds)))
      for (const reply of replies) judgeAnswer(plan, step, reply)
      if (random.chance(0.3)) await api.get(pathOf(actionId, step))
    }
    await Promise.all(plan.steps.map((step) => untilEnded(plan, actionId, step)))
    await follows
    const action = (await api.get(`/actions/${actionId}`)).body as Action
    for (const step of plan.steps) {
      const found = action.intents[step.intentIndex]!.steps[step.stepIndex]!
      judgeEnd(plan, step, found)
      ended.set(found.status, (ended.get(found.status) ?? 0) + 1)
    }
    took.set(plan.shape, Math.max(took.get(plan.shape) ?? 0, Math.round(performance.now() - startedAt)))
  }

  /** The same request several times at once makes one action. */
  async function create(plan: Plan, times: number): Promise<string> {
    const headers = { 'idempotency-key': `load-${plan.name}` }
    const replies = await Promise.all(Array.from({ length: times }, () => api.post('/actions', plan.action, headers)))
    for (const { status, body } of replies) expect(status, `${plan.name}: ${JSON.stringify(body)}`).to.equal(201)
    const ids = new Set(replies.map(({ body }) => body.actionId as string))
    expect(ids.size, `${plan.name}: one action for one request`).to.equal(1)
    return [...ids][0]!
  }

  async function askTooEarly(actionId: string, step: PlannedStep): Promise<void> {
    const reply = await ask(actionId, step, 0)
    expect(reply.status).to.equal(400)
    expect(reply.body.error.code).to.equal('previous_step_incomplete')
  }

  function ask(actionId: string, step: PlannedStep, seconds: number): Promise<Reply> {
    return api.post(pathOf(actionId, step), step.order, { prefer: `wait=${seconds}` })
  }

  /** Asks on a connection of its own, and is gone before the answer. */
  async function hangUp(actionId: string, step: PlannedStep): Promise<void> {
    const bytes = post(pathOf(actionId, step), JSON.stringify(step.order ?? {}), { Prefer: 'wait=20' })
    await exchange(url, bytes, { hangUpAfterMs: 5, withinMs: 60_000 })
  }

  async function untilEnded(plan: Plan, actionId: string, step: PlannedStep): Promise<void> {
    const isOver = async () => (await api.get(pathOf(actionId, step))).body.status !== 'executing'
    await until(isOver, `${plan.name} (${plan.shape}, ${actionId}): the end of step ${step.stepIndex}`, stepMs, 200)
  }
}

function stepsOf({ action }: Plan): number {
  return (action.intents as { chainBatches: unknown[] }[]).reduce((sum, intent) => sum + intent.chainBatches.length, 0)
}

function isSuccess({ status }: End): boolean {
  return status === 'success'
}

function pathOf(actionId: string, { intentIndex, stepIndex }: PlannedStep): string {
  return `/actions/${actionId}/intents/${intentIndex}/steps/${stepIndex}`
}

async function record(api: Api, plan: Plan): Promise<void> {
  const isRecorded = async () => {
    const reply = await api.post('/coredeposit', plan.deposit)
    expect(reply.status, JSON.stringify(reply.body)).to.be.oneOf([200, 202])
    return reply.status === 200
  }
  await until(isRecorded, `the deposit of ${plan.name}`, stepMs)
}

/** Reads all of an action's events, to the end that comes by itself. */
async function followEvents(url: string, actionId: string): Promise<void> {
  const response = await fetch(`${url}/actions/${actionId}/events`)
  expect(response.status).to.be.oneOf([200, 204])
  const ids = [...(await response.text()).matchAll(/^id: (\d+)$/gm)].map(([, id]) => Number(id))
  expect(ids, 'gap-free').to.deep.equal(ids.map((_, index) => index + 1))
}

function judgeAnswer(plan: Plan, step: PlannedStep, { status, body }: Reply): void {
  const what = `${plan.name} (${plan.shape}), step ${step.stepIndex}: ${JSON.stringify(body)}`
  if (status === 400) {
    expect(body.error.code, what).to.equal(step.refusal)
    if (step.refusal === 'insufficient_credit') expect(body.error, what).to.include.keys('required', 'available')
    return
  }
  expect(status, what).to.equal(body.status === 'executing' ? 202 : 200)
}

function judgeEnd(plan: Plan, step: PlannedStep, { status, error, ...found }: Step): void {
  const what = `${plan.name} (${plan.shape}), intent ${step.intentIndex}, step ${step.stepIndex}: ${JSON.stringify({ status, error, ...found })}`
  const fits = step.ends.some((end) => end.status === status && (end.code === undefined || end.code === error?.code))
  expect(fits, what).to.equal(true)
}
