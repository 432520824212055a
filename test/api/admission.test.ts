import { Agent, get } from 'node:http'
import { expect } from 'chai'
import { createAdmission } from '../../server/api/requests/admission.js'
import { startHttpLayer } from '../support/httpLayer.js'

describe('requests that come at once', () => {
  it('begin in the order in which they came, one in each turn of the event loop if each takes its time', async () => {
    const admitted = createAdmission()
    const begun: number[] = []
    const request = async (name: number) => {
      await admitted('bare')
      // Goes on without a wait, as what follows does.
      await Promise.resolve()
      begun.push(name)
      work(5)
    }
    const all = Promise.all(Array.from({ length: 20 }, (_none, name) => request(name)))
    const inTurns: number[] = []
    while (begun.length < 20) {
      const before = begun.length
      await turn()
      inTurns.push(begun.length - before)
    }
    await all
    expect(begun).to.deep.equal([...Array(20).keys()])
    expect(Math.max(...inTurns)).to.equal(1)
  })

  it('begin in one turn if they take next to nothing', async () => {
    const admitted = createAdmission()
    let begun = 0
    const all = Promise.all(Array.from({ length: 20 }, () => admitted('bare').then(() => (begun += 1))))
    let turns = 0
    for (; begun < 20; turns++) await turn()
    await all
    // A machine may be slow for a moment.
    expect(turns).to.be.lessThan(10)
  })

  it('begin by turns of those with a body and those without, so that a read does not wait for all large bodies', async () => {
    const admitted = createAdmission()
    const begun: string[] = []
    const request = async (line: 'bare' | 'withBody', workMs: number) => {
      await admitted(line)
      begun.push(line)
      work(workMs)
    }
    const bodies = Array.from({ length: 10 }, () => request('withBody', 5))
    const reads = Array.from({ length: 3 }, () => request('bare', 5))
    await Promise.all([...bodies, ...reads])
    expect(begun.flatMap((line, place) => (line === 'bare' ? [place] : []))).to.deep.equal([0, 2, 4])

    begun.length = 0
    const more = Array.from({ length: 3 }, () => request('withBody', 5))
    while (begun.length < 1) await turn()
    // It comes while a body is being read, and waits for that one alone.
    await Promise.all([...more, request('bare', 0)])
    expect(begun.slice(0, 2)).to.deep.equal(['withBody', 'bare'])
  })

  it('begin though nobody has come for a while, or one comes after the other', async () => {
    const admitted = createAdmission()
    await admitted('bare')
    await turn()
    await admitted('bare')
    await admitted('bare')
  })
})

describe('a probe', () => {
  it('is answered before the requests that have come before it, however many they are', async () => {
    let workMs = 0
    const begun: string[] = []
    const layer = await startHttpLayer({
      listChains: async () => {
        begun.push('request')
        work(workMs)
        return { status: 200, body: { success: true, data: [] } } as never
      },
      getLiveness: async () => {
        begun.push('probe')
        return { status: 200, body: { success: true, data: { alive: true } } } as never
      },
    })
    const agent = new Agent({ keepAlive: true })
    const ask = (path: string) =>
      new Promise<void>((resolve, reject) => {
        get(layer.url + path, { agent }, (response) => response.resume().once('end', resolve)).once('error', reject)
      })
    const many = (path: string) => Array.from({ length: 50 }, () => ask(path))
    try {
      // Opens the connections, so that all that follows comes at once.
      await Promise.all([...many('/chains'), ask('/livez')])
      workMs = 10
      begun.length = 0
      const asked = many('/chains')
      await Promise.all([...asked, ask('/livez')])
      expect(begun).to.have.length(51)
      expect(begun.indexOf('probe')).to.be.lessThan(25)
    } finally {
      agent.destroy()
      await layer.stop()
    }
  })
})

function turn(): Promise<void> {
  return new Promise((next) => setImmediate(next))
}

function work(ms: number): void {
  for (const end = performance.now() + ms; performance.now() < end;) continue
}
