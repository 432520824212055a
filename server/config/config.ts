import { readFileSync } from 'node:fs'
import { type ChainsFile, readChainsFile } from './chainsFile.js'
import { readDatabaseUrl } from './databaseUrl.js'
import { isSetByOrchestrator, misspeltVariables } from './knownVariables.js'
import type { ChainConfig } from '../domain/chainConfig.js'
import { namesAnyOfKeys, type OperatorKeys, readOperatorKeys } from './operatorKeys.js'
import type { DatabaseConfig } from '../store/connection/openDatabase.js'

/** What the process runs on; frozen once read. */
export type Config = {
  host: string
  /** 0: any free port, printed at the start. */
  port: number
  /** Where the embedded defaults keep their data. */
  dataDir: string
  database: DatabaseConfig
  /** Null: the embedded development chains. */
  deployment: { chains: ChainConfig[]; groups: Record<string, { feeBps: number }>; keys: OperatorKeys } | null
  /** `api` answers requests, `engine` carries out steps, `all` does both. */
  role: 'all' | 'api' | 'engine'
  logLevel: (typeof logLevels)[number]
  /** Where `/metrics` listens. Null: nowhere. */
  metricsPort: number | null
  /** `*`, or the origins whose pages may call. */
  corsOrigins: string[]
  /** Points per minute, for each client address and for each user whose signatures are in requests; 0: no limit. */
  rateLimitPerMinute: number
  /** How many proxies in front of the service add to X-Forwarded-For; 0: that header is not believed. */
  trustedProxies: number
  /** Whether the registration of a payment needs the user's signature. */
  onDemandProof: 'none' | 'required'
  /** How many steps one transaction carries at most, and how long a step waits for the next one while it is coming. */
  bundling: { /** 1: every step has a transaction of its own. */ maxSteps: number; waitMs: number }
  /** The most bytes of a request body, unpacked. */
  bodyLimitBytes: number
  /** Clients connected to the API at once; one more is turned away. */
  maxConnections: number
}

type ConfigResult = { ok: true; config: Config } | { ok: false; problems: string[] }

const logLevels = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'] as const
const roles = ['all', 'api', 'engine'] as const
const proofs = ['none', 'required'] as const

/** Reads the environment and the chains file. All problems at once; none of them repeats a secret. */
export function loadConfig(env: NodeJS.ProcessEnv): ConfigResult {
  const problems: string[] = []
  const integer = (name: string, fallback: number, range: { min: number; max: number }) => {
    const text = env[name]
    if (text === undefined || text === '' || isSetByOrchestrator(name, text)) return fallback
    const value = Number(text)
    if (/^\d+$/.test(text) && value >= range.min && value <= range.max) return value
    problems.push(`${name}: must be a whole number from ${range.min} to ${range.max}`)
    return fallback
  }
  const choice = <T extends string>(name: string, options: readonly T[], fallback: T): T => {
    const text = env[name]
    if (text === undefined || text === '') return fallback
    if ((options as readonly string[]).includes(text)) return text as T
    problems.push(`${name}: must be one of ${options.join(', ')}`)
    return fallback
  }

  const chainsText = readChains(env, problems)
  problems.push(...misspeltVariables(env, env.CHAINS_FILE ? chainsText : ''))
  const dataDir = dataDirOf(env)
  const role = choice('ROLE', roles, 'all')
  const metricsPort = integer('METRICS_PORT', -1, { min: 0, max: 65535 })
  const config: Config = {
    host: env.HOST || '127.0.0.1',
    port: integer('PORT', 3000, { min: 0, max: 65535 }),
    dataDir,
    database: readDatabaseUrl(env.DATABASE_URL, dataDir, problems),
    deployment: readDeployment(env, { chainsText, role }, problems),
    role,
    logLevel: choice('LOG_LEVEL', logLevels, 'info'),
    metricsPort: metricsPort < 0 ? null : metricsPort,
    corsOrigins: readOrigins(env.CORS_ORIGINS, problems),
    rateLimitPerMinute: integer('RATE_LIMIT_PER_MINUTE', 0, { min: 0, max: 1_000_000 }),
    trustedProxies: integer('TRUSTED_PROXIES', 0, { min: 0, max: 10 }),
    onDemandProof: choice('ON_DEMAND_PROOF', proofs, 'none'),
    bundling: {
      maxSteps: integer('BUNDLE_MAX_STEPS', 40, { min: 1, max: 100 }),
      waitMs: integer('BUNDLE_WAIT_MS', 5, { min: 0, max: 1_000 }),
    },
    bodyLimitBytes: integer('BODY_LIMIT_BYTES', 262_144, { min: 1_024, max: 16_777_216 }),
    maxConnections: integer('MAX_CONNECTIONS', 10_000, { min: 1, max: 1_000_000 }),
  }
  if (config.port !== 0 && config.port === config.metricsPort) {
    problems.push('METRICS_PORT: is the same as PORT; metrics are for operators and listen by themselves')
  }
  return problems.length > 0 ? { ok: false, problems } : { ok: true, config: Object.freeze(config) }
}

/** The chains file alone, for a tool that needs nothing else of the environment. Without a file there are no chains. */
export function loadChains(env: NodeJS.ProcessEnv): { chains: ChainConfig[]; problems: string[] } {
  const problems: string[] = []
  const text = readChains(env, problems)
  return { chains: text === null ? [] : understandChains(text, env, problems).chains, problems }
}

export function dataDirOf(env: NodeJS.ProcessEnv): string {
  return env.DATA_DIR || '.data'
}

function readOrigins(text: string | undefined, problems: string[]): string[] {
  if (text === undefined || text === '' || text === '*') return ['*']
  const origins = text.split(',').map((origin) => origin.trim())
  for (const origin of origins) {
    if (URL.canParse(origin) && new URL(origin).origin === origin) continue
    problems.push(`CORS_ORIGINS: "${origin}" is no origin such as https://app.example.org`)
  }
  return origins
}

/** The text of the chains file. Null: none is named, or it can't be read. */
function readChains(env: NodeJS.ProcessEnv, problems: string[]): string | null {
  if (!env.CHAINS_FILE) return null
  try {
    return readFileSync(env.CHAINS_FILE, 'utf8')
  } catch (error) {
    problems.push(
      `CHAINS_FILE: ${env.CHAINS_FILE} can't be read (${(error as NodeJS.ErrnoException).code ?? 'unknown error'})`,
    )
    return null
  }
}

function understandChains(text: string, env: NodeJS.ProcessEnv, problems: string[]): ChainsFile {
  const file = readChainsFile(text, env)
  problems.push(...file.problems.map((problem) => `CHAINS_FILE: ${problem}`))
  return file
}

function readDeployment(
  env: NodeJS.ProcessEnv,
  { chainsText, role }: { chainsText: string | null; role: Config['role'] },
  problems: string[],
): Config['deployment'] {
  if (!env.CHAINS_FILE) {
    if (namesAnyOfKeys(env)) {
      problems.push(
        'CHAINS_FILE: is missing, and the embedded chains bring their own keys; unset the SOLVER_ variables',
      )
    }
    return null
  }
  const keys = readOperatorKeys(env, problems, { signs: role !== 'api' })
  if (chainsText === null) return null
  const file = understandChains(chainsText, env, problems)
  const real = file.chains.filter((chain) => !chain.testnet)
  if (real.length > 0 && env.SOLVER_PRIVATE_KEYS) {
    problems.push(
      `SOLVER_PRIVATE_KEYS: plain keys are for test chains only; not marked testnet: ` +
        `${listOf(real)}. Use SOLVER_KEYS_FILE (encrypted) or SOLVER_SIGNER_URL.`,
    )
  }
  if (real.length > 0 && !env.DATABASE_URL) {
    problems.push(
      `DATABASE_URL: is missing, and chains are not marked testnet: ${listOf(real)}. By an empty ledger beside a vault ` +
        'that has paid, old payments are credited again. Name the database (mysql://…), or sqlite: for the file in DATA_DIR.',
    )
  }
  return { chains: file.chains, groups: file.groups, keys }
}

function listOf(chains: readonly ChainConfig[]): string {
  return chains.map(({ chainId }) => chainId).join(', ')
}
