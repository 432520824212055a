import { expect } from 'chai'
import type { StepEvent } from '../../server/domain/views.js'
import { createEvents } from '../../server/services/events.js'
import type { Database } from '../../server/store/connection/database.js'
import { isOutage } from '../../server/store/connection/databaseErrors.js'
import type { Store } from '../../server/store/store.js'
import { aStepRequest } from '../support/aStepRequest.js'
import { useStore } from '../store/useStore.js'
import { aNewAction, aSignedIntent, stepOf } from '../support/builders.js'
import { pause } from '../support/pause.js'
import { until } from '../support/until.js'

describe('the events of an action, while its database is away', () => {
  let store: Store
  let database: Database
  useStore((fresh) => ({ store, database } = fresh))

  /** Follows a new action, on a store that fails with what `fault` gives, as long as it gives something. */
  async function follow(fault: () => Error | null) {
    const entry = aNewAction({ intents: [aSignedIntent()] })
    await store.insertAction(entry)
    const ref = stepOf(entry, 0, 0)
    let refused = 0
    const failing =
      <Args extends unknown[], T>(read: (...args: Args) => Promise<T>) =>
      async (...args: Args): Promise<T> => {
        const error = fault()
        if (!error) return read(...args)
        refused++
        throw error
      }
    const service = createEvents({
      store: {
        ...store,
        readProgress: failing(store.readProgress),
        readEvents: failing(store.readEvents),
        readEventCounts: failing(store.readEventCounts),
      },
      nextChange: () => pause(10),
      isOutage,
    })
    const gone = new AbortController()
    const told: StepEvent[] = []
    const stream = (await service.follow(ref.actionId, 0, gone.signal))!
    const ended = (async () => {
      for await (const event of stream) told.push(event)
      return 'ended'
    })().catch((error: unknown) => error)
    const order = { action: 'execute', hash: null, signed: false } as const
    const ask = () => store.requestStep(aStepRequest({ ref, order, needs: [] }), Date.now())
    return { ...ref, service, told, ended, gone, ask, refused: () => refused }
  }

  const lost = () => Object.assign(new Error('read ECONNRESET'), { code: 'ECONNRESET' })

  it('are told once it is back, to whoever has stayed', async () => {
    let isAway = false
    const { told, ended, gone, ask, refused } = await follow(() => (isAway ? lost() : null))
    isAway = true
    await until(() => refused() > 0, 'a look that fails')
    await ask()
    isAway = false
    await until(() => told.length === 1, 'the event')
    expect(told[0]!.step.status).to.equal('executing')
    gone.abort()
    expect(await ended).to.equal('ended')
  })

  it('are waited for no longer than anybody listens', async () => {
    let isAway = false
    const { ended, gone, refused } = await follow(() => (isAway ? lost() : null))
    isAway = true
    await until(() => refused() > 0, 'a look that fails')
    let isOver = false
    void ended.then(() => (isOver = true))
    gone.abort()
    // What waits for a timer is not over by then: the next look is a second away.
    await new Promise((resolve) => setImmediate(resolve))
    expect(isOver).to.equal(true)
    expect(await ended).to.equal('ended')
  })

  it('end where it comes back without what was told, and are told to whoever comes back too', async () => {
    const { actionId, service, told, ended, ask } = await follow(() => null)
    await ask()
    await until(() => told.length === 1, 'the event')
    // As a failover leaves it that has lost the last second.
    await database.knex('events').where({ action_id: actionId }).delete()
    await database.knex('steps').where({ action_id: actionId }).update({ status: 'created', attempts: 0 })
    await database.knex('actions').where({ id: actionId }).update({ event_count: 0, status: 'created' })
    expect(await Promise.race([ended, pause(5_000)])).to.equal('ended')

    const gone = new AbortController()
    const again = (await service.follow(actionId, told[0]!.sequence, gone.signal))![Symbol.asyncIterator]()
    const next = again.next()
    await ask()
    expect((await next).value).to.deep.include({ sequence: 1 })
    gone.abort()
    expect(await again.next()).to.include({ done: true })
  })

  it('break off with what is no outage', async () => {
    let fault: Error | null = null
    const { ended } = await follow(() => fault)
    fault = new Error('a fault of ours')
    expect(await ended).to.equal(fault)
  })
})
