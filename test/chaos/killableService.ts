import { spawn } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { createApi, type Api, type Reply } from '../support/api.js'
import { builtFile, builtProgram } from '../support/builtProgram.js'
import { until } from '../support/until.js'

export type KillableService = {
  api: Api
  killed(): boolean
  /** Ends it by SIGKILL wherever it is, and returns when it is gone. */
  kill(): Promise<void>
  /** The points passed so far, in order. */
  points(): string[]
}

export type KillOptions = {
  env: Record<string, string>
  /** Where the passed points are written. */
  folder: string
  /** The point at which it ends itself; null: it only counts. */
  point: string | null
}

/** Starts a service with kill points in a process of its own; they count once it is up. */
export async function startKillableService(options: KillOptions): Promise<KillableService> {
  const process = await spawnKillable(options, 'signal')
  try {
    const api = createApi(await urlOf(process))
    const operators = options.env.SOLVER_PRIVATE_KEYS!.split(',').length
    await until(
      async () => lanesOf(await api.get('/health')).every((count) => count === operators),
      'the lanes to open',
    )
    process.child.send('count')
    await until(() => process.output().includes('kill points count'), 'the kill points to count')
    return { api, ...process }
  } catch (error) {
    await process.kill()
    throw error
  }
}

function urlOf(process: Awaited<ReturnType<typeof spawnKillable>>): Promise<string> {
  return until(
    () => {
      if (process.child.exitCode !== null) throw new Error(`it did not start: ${process.output()}`)
      return /^API\s+(\S+)$/m.exec(process.output())?.[1]
    },
    'the service to start',
    60_000,
  )
}

/** Lanes open in the background; that is part of the start. */
function lanesOf(health: Reply): number[] {
  return (health.body.data.chains as { lanes: unknown[] }[]).map((chain) => chain.lanes.length)
}

/** Starts a service whose kill points count from its first statement; returns when it is up, or killed. */
export async function startKilledAtStart(
  options: KillOptions,
): Promise<Omit<KillableService, 'api'> & { /** Undefined: it was killed before. */ url(): string | undefined }> {
  const process = await spawnKillable(options, 'start')
  const url = () => /^API\s+(\S+)$/m.exec(process.output())?.[1]
  await until(
    () => {
      if (process.child.exitCode !== null) throw new Error(`it did not start: ${process.output()}`)
      return process.killed() || url() !== undefined
    },
    'the service to start or to be killed',
    60_000,
  )
  return { ...process, url }
}

async function spawnKillable({ env, folder, point }: KillOptions, from: 'signal' | 'start') {
  const pointsFile = join(folder, `points-${Date.now()}-${spawned++}`)
  const preload = ['--import', await builtFile('test/chaos/killPoints.ts')]
  const child = spawn(process.execPath, [...preload, ...(await builtProgram('server/main.ts'))], {
    env: {
      ...process.env,
      PORT: '0',
      LOG_LEVEL: 'error',
      ...env,
      KILL_POINTS_FILE: pointsFile,
      KILL_POINTS_FROM: from,
      ...(point !== null && { KILL_POINT: point }),
    },
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
  })
  let output = ''
  child.stdout!.on('data', (data: Buffer) => (output += data.toString()))
  child.stderr!.on('data', (data: Buffer) => (output += data.toString()))
  const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()))
  return {
    child,
    output: () => output,
    killed: () => child.signalCode === 'SIGKILL',
    async kill() {
      child.kill('SIGKILL')
      await ended
    },
    points: () => (existsSync(pointsFile) ? readFileSync(pointsFile, 'utf8').split('\n').slice(0, -1) : []),
  }
}

let spawned = 0
