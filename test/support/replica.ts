import { type ChildProcess, spawn } from 'node:child_process'
import { createApi, type Api } from './api.js'
import { until } from './until.js'

export type Replica = ReturnType<typeof createReplica>

/** One process of the service among several, as operators run it; it can be killed, frozen and started again. */
export function createReplica(env: Record<string, string>) {
  let child: ChildProcess | null = null
  let api: Api | null = null

  const ended = (process: ChildProcess) =>
    process.exitCode !== null || process.signalCode !== null
      ? Promise.resolve()
      : new Promise<void>((resolve) => process.once('exit', () => resolve()))

  return {
    /** Null while it is not up. */
    api: () => api,
    /** Starts it, as often as it takes: it refuses to start while its database is away. */
    async start(withinMs = 120_000): Promise<void> {
      const deadline = Date.now() + withinMs
      while (Date.now() < deadline) {
        const started = (child = spawn(process.execPath, ['--import', 'tsx', 'server/main.ts'], {
          env: { ...process.env, PORT: '0', LOG_LEVEL: 'fatal', ...env },
          stdio: ['ignore', 'pipe', process.env.TEST_LOG_LEVEL ? 'inherit' : 'ignore'],
        }))
        let output = ''
        started.stdout.on('data', (data: Buffer) => (output += data.toString()))
        const isOver = () => started.exitCode !== null || started.signalCode !== null
        const url = await until(() => /^API\s+(\S+)$/m.exec(output)?.[1] ?? (isOver() && 'ended'), 'a start', 60_000)
        if (url === 'ended') continue
        api = createApi(url)
        return
      }
      throw new Error(`The replica did not start within ${withinMs} ms`)
    },
    async kill(): Promise<void> {
      api = null
      if (!child) return
      child.kill('SIGKILL')
      await ended(child)
    },
    /** Stands still as a process does that its machine has no time for; true goes on. */
    freeze(goOn = false): void {
      child?.kill(goOn ? 'SIGCONT' : 'SIGSTOP')
    },
  }
}
