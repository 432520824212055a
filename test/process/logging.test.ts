import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { openSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { expect } from 'chai'

const talker = fileURLToPath(new URL('talker.ts', import.meta.url))

/** What a process that logs without a pause says of itself in the end, where its stdout is this. */
async function talks(stdout: 'pipe' | number): Promise<{ lost: number; megabytes: number }> {
  const child = spawn(process.execPath, ['--import', 'tsx', talker], { stdio: ['ignore', stdout, 'pipe'] })
  let said = ''
  child.stderr!.on('data', (text: Buffer) => (said += text.toString()))
  await once(child.stderr!, 'end')
  return JSON.parse(said) as { lost: number; megabytes: number }
}

describe('the log', () => {
  it('stops nothing and holds little where its disk is full', async () => {
    const { lost, megabytes } = await talks(openSync('/dev/full', 'w'))
    expect(lost).to.be.above(0)
    expect(megabytes).to.be.below(100)
  })

  it('stops nothing and holds little where nobody reads it', async () => {
    const { lost, megabytes } = await talks('pipe')
    expect(lost).to.be.above(0)
    expect(megabytes).to.be.below(100)
  })
})
