import { expect } from 'chai'
import { readStepsSeen } from '../../../server/store/actions/events.js'
import { changeStep } from '../../../server/store/actions/stepChange.js'
import type { Database } from '../../../server/store/connection/database.js'
import type { Store } from '../../../server/store/store.js'
import { aNewAction, aSignedIntent, randomAddress, randomHash, stepOf } from '../../support/builders.js'
import { useStore } from '../useStore.js'

describe('the steps of an action as they were seen with a transaction', () => {
  let database: Database
  let store: Store

  useStore((fresh) => {
    ;({ database, store } = fresh)
  })

  it('are all that an answer has to hold, however often a step has failed before anything was sent', async () => {
    const entry = aNewAction({ user: randomAddress(), intents: [aSignedIntent()] })
    await store.insertAction(entry)
    const ref = stepOf(entry, 0, 0)
    const hash = randomHash()
    // A message may say what it likes; of JSON within it the quotes are escaped.
    const error = { code: 'intent_not_yet_valid', message: '"transactionHash":"0x1"', retryable: true } as const
    const changes = [
      { status: 'error', error },
      { status: 'executing', error: null },
      { transaction_hash: hash },
      { transaction_hash: null },
      { status: 'error', error },
    ] as const
    for (const change of changes) await database.transact((trx) => changeStep(trx, ref, change, Date.now()))
    const parsed: string[] = []
    const { parse } = JSON
    JSON.parse = (text: string) => {
      parsed.push(text)
      return parse(text) as unknown
    }
    const seen = await database
      .transact((trx) => readStepsSeen(trx, ref.actionId))
      .finally(() => {
        JSON.parse = parse
      })
    expect(parsed, 'read in this process').to.have.length(1)
    expect(seen.map(({ transactionHash }) => transactionHash)).to.deep.equal([hash])
    expect((await store.readEvents(ref.actionId, 0, 10)).length).to.be.greaterThan(3)
  })
})
