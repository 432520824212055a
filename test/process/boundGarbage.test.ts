import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { expect } from 'chai'
import { serviceProgram } from '../support/serviceProgram.js'

describe('garbage', () => {
  it('is collected once it is more than half as much as what is in use, however much memory there is', async () => {
    await serviceProgram()
    const [bounded, usual] = [await heaviest('boundGarbage()'), await heaviest('')]
    expect(bounded.mostMb, `beside ${usual.mostMb} MB as V8 comes`).to.be.lessThan(usual.mostMb * 0.8)
    expect(bounded.mostMb / bounded.inUseMb).to.be.lessThan(2.5)
  }).timeout(60_000)
})

/**
 * How large the heap gets where all objects live for a while and are then replaced by others, and what of it is in use.
 */
async function heaviest(first: string): Promise<{ mostMb: number; inUseMb: number }> {
  const script = `
    import { getHeapStatistics } from 'node:v8'
    import { boundGarbage } from './dist/server/process/boundGarbage.js'
    ${first}
    const heapMb = () => getHeapStatistics().used_heap_size / 2 ** 20
    const make = (index) => ({ index, and: [index, index, index] })
    const living = Array.from({ length: 400_000 }, (_nothing, index) => make(index))
    gc()
    const inUseMb = heapMb()
    let mostMb = 0
    for (let index = 0; index < 4_000_000; index++) {
      living[index % living.length] = make(index)
      if (index % 20_000 === 0) mostMb = Math.max(mostMb, heapMb())
    }
    console.log(JSON.stringify({ mostMb, inUseMb }))`
  const flags = ['--expose-gc', '--max-semi-space-size=16', '--input-type=module']
  const { stdout } = await promisify(execFile)(process.execPath, [...flags, '-e', script])
  return JSON.parse(stdout) as { mostMb: number; inUseMb: number }
}
