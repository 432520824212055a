import { type ChildProcess, spawn } from 'node:child_process'
import { serviceProgram } from '../support/serviceProgram.js'
import { until } from '../support/until.js'

/** A service as operators run it: a process of its own, which can be killed and stopped. */
export type ServiceProcess = {
  url: string
  child: ChildProcess
  /** What it wrote to its log. */
  output: () => string
  /** Resolves once it has ended. */
  ended: Promise<void>
}

export async function startProcess(env: Record<string, string>): Promise<ServiceProcess> {
  const child = spawn(process.execPath, await serviceProgram(), {
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let output = ''
  const collect = (data: Buffer) => {
    // The end is what explains a failure.
    output = (output + data.toString()).slice(-100_000)
  }
  child.stdout.on('data', collect)
  child.stderr.on('data', collect)
  const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()))
  const url = await until(
    () => {
      if (child.exitCode !== null) throw new Error(`The service ended at its start:\n${output}`)
      return /^API\s+(\S+)$/m.exec(output)?.[1]
    },
    'the service to start',
    90_000,
  ).catch((error: unknown) => {
    child.kill('SIGKILL')
    throw error
  })
  return { url, child, output: () => output, ended }
}

/** As often as it takes: a service refuses to start while its database is away. */
export async function startAgain(env: Record<string, string>, withinMs = 180_000): Promise<ServiceProcess> {
  const deadline = Date.now() + withinMs
  for (;;) {
    try {
      return await startProcess(env)
    } catch (error) {
      if (Date.now() > deadline) throw error
    }
  }
}

/** At once, without a last word. */
export async function killProcess({ child, ended }: Pick<ServiceProcess, 'child' | 'ended'>): Promise<void> {
  child.kill('SIGKILL')
  await ended
}
