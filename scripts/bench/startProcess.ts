/** Child processes of the benchmarks: each server and the load generator has one of its own. */
import { fork } from 'node:child_process'
import { join, resolve } from 'node:path'
import { build, nodeFlags } from '../build.js'

export type Child<Ready> = {
  /** What the process said when it was ready. */
  ready: Ready
  pid: number
  /** Sends a message and waits for the answer; one at a time. */
  ask<Answer>(message: unknown): Promise<Answer>
  stop(): Promise<void>
}

const startWithinMs = 60_000
const built = '.data/bench'
const scripts = resolve(import.meta.dirname, '../..', built, 'scripts/bench')

/** Has to come first: what is measured is what `npm start` runs, without a loader of TypeScript. */
export function buildProcesses(): Promise<void> {
  return build(built, ['scripts', 'test/support'])
}

/**
 * Starts a script of this folder, which has to say `process.send(ready)` and to end when it is disconnected. With
 * BENCH_PROFILE=folder, a V8 profile of each is written there.
 */
export async function startProcess<Ready>(script: string, env: Record<string, string> = {}): Promise<Child<Ready>> {
  const profile = process.env.BENCH_PROFILE
  const flags = profile ? ['--cpu-prof', `--cpu-prof-dir=${profile}/${nameOf(script)}`] : []
  const child = fork(join(scripts, script.replace(/\.ts$/, '.js')), [], {
    execArgv: [...nodeFlags, ...flags],
    env: { ...process.env, ...env },
    serialization: 'advanced',
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  })
  const ended = new Promise<number | null>((resolve) => child.once('exit', resolve))
  const next = <T>() =>
    new Promise<T>((resolve, reject) => {
      const answered = (message: unknown) => {
        child.off('exit', failed)
        resolve(message as T)
      }
      const failed = () => {
        child.off('message', answered)
        reject(new Error(`${script} has ended`))
      }
      child.once('message', answered)
      child.once('exit', failed)
    })
  const timer = setTimeout(() => child.kill('SIGKILL'), startWithinMs)
  const ready = await next<Ready>()
  clearTimeout(timer)
  return {
    ready,
    pid: child.pid!,
    async ask<Answer>(message: unknown) {
      if (!child.connected) throw new Error(`${script} has ended`)
      const answer = next<Answer>()
      child.send(message as object)
      return answer
    },
    async stop() {
      if (child.connected) child.disconnect()
      await ended
    },
  }
}

function nameOf(script: string): string {
  return script.replace(/^.*\/|\.ts$/g, '')
}
