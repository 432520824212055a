import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { getHeapStatistics } from 'node:v8'
import { expect } from 'chai'
import { releaseMemory } from '../../server/process/releaseMemory.js'
import { serviceProgram } from '../support/serviceProgram.js'

describe('memory that is not needed any more', () => {
  it('is collected at once, and its pages are given back', async () => {
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
      import { releaseMemory } from './dist/server/process/releaseMemory.js'
      try { new Session().connect() } catch (error) { console.log(error.code) }
      await releaseMemory()
      console.log('on it goes')`
    const restricted = ['--experimental-permission', '--allow-fs-read=*', '--no-warnings']
    const { stdout } = await promisify(execFile)(process.execPath, [...restricted, '--input-type=module', '-e', script])
    expect(stdout.trim().split('\n')).to.deep.equal(['ERR_ACCESS_DENIED', 'on it goes'])
  })

  it('is kept where node has no inspector, and nothing fails', async () => {
    await serviceProgram()
    // What such a node says when the module is loaded; none is to be had here.
    const hooks = `
      export async function resolve(name, context, next) {
        if (name !== 'node:inspector') return next(name, context)
        throw Object.assign(new Error('Inspector is not available'), { code: 'ERR_INSPECTOR_NOT_AVAILABLE' })
      }`
    const script = `
      import { register } from 'node:module'
      register('data:text/javascript,' + encodeURIComponent(${JSON.stringify(hooks)}))
      await import('node:inspector').catch((error) => console.log(error.code))
      const { releaseMemory } = await import('./dist/server/process/releaseMemory.js')
      await releaseMemory()
      console.log('on it goes')`
    const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '-e', script])
    expect(stdout.trim().split('\n')).to.deep.equal(['ERR_INSPECTOR_NOT_AVAILABLE', 'on it goes'])
  })
})
