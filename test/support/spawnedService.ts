import { spawn } from 'node:child_process'
import { serviceProgram } from './serviceProgram.js'
import { until } from './until.js'

export type SpawnedService = Awaited<ReturnType<typeof spawnService>>

/** The service as operators run it, in a process of its own, and everything that it says on stdout and stderr. */
export async function spawnService(env: Record<string, string>) {
  const child = spawn(process.execPath, await serviceProgram(), {
    env: { ...process.env, PORT: '0', ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let said = ''
  const listen = (data: Buffer) => void (said += data.toString())
  child.stdout.on('data', listen)
  child.stderr.on('data', listen)
  const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()))
  const isOver = () => child.exitCode !== null || child.signalCode !== null
  const url = await until(
    () => /^API\s+(\S+)$/m.exec(said)?.[1] ?? (/^engine only/m.test(said) ? 'none' : isOver() && 'over'),
    'the service to start',
    60_000,
  )

  return {
    /** Where the API listens; null where it has none, or where it did not start. */
    url: url.startsWith('http') ? url : null,
    said: () => said,
    /** The lines of its log. */
    lines: () =>
      said
        .split('\n')
        .filter((line) => line.startsWith('{') && line.endsWith('}'))
        .map((line) => JSON.parse(line) as Record<string, unknown>),
    async stop(signal: NodeJS.Signals = 'SIGTERM'): Promise<void> {
      if (!isOver()) child.kill(signal)
      await ended
    },
  }
}
