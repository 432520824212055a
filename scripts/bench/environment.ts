import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Devnet, startDevnet } from '../../server/devnet/devnet.js'
import { chainsFileOf } from '../../test/support/chainsFile.js'
import type { Databases } from './databases.js'
import type { LoadGenerator } from './generateLoad.js'
import { startProcess } from './startProcess.js'

/** What every benchmark of a run is given. */
export type Bench = {
  /** How often each contender has its turn. */
  rounds: number
  /** How long a round of requests lasts. */
  seconds: number
  databases: Databases
  load: LoadGenerator
}

export type Chains = {
  devnet: Devnet
  /** What a service needs to know of them. */
  env: Record<string, string>
  stop(): Promise<void>
}

/**
 * Fresh local chains with the contracts. The service reaches them through `through`, given an address.
 * Nothing is kept of them: a chain that is kept has all its accounts written out every few seconds, also
 * while nothing is measured on it.
 */
export async function startChains(through: (rpcUrl: string) => string = (rpcUrl) => rpcUrl): Promise<Chains> {
  const folder = mkdtempSync(join(tmpdir(), 'bench-chains-'))
  const devnet = await startDevnet({ dataDir: folder, isKept: false })
  const chains = devnet.chains.map((chain) => ({ ...chain, rpcUrls: chain.rpcUrls.map(through) }))
  return {
    devnet,
    env: chainsFileOf({ ...devnet, chains }, folder),
    async stop() {
      await devnet.stop()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

/** Which steps have come to an end: how many, by status, and when the last one did, in unix ms. */
export type Settled = { steps: Record<string, number>; lastAt: number }

/** What a service's process can be told: each is answered once it is done. */
export type Order = 'settled' | 'pause' | 'resume'

export type ServiceProcess = {
  url: string
  pid: number
  /** Reads all steps, so it is not to be asked often. */
  settled(): Promise<Settled>
  /** Stops the service, and lets go of its database; the process and the code that is compiled in it stay. */
  pause(): Promise<void>
  /** Starts the engine again, without the API. Tells when, in unix ms. */
  resumeEngine(): Promise<number>
  stop(): Promise<void>
}

/** The real service in its own process. */
export async function startServiceProcess(env: Record<string, string>): Promise<ServiceProcess> {
  const child = await startProcess<{ url: string }>('servers/service.ts', { PORT: '0', ...env })
  return {
    url: child.ready.url,
    pid: child.pid,
    settled: () => child.ask('settled' satisfies Order),
    pause: () => child.ask('pause' satisfies Order),
    resumeEngine: () => child.ask('resume' satisfies Order),
    stop: child.stop,
  }
}
