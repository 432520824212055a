import { expect } from 'chai'
import { inTurn } from '../../sdk/src/inTurn.js'
import { user } from './replies.js'

describe('what is done in a user’s turn', () => {
  /** What runs until it is told to end. */
  function held(order: string[], name: string, signal?: AbortSignal, whose: `0x${string}` = user) {
    let end = () => {}
    const ends = new Promise<void>((resolve) => (end = resolve))
    const done = inTurn(whose, signal, async () => {
      order.push(name)
      await ends
      return name
    })
    return { done, end }
  }

  const settle = () => new Promise((resolve) => setImmediate(resolve))

  it('begins when what came before it is over, however that ended, and waits for nobody else’s', async () => {
    const order: string[] = []
    const failing = inTurn(user, undefined, async () => {
      order.push('first')
      await settle()
      throw new RangeError('no')
    })
    const second = held(order, 'second', undefined, user.toLowerCase() as `0x${string}`)
    const others = held(order, 'another user’s', undefined, `0x${'11'.repeat(20)}`)
    others.end()
    expect(await others.done).to.equal('another user’s')
    expect(order).to.deep.equal(['first', 'another user’s'])
    expect(await failing.catch((error: unknown) => error)).to.be.instanceOf(RangeError)
    second.end()
    expect(await second.done).to.equal('second')
    expect(order.at(-1)).to.equal('second')
  })

  it('is not done once it is aborted, and then lets nobody in who came after it', async () => {
    const order: string[] = []
    const first = held(order, 'first')
    const controller = new AbortController()
    const second = held(order, 'second', controller.signal)
    const third = held(order, 'third')
    controller.abort(new RangeError('enough'))
    expect(await second.done.catch((error: unknown) => error)).to.equal(controller.signal.reason)
    await settle()
    expect(order).to.deep.equal(['first'])
    first.end()
    third.end()
    expect(await third.done).to.equal('third')
    expect(order).to.deep.equal(['first', 'third'])
  })

  it('leaves nothing behind', async () => {
    const key = `0x${'22'.repeat(20)}` as const
    const keepers = new Set<Map<unknown, unknown>>()
    const { set } = Map.prototype
    Map.prototype.set = function (name, value) {
      if (name === key) keepers.add(this)
      return set.call(this, name, value)
    }
    try {
      const turns = ['first', 'second', 'third'].map((name) => held([], name, undefined, key))
      for (const { end, done } of turns) {
        expect([...keepers].map((keeper) => keeper.has(key))).to.deep.equal([true])
        end()
        await done
      }
    } finally {
      Map.prototype.set = set
    }
    await settle()
    expect([...keepers].map((keeper) => keeper.has(key))).to.deep.equal([false])
  })
})
