import { expect } from 'chai'
import { createPace } from '../../server/chain/nodes/pace.js'
import { until } from '../support/until.js'

describe('the pace at which a node is asked', () => {
  /** Work that ends when it is told to, as told. */
  function crowd() {
    const clock = { ms: 0 }
    const inTurn = createPace({ refuse: () => new Error('sent away'), now: () => clock.ms })
    const begun: { succeed: () => void; fail: () => void }[] = []
    const ends: Promise<string>[] = []
    const come = (count: number) => {
      for (let index = 0; index < count; index++) {
        const work = () =>
          new Promise<string>((resolve, reject) =>
            begun.push({ succeed: () => resolve('done'), fail: () => reject(new Error('failed')) }),
          )
        ends.push(inTurn(work).catch((error: Error) => error.message))
      }
    }
    return { come, begun, ends, clock }
  }

  it('is as high as it may be until something fails', async () => {
    const { come, begun } = crowd()
    come(30)
    await until(() => begun.length === 20, 'the first')
    begun[0]!.succeed()
    await until(() => begun.length === 21, 'one in its place')
  })

  it('falls to a half with what fails, never to nothing, and rises with what is quick', async () => {
    const { come, begun, ends, clock } = crowd()
    come(40)
    await until(() => begun.length === 20, 'the first')
    for (const work of begun.slice(0, 20)) work.fail()
    expect(await Promise.all(ends.slice(0, 20))).to.deep.equal(Array(20).fill('failed'))
    await until(() => begun.length === 21, 'one at a time')
    begun[20]!.fail()
    await until(() => begun.length === 22, 'the next')
    begun[21]!.succeed()
    await until(() => begun.length === 24, 'two at a time')
    clock.ms = 500
    begun[22]!.succeed()
    begun[23]!.succeed()
    await until(() => begun.length === 26, 'still two at a time, since these were slow')
    clock.ms = 999
    begun[24]!.succeed()
    await until(() => begun.length === 28, 'three at a time')
  })

  it('sends away who has waited too long, and lets the others in', async function () {
    this.timeout(10_000)
    const { come, begun, ends } = crowd()
    come(22)
    expect(await Promise.all(ends.slice(20))).to.deep.equal(['sent away', 'sent away'])
    come(1)
    begun[0]!.succeed()
    await until(() => begun.length === 21, 'who came last')
  })
})
