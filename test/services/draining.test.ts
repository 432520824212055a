import { expect } from 'chai'
import { createDraining } from '../../server/services/draining.js'

describe('drain mode', () => {
  function aDraining(answers: (boolean | Error)[]) {
    let reads = 0
    let time = 0
    const draining = createDraining({
      store: {
        async readDraining() {
          const answer = answers[reads++]
          if (answer instanceof Error) throw answer
          return answer ?? false
        },
        setDraining: async () => undefined,
      },
      now: () => time,
    })
    return { draining, reads: () => reads, pass: (ms: number) => (time += ms) }
  }

  it('is asked for once by those who come together, and again after a second', async () => {
    const { draining, reads, pass } = aDraining([false, true])
    expect(await Promise.all([draining.isDraining(), draining.isDraining()])).to.deep.equal([false, false])
    expect(reads()).to.equal(1)
    pass(1_001)
    expect(await draining.isDraining()).to.equal(true)
    expect(reads()).to.equal(2)
  })

  it('is asked for again though the clock was set back', async () => {
    const { draining, pass } = aDraining([false, true])
    expect(await draining.isDraining()).to.equal(false)
    pass(-3_600_000)
    expect(await draining.isDraining()).to.equal(true)
  })

  it('is asked for anew by who comes after a failure', async () => {
    const { draining } = aDraining([new Error('away'), true])
    const answers = await Promise.allSettled([draining.isDraining(), draining.isDraining()])
    expect(answers.map(({ status }) => status)).to.deep.equal(['rejected', 'rejected'])
    expect(await draining.isDraining()).to.equal(true)
  })
})
