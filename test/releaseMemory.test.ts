import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { getHeapStatistics } from 'node:v8'
import { expect } from 'chai'
import { releaseMemory } from '../server/releaseMemory.js'
import { serviceProgram } from './support/serviceProgram.js'

describe('memory that is not needed any more', () => {
  it('is given back', async () => {
    const megabytes = () => getHeapStatistics().total_heap_size / 1024 ** 2
    let kept: object[] | null = Array.from({ length: 500_000 }, (_nothing, index) => ({ index }))
    const [first] = kept
    const before = megabytes()
    kept = null
    await releaseMemory()
    expect(first).to.deep.equal({ index: 0 })
    expect(megabytes(), 'after').to.be.lessThan(before - 10)
  })

  it('is kept where node may not use the inspector, and nothing fails', async () => {
    await serviceProgram()
    const script = `
      import { Session } from 'node:inspector'
      import { releaseMemory } from './dist/server/releaseMemory.js'
      try { new Session().connect() } catch (error) { console.log(error.code) }
      await releaseMemory()
      console.log('on it goes')`
    const restricted = ['--experimental-permission', '--allow-fs-read=*', '--no-warnings']
    const { stdout } = await promisify(execFile)(process.execPath, [...restricted, '--input-type=module', '-e', script])
    expect(stdout.trim().split('\n')).to.deep.equal(['ERR_ACCESS_DENIED', 'on it goes'])
  })
})
