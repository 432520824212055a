import { type ChildProcess, spawn } from 'node:child_process'
import { mkdirSync, openSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { createServer } from 'node:net'
import { dirname } from 'node:path'
import { request } from 'undici'

/** A local chain: a real anvil process of the npm package `@foundry-rs/anvil`. */
export type Anvil = {
  chainId: number
  url: string
  port: number
  pid: number
  /** Ends the process; with a state file it writes its state first. */
  stop(): Promise<void>
}

export type AnvilOptions = {
  chainId: number
  /** Taken if it is free; otherwise, or without it, any free port. */
  port?: number
  /** Where the chain is kept between runs. Without it the chain is gone with the process. */
  stateFile?: string
  /** Where the process writes what it has to say; nothing without it. */
  logFile?: string
  /**
   * When its history begins, in Unix seconds; without it, now. A chain that is kept is to get the same one each time.
   */
  genesisTime?: number
  /** Whole seconds between blocks; without it each transaction is mined at once. */
  blockTime?: number
  /** False: blocks come only when asked for. */
  mining?: boolean
  /** The newest rules that the chain knows (`prague`). */
  hardfork?: string
  /** False: without the CREATE2 factory that anvil begins with. */
  create2Factory?: boolean
}

/** anvil's well-known mnemonic; its accounts are funded on every anvil chain and worth nothing anywhere. */
export const devMnemonic = 'test test test test test test test test test test test junk'

/** Of how many blocks the state is kept, as full nodes do (geth). */
const keptStates = 128
const startWithinMs = 20_000
const mostTries = 3
const stopWithinMs = 10_000

export async function startAnvil(options: AnvilOptions): Promise<Anvil> {
  for (let tries = 1; ; tries++) {
    try {
      return await startAt(await freePort(options.port), options)
    } catch (error) {
      // Somebody else may have taken the port since it was found to be free.
      if (!(error instanceof EndedAtOnce) || tries === mostTries) throw error
    }
  }
}

class EndedAtOnce extends Error {}

async function startAt(port: number, options: AnvilOptions): Promise<Anvil> {
  const args = ['--chain-id', String(options.chainId), '--port', String(port), '--quiet']
  args.push('--hardfork', options.hardfork ?? 'prague')
  args.push('--mnemonic', devMnemonic, '--order', 'fifo')
  // Kept whole, the history is written out again and again, and 3,000 blocks of it are 600 MB.
  args.push('--prune-history', String(keptStates))
  if (options.stateFile) {
    mkdirSync(dirname(options.stateFile), { recursive: true })
    args.push('--state', options.stateFile, '--state-interval', '5', '--preserve-historical-states')
  }
  if (options.genesisTime !== undefined) args.push('--timestamp', String(options.genesisTime))
  if (options.mining === false) args.push('--no-mining')
  if (options.create2Factory === false) args.push('--disable-default-create2-deployer')
  const output = options.logFile ? openSync(options.logFile, 'a') : 'ignore'
  // A process group of its own: Ctrl-C reaches the service, which then ends its chains in order.
  const child = spawn(anvilBinary(), args, { stdio: ['ignore', output, output], detached: true })
  child.unref()
  const url = `http://127.0.0.1:${port}`
  try {
    await untilUp(url, options, child)
  } catch (error) {
    await stopProcess(child.pid!)
    throw error
  }
  // anvil's clock goes on from the time that history begins at, so that no block may come before it is set.
  if (options.genesisTime !== undefined) await rpc(url, 'evm_setTime', [Date.now()])
  if (options.blockTime !== undefined) await rpc(url, 'evm_setIntervalMining', [options.blockTime])
  return { chainId: options.chainId, url, port, pid: child.pid!, stop: () => stopProcess(child.pid!) }
}

type Identity = { chainId: number; genesis: string; genesisTime: number }

/** The chain that answers at the address and where its history begins; null when none does. */
export async function identify(url: string): Promise<Identity | null> {
  try {
    const [chainId, block] = await rpcTogether(url, [
      ['eth_chainId', []],
      ['eth_getBlockByNumber', ['0x0', false]],
    ])
    const { hash, timestamp } = block as { hash: string; timestamp: string }
    return { chainId: Number(chainId), genesis: hash, genesisTime: Number(timestamp) }
  } catch {
    return null
  }
}

/** Ends an anvil process, by force if it does not end by itself. */
export async function stopProcess(pid: number): Promise<void> {
  const deadline = Date.now() + stopWithinMs
  if (!signal(pid, 'SIGTERM')) return
  while (isRunning(pid)) {
    if (Date.now() > deadline) signal(pid, 'SIGKILL')
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
}

function signal(pid: number, name: NodeJS.Signals | 0): boolean {
  try {
    process.kill(pid, name)
    return true
  } catch {
    return false
  }
}

/** A process that has ended but was not waited for (a zombie) still takes signals; it does not run. */
function isRunning(pid: number): boolean {
  if (!signal(pid, 0)) return false
  try {
    return !/^State:\s+Z/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'))
  } catch {
    return process.platform !== 'linux'
  }
}

async function untilUp(url: string, { chainId, logFile }: AnvilOptions, child: ChildProcess): Promise<void> {
  const deadline = Date.now() + startWithinMs
  const why = logFile ? `; ${logFile} may say why` : ''
  while (child.exitCode !== null || (await identify(url))?.chainId !== chainId) {
    const name = `anvil for chain ${chainId}`
    if (child.exitCode !== null) throw new EndedAtOnce(`${name} ended with code ${child.exitCode}${why}`)
    if (Date.now() > deadline) throw new Error(`${name} did not answer within ${startWithinMs} ms${why}`)
    await new Promise((resolve) => setTimeout(resolve, 25))
  }
}

export async function rpc(url: string, method: string, params: unknown[]): Promise<unknown> {
  return (await rpcTogether(url, [[method, params]]))[0]
}

type Answer = { id: number; result?: unknown; error?: { message: string } }

/** Asks for all of it in one request. Fails with the first that does. */
export async function rpcTogether(
  url: string,
  calls: readonly [method: string, params: unknown[]][],
): Promise<unknown[]> {
  const { body } = await request(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(calls.map(([method, params], id) => ({ jsonrpc: '2.0', id, method, params }))),
  })
  const answers = (await body.json()) as Answer[]
  answers.sort((a, b) => a.id - b.id)
  return answers.map(({ result, error }, index) => {
    if (error) throw new Error(`${calls[index]![0]}: ${error.message}`)
    return result
  })
}

/** The binary inside the package for this platform; the package's own wrapper swallows options. */
function anvilBinary(): string {
  const require = createRequire(import.meta.url)
  const architecture = process.arch === 'x64' ? 'amd64' : process.arch
  const name = `@foundry-rs/anvil-${process.platform}-${architecture}`
  try {
    return require.resolve(`${name}/bin/anvil${process.platform === 'win32' ? '.exe' : ''}`)
  } catch {
    throw new Error(`The package ${name} is missing; the local chains have no binary for this platform without it.`)
  }
}

async function freePort(wanted?: number): Promise<number> {
  const tryPort = (port: number) =>
    new Promise<number | null>((resolve) => {
      const server = createServer()
      server.once('error', () => resolve(null))
      server.listen(port, '127.0.0.1', () => {
        const { port: taken } = server.address() as { port: number }
        server.close(() => resolve(taken))
      })
    })
  const port = (wanted && (await tryPort(wanted))) || (await tryPort(0))
  if (!port) throw new Error('No free port on 127.0.0.1')
  return port
}
