import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { openSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { expect } from 'chai'

const programOf = (name: string) => fileURLToPath(new URL(name, import.meta.url))
const talker = programOf('talker.ts')
const lastWords = programOf('lastWords.ts')
const fullForAWhile = programOf('fullForAWhile.ts')

const start = (program: string, stdout: 'pipe' | number, ...args: string[]) =>
  spawn(process.execPath, ['--import', 'tsx', program, ...args], { stdio: ['ignore', stdout, 'pipe'] })

/** How a process ends, which is to be soon, and what it has said until then. */
async function ends(child: ChildProcess) {
  let said = ''
  child.stdout?.on('data', (text: Buffer) => (said += text.toString()))
  const stuck = setTimeout(() => child.kill('SIGABRT'), 15_000)
  const [code, signal] = (await once(child, 'close')) as [number | null, string | null]
  clearTimeout(stuck)
  return { code, signal, said }
}

/** What a process that logs without a pause says of itself in the end, where its stdout is this. */
async function talks(stdout: 'pipe' | number): Promise<{ lost: number; megabytes: number }> {
  const child = start(talker, stdout)
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

  for (const kind of ['usual', 'fatal']) {
    it(`is whole where its process ends after ${kind} words`, async () => {
      const { code, said } = await ends(start(lastWords, 'pipe', kind))
      expect(code).to.equal(3)
      expect(said).to.match(/first words[^]*last words"}\n$/)
    })

    it(`lets its process end after ${kind} words where its disk is full`, async () => {
      expect(await ends(start(lastWords, openSync('/dev/full', 'w'), kind))).to.include({ code: 3 })
    })

    it(`lets its process end after ${kind} words where nobody reads it`, async () => {
      const child = start(lastWords, 'pipe', kind)
      const stuck = setTimeout(() => child.kill('SIGABRT'), 15_000)
      const [, signal] = (await once(child, 'exit')) as [number | null, string | null]
      clearTimeout(stuck)
      expect(signal).to.equal('SIGKILL')
    })
  }

  it('goes on once its disk has room again', async () => {
    const { said } = await ends(start(fullForAWhile, 'pipe'))
    expect(said).to.match(/^.*a word/)
  })
})
