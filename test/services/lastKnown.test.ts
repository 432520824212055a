import { mock } from 'node:test'
import { expect } from 'chai'
import { createLastKnown } from '../../server/services/lastKnown.js'

describe('what was last known of something slow', () => {
  /** A clock that is set by hand, and looks that end when they are told to. */
  function scene() {
    let now = 0
    const looks: ((value: string) => void)[] = []
    const look = () => new Promise<string>((resolve) => looks.push(resolve))
    const ask = createLastKnown(look, 'unseen', () => now)
    return { ask, looks, passes: (ms: number) => (now += ms) }
  }

  it('is looked at once for all who ask, and not again for a second', async () => {
    const { ask, looks, passes } = scene()
    const asked = [ask(), ask()]
    looks[0]!('first')
    expect(await Promise.all(asked)).to.deep.equal([
      { value: 'first', ageMs: 0 },
      { value: 'first', ageMs: 0 },
    ])
    passes(900)
    expect(await ask()).to.deep.equal({ value: 'first', ageMs: 900 })
    expect(looks).to.have.length(1)
  })

  it('is waited for as long as a first look takes, and not again when nothing came of it', async () => {
    mock.timers.enable({ apis: ['setTimeout'] })
    try {
      const { ask, looks } = scene()
      const late = ask()
      mock.timers.tick(3_999)
      looks[0]!('late')
      expect(await late).to.deep.equal({ value: 'late', ageMs: 0 })

      const silent = scene()
      const first = silent.ask()
      silent.passes(4_000)
      const second = silent.ask()
      mock.timers.tick(800)
      expect(await second).to.deep.equal({ value: 'unseen', ageMs: null })
      silent.looks[0]!('at last')
      await first
    } finally {
      mock.timers.reset()
    }
  })

  it('is old, and looked at again, when the clock was set back', async () => {
    const { ask, looks, passes } = scene()
    const first = ask()
    looks[0]!('first')
    await first
    passes(-3_600_000)
    expect(await ask()).to.deep.equal({ value: 'first', ageMs: 3_600_000 })
    looks[1]!('second')
    expect(await ask()).to.deep.equal({ value: 'second', ageMs: 0 })
  })

  it('is told with its age while a look takes long', async () => {
    const { ask, looks, passes } = scene()
    const first = ask()
    looks[0]!('first')
    await first
    passes(5_000)
    expect(await ask()).to.deep.equal({ value: 'first', ageMs: 5_000 })
  })

  it('is unseen once a look is lost, and looked at anew, until one comes back', async () => {
    const { ask, looks, passes } = scene()
    const first = ask()
    looks[0]!('first')
    await first
    passes(2_000)
    await ask()
    passes(15_001)
    expect(await ask()).to.deep.equal({ value: 'unseen', ageMs: null })
    expect(looks).to.have.length(3)
    looks[2]!('second')
    expect(await ask()).to.deep.equal({ value: 'second', ageMs: 0 })
  })
})
