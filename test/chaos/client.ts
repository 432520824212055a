import { createApi, type Reply } from '../support/api.js'
import { until } from '../support/until.js'
import type { Plan } from './workload.js'

/** Where services listen at this moment; it changes while some are killed and others start. */
export type Services = () => readonly string[]

/** How long one request may take before it is made again elsewhere. */
const requestMs = 15_000
const pauseMs = 100

/** What a client saw on its way, for the timeline of a run that fails. */
export type Saw = { at: number; name: string; what: string }

export type Client = ReturnType<typeof createClient>

/**
 * A client as good ones are: it repeats what got no answer, at whatever service is there, and asks again for what
 * failed and may be tried again. Anything else that is not a success is thrown.
 */
export function createClient(services: Services, options: { stepMs?: number } = {}) {
  const { stepMs = Number(process.env.CHAOS_STEP_MS ?? 240_000) } = options
  const saw: Saw[] = []
  let turn = 0

  return { saw, carryOut, accept, execute }

  /** Has a plan carried out to its success. */
  async function carryOut(plan: Plan): Promise<void> {
    await accept(plan)
    if (plan.payment) await execute(plan, plan.stepIndex - 1, { action: 'register', hash: plan.payment })
    await execute(plan, plan.stepIndex)
  }

  /** Has the deposit recorded and the action accepted. */
  async function accept(plan: Plan): Promise<void> {
    if (plan.deposit) {
      await repeat(plan, 'the deposit to be recorded', async () => {
        const reply = await ask(plan, 'POST', '/coredeposit', plan.deposit)
        return reply !== null && reply.status === 200
      })
    }
    await repeat(plan, 'the action to be accepted', async () => {
      const reply = await ask(plan, 'POST', '/actions', plan.action, { 'idempotency-key': `chaos-${plan.name}` })
      if (reply === null) return false
      plan.ref = { actionId: reply.body.actionId, intentIndex: 0, stepIndex: plan.stepIndex }
      return true
    })
  }

  /** Asks for a step until it has succeeded. */
  async function execute(plan: Plan, stepIndex: number, body?: unknown): Promise<void> {
    const path = `/actions/${plan.ref!.actionId}/intents/0/steps/${stepIndex}`
    await repeat(plan, `step ${stepIndex} to succeed`, async () => {
      const reply = await ask(plan, 'POST', path, body, { prefer: 'wait=2' })
      if (reply === null) return false
      const { status, error } = reply.body
      if (status === 'success') return true
      if (status === 'executing') return false
      note(plan, `step ${stepIndex} is "${status}": ${error?.code}, ${error?.message}`)
      if (error?.retryable) return false
      throw new Error(`${plan.name} (${plan.ref!.actionId}): step ${stepIndex} ended as ${JSON.stringify(reply.body)}`)
    })
  }

  async function repeat(plan: Plan, what: string, attempt: () => Promise<boolean>): Promise<void> {
    const whose = plan.ref ? `${plan.name} (${plan.ref.actionId})` : plan.name
    await until(attempt, `${what}: ${whose}`, stepMs, pauseMs)
  }

  /** Null: no answer, or one that says "not now". */
  async function ask(
    plan: Plan,
    method: string,
    path: string,
    body: unknown,
    headers: Record<string, string> = {},
  ): Promise<Reply | null> {
    const urls = services()
    if (urls.length === 0) return null
    const url = urls[turn++ % urls.length]!
    let timer: NodeJS.Timeout | undefined
    const tooLate = new Promise<null>((resolve) => {
      timer = setTimeout(() => resolve(null), requestMs)
    })
    const asked = createApi(url)
      .request(method, path, body, headers)
      .catch((error: unknown) => {
        // The connection has ended, or there was none; anything else is an answer outside the spec.
        if (!/^(UND_ERR_|ECONN|EPIPE)/.test(String((error as { code?: unknown }).code))) throw error
        return null
      })
    try {
      const reply = await Promise.race([asked, tooLate])
      if (reply === null || reply.status >= 500 || reply.status === 429) {
        note(plan, `${method} ${path}: ${reply ? `${reply.status} ${JSON.stringify(reply.body)}` : 'no answer'}`)
        if (reply?.status === 500) throw new Error(`${plan.name}: ${path} answered 500`)
        return null
      }
      if (reply.status >= 400) throw new Error(`${plan.name}: ${path} answered ${JSON.stringify(reply.body)}`)
      return reply
    } finally {
      clearTimeout(timer)
    }
  }

  function note(plan: Plan, what: string): void {
    saw.push({ at: Date.now(), name: plan.name, what })
  }
}

/** Does something for every item, a few at a time, and throws all that failed together. */
export async function inParallel<T>(items: readonly T[], atOnce: number, work: (item: T) => Promise<void>) {
  const failures: unknown[] = []
  let next = 0
  const lane = async () => {
    while (next < items.length && failures.length === 0) {
      await work(items[next++]!).catch((error: unknown) => failures.push(error))
    }
  }
  await Promise.all(Array.from({ length: atOnce }, lane))
  if (failures.length > 0) throw failures[0]
}
