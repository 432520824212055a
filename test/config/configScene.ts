import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { loadConfig } from '../../server/config/config.js'

export const key = '0x59c6995e998f97a5a0044966f0945389dc9e86dae88c7a8412f4603b6b78690d'
export const address = `0x${'ab'.repeat(20)}`

export const goodToken = { id: 'usd', symbol: 'USD', name: 'Dollar', address, decimals: 6, group: 'usd' }
export const goodChain = {
  chainId: 11155111,
  name: 'Sepolia',
  testnet: true,
  rpcUrls: ['https://rpc.example.org/${RPC_KEY}'],
  delegates: [`0x${'de'.repeat(20)}`],
  vault: `0x${'fa'.repeat(20)}`,
  tokens: [goodToken],
}
export const zero = `0x${'00'.repeat(20)}`
/** USD Coin's address as it is published, and with its first letter in the other case. */
export const published = '0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48'
export const mistyped = '0xa0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48'
export const goodFile = { groups: { usd: { feeBps: 5 } }, chains: [goodChain] }

/**
 * A folder for the files of a `describe`, and what the configuration makes of an environment and a chains file there.
 */
export function useConfig() {
  let folder: string
  before(() => (folder = mkdtempSync(join(tmpdir(), 'config-'))))
  after(() => rmSync(folder, { recursive: true }))

  return { load, problems, path: (name: string) => join(folder, name) }

  function load(env: Record<string, string>, file?: unknown) {
    if (file === undefined) return loadConfig(env)
    const path = join(folder, 'chains.json')
    writeFileSync(path, typeof file === 'string' ? file : JSON.stringify(file))
    return loadConfig({ CHAINS_FILE: path, SOLVER_PRIVATE_KEYS: key, RPC_KEY: 'secret-credential', ...env })
  }

  function problems(env: Record<string, string>, file?: unknown): string[] {
    const loaded = load(env, file)
    return loaded.ok ? [] : loaded.problems
  }
}
