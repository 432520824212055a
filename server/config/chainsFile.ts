import { readFileSync } from 'node:fs'
import { Ajv2020, type ErrorObject } from 'ajv/dist/2020.js'
import type { Address } from 'viem'
import { checkAddresses } from './chainAddresses.js'
import { distance } from './distance.js'
import { nativeToken } from '../domain/action.js'
import type { ChainConfig, TokenConfig } from '../domain/chainConfig.js'
import { mostConfirmations } from '../domain/finality.js'

export type ChainsFile = {
  chains: ChainConfig[]
  groups: Record<string, { feeBps: number }>
  problems: string[]
}

type FileToken = {
  id: string
  symbol: string
  name: string
  address: string
  decimals: number
  group?: string
  airdrop?: { amount: string; periodSeconds: number }
  funding: 'credit' | 'open'
  openCapPerDay?: string
  confirmations: { amount: string; confirmations: number }[]
  minInventory: string
  outflowCapPerDay?: string
}

type FileChain = {
  chainId: number
  name: string
  testnet: boolean
  nativeCurrency?: ChainConfig['nativeCurrency']
  rpcUrls: string[]
  publicRpcUrl?: string
  explorerUrl?: string
  confirmations: number
  reorganisationBlocks: number
  agreement: number
  delegates: string[]
  vault: string
  formerVaults: string[]
  vaultBlock?: number
  vaultOwner?: string
  inventoryFrom: string[]
  pollIntervalMs: number
  maxFeePerGasCap: string
  priorityFeePerGas: string
  maxStepGas?: number
  replaceAfterMs: number
  tokens: FileToken[]
}

type FileContent = { groups?: Record<string, { feeBps: number }>; chains: FileChain[] }

const schema = JSON.parse(readFileSync(new URL('./chainsFile.schema.json', import.meta.url), 'utf8')) as object
const validate = new Ajv2020({ allErrors: true, useDefaults: true, strict: false, verbose: true }).compile<FileContent>(
  schema,
)

/** Reads a chains file (see `chainsFile.schema.json`); with problems, its chains are what could be understood. */
export function readChainsFile(text: string, env: NodeJS.ProcessEnv): ChainsFile {
  let content: unknown
  try {
    content = JSON.parse(text)
  } catch {
    return { chains: [], groups: {}, problems: ['is no JSON'] }
  }
  if (validate(content)) return understand(content, env, () => true)
  const errors = validate.errors ?? []
  const problems = errors.map(describe)
  const broken = errors.map(({ instancePath }) => /^\/chains\/(\d+)(?:\/|$)/.exec(instancePath)?.[1])
  if (broken.includes(undefined)) return { chains: [], groups: {}, problems }
  // The chains at all other places are as the schema says, and have its defaults.
  const rest = understand(content as FileContent, env, (index) => !broken.includes(String(index)))
  return { ...rest, problems: [...problems, ...rest.problems] }
}

/** Reads the chains whose place is to be looked at, and checks in them what the schema doesn't. */
function understand(content: FileContent, env: NodeJS.ProcessEnv, isLookedAt: (index: number) => boolean): ChainsFile {
  const problems: string[] = []
  const groups = content.groups ?? {}
  const read = content.chains.flatMap((chain, index) =>
    isLookedAt(index) ? [{ place: `/chains/${index}`, chain: toChain(chain, `/chains/${index}`, env, problems) }] : [],
  )
  const chains = read.map(({ chain }) => chain)
  problems.push(
    ...duplicates(
      chains.map((chain) => String(chain.chainId)),
      '/chains: chainId',
    ),
  )
  for (const { chain, place } of read) checkTokens(chain, `${place}/tokens`, groups, problems)
  return { chains, groups, problems }
}

function checkTokens(chain: ChainConfig, place: string, groups: ChainsFile['groups'], problems: string[]): void {
  problems.push(
    ...duplicates(
      chain.tokens.map((token) => token.id),
      `${place}: id`,
    ),
  )
  problems.push(
    ...duplicates(
      chain.tokens.map((token) => token.address),
      `${place}: address`,
    ),
  )
  for (const token of chain.tokens) {
    // No contract tells the decimals of the native currency, and in a group each wrong digit is ten times the credit.
    if (token.address === nativeToken && token.decimals !== chain.nativeCurrency.decimals) {
      problems.push(
        `${place}: token "${token.id}" is the native currency with ${token.decimals} decimals, and nativeCurrency has ${chain.nativeCurrency.decimals}`,
      )
    }
    if (token.group !== null && !Object.hasOwn(groups, token.group)) {
      problems.push(`${place}: token "${token.id}" names the group "${token.group}", which is not in /groups`)
    }
    if (token.openCapPerDay !== null && !chain.testnet) {
      problems.push(`${place}: token "${token.id}" has open funding, and chain ${chain.chainId} is not marked testnet`)
    }
    if (token.openCapPerDay === 0n) {
      problems.push(`${place}: token "${token.id}" has open funding and needs openCapPerDay above 0`)
    }
    if ((token.outflowCapPerDay ?? 0n) >= 2n ** 112n) {
      problems.push(`${place}: token "${token.id}" has an outflowCapPerDay above what the vault can hold (112 bits)`)
    }
    if (token.airdrop && !chain.testnet) {
      problems.push(`${place}: token "${token.id}" has an airdrop, and chain ${chain.chainId} is not marked testnet`)
    }
  }
}

function toChain(chain: FileChain, place: string, env: NodeJS.ProcessEnv, problems: string[]): ChainConfig {
  if (BigInt(chain.priorityFeePerGas) > BigInt(chain.maxFeePerGasCap)) {
    problems.push(`${place}/priorityFeePerGas: is above maxFeePerGasCap`)
  }
  const rpcUrls = chain.rpcUrls.map((url, index) => fillIn(url, `${place}/rpcUrls/${index}`, env, problems))
  // A node that is named twice would agree with itself.
  const nodes = new Set(rpcUrls.map((url) => (URL.canParse(url) ? new URL(url).href : url))).size
  if (chain.agreement > nodes) {
    problems.push(`${place}/agreement: is ${chain.agreement}, and there are only ${nodes} different rpcUrls`)
  }
  const tokens = chain.tokens.map(toToken)
  const most = mostConfirmations({ confirmations: chain.confirmations, tokens })
  if (chain.reorganisationBlocks > 0 && chain.reorganisationBlocks <= most) {
    const rule = `has to be 0 (never) or above what makes a transaction final, which is up to ${most} confirmations`
    problems.push(`${place}/reorganisationBlocks: is ${chain.reorganisationBlocks}, and ${rule}`)
  }
  checkPublic(chain, `${place}/publicRpcUrl`, env, problems)
  problems.push(
    ...checkAddresses([
      { place: `${place}/vault`, address: chain.vault, kind: 'vault' },
      ...chain.delegates.map((address, index) => ({
        place: `${place}/delegates/${index}`,
        address,
        kind: 'delegate' as const,
      })),
      ...chain.formerVaults.map((address, index) => ({
        place: `${place}/formerVaults/${index}`,
        address,
        kind: 'former vault' as const,
      })),
      ...chain.tokens.map(({ address }, index) => ({
        place: `${place}/tokens/${index}/address`,
        address,
        kind: 'token' as const,
      })),
      ...(chain.vaultOwner === undefined
        ? []
        : [{ place: `${place}/vaultOwner`, address: chain.vaultOwner, kind: 'owner' as const }]),
      ...chain.inventoryFrom.map((address, index) => ({
        place: `${place}/inventoryFrom/${index}`,
        address,
        kind: 'funder' as const,
      })),
    ]),
  )
  checkFormerVaults(chain, `${place}/formerVaults`, problems)
  return {
    chainId: chain.chainId,
    name: chain.name,
    testnet: chain.testnet,
    nativeCurrency: chain.nativeCurrency ?? { name: 'Ether', symbol: 'ETH', decimals: 18 },
    rpcUrls,
    publicRpcUrl: chain.publicRpcUrl ?? null,
    explorerUrl: chain.explorerUrl ?? null,
    confirmations: chain.confirmations,
    reorganisationBlocks: chain.reorganisationBlocks,
    agreement: chain.agreement,
    delegates: chain.delegates.map(lower),
    vault: lower(chain.vault),
    ...(chain.formerVaults.length > 0 && { formerVaults: chain.formerVaults.map(lower) }),
    ...(chain.vaultBlock !== undefined && { vaultBlock: chain.vaultBlock }),
    ...(chain.vaultOwner !== undefined && { vaultOwner: lower(chain.vaultOwner) }),
    inventoryFrom: chain.inventoryFrom.map(lower),
    pollIntervalMs: chain.pollIntervalMs,
    maxFeePerGasCap: BigInt(chain.maxFeePerGasCap),
    priorityFeePerGas: BigInt(chain.priorityFeePerGas),
    ...(chain.maxStepGas !== undefined && { maxStepGas: BigInt(chain.maxStepGas) }),
    replaceAfterMs: chain.replaceAfterMs,
    tokens,
  }
}

function toToken(token: FileToken): TokenConfig {
  return {
    id: token.id,
    symbol: token.symbol,
    name: token.name,
    address: /^0xe{40}$/i.test(token.address) ? nativeToken : lower(token.address),
    decimals: token.decimals,
    group: token.group ?? null,
    airdrop: token.airdrop
      ? { amount: BigInt(token.airdrop.amount), periodSeconds: token.airdrop.periodSeconds }
      : null,
    openCapPerDay: token.funding === 'open' ? BigInt(token.openCapPerDay ?? 0) : null,
    minInventory: BigInt(token.minInventory),
    confirmations: token.confirmations.map(({ amount, confirmations }) => ({ amount: BigInt(amount), confirmations })),
    ...(token.outflowCapPerDay !== undefined && { outflowCapPerDay: BigInt(token.outflowCapPerDay) }),
  }
}

/**
 * A former vault may be no other contract of the chain: its events would be taken for
 * what a vault has paid, or has got.
 */
function checkFormerVaults(chain: FileChain, place: string, problems: string[]): void {
  const former = chain.formerVaults.map(lower)
  problems.push(...duplicates(former, `${place}:`))
  const others = new Map<Address, string>([
    ...chain.tokens.map((token) => [lower(token.address), `the token "${token.id}"`] as const),
    ...chain.delegates.map((delegate) => [lower(delegate), 'a delegate'] as const),
    [lower(chain.vault), 'the vault, which is no former one'],
  ])
  for (const address of new Set(former)) {
    const other = others.get(address)
    if (other) problems.push(`${place}: ${address} is ${other}`)
  }
}

/** Clients are shown `publicRpcUrl`, so that it may hold no credential with which the service asks its own nodes. */
function checkPublic(chain: FileChain, place: string, env: NodeJS.ProcessEnv, problems: string[]): void {
  const url = chain.publicRpcUrl
  if (url === undefined) return
  if (!URL.canParse(url)) return void problems.push(`${place}: is no http or https address`)
  const names = chain.rpcUrls.flatMap(variablesIn)
  const isSecretIn = names.some((name) => (env[name]?.length ?? 0) >= 8 && url.includes(env[name]!))
  const { username, password } = new URL(url)
  if (username || password || isSecretIn) problems.push(`${place}: is shown to clients, and holds a credential`)
  if (url.includes('${')) problems.push(`${place}: is shown to clients as it is, and no variable is filled in`)
}

const variables = /\$\{([A-Za-z_][A-Za-z0-9_]*)\}/g

/** The names of the environment variables that the text has to be filled in with. */
export function variablesIn(text: string): string[] {
  return [...text.matchAll(variables)].map(([, name]) => name!)
}

/** The address may hold a credential, so problems name its place and never what it says. */
function fillIn(url: string, place: string, env: NodeJS.ProcessEnv, problems: string[]): string {
  const filled = url.replace(variables, (_all, name: string) => {
    if (!env[name]) problems.push(`${place}: the environment variable ${name} is not set`)
    return env[name] ?? ''
  })
  if (!URL.canParse(filled) || !/^https?:$/.test(new URL(filled).protocol)) {
    problems.push(`${place}: is no http or https address`)
  }
  return filled
}

function describe(error: ErrorObject): string {
  const place = error.instancePath || '/'
  if (error.keyword !== 'additionalProperties') return `${place}: ${error.message}`
  const unknown = (error.params as { additionalProperty: string }).additionalProperty
  const known = Object.keys((error.parentSchema?.properties ?? {}) as object)
  const near = known.find((name) => distance(name.toLowerCase(), unknown.toLowerCase()) <= 2)
  return `${place}: "${unknown}" is not known${near ? `; did you mean "${near}"?` : ''}`
}

function duplicates(values: string[], what: string): string[] {
  return [...new Set(values.filter((value, index) => values.indexOf(value) !== index))].map(
    (value) => `${what} ${value} is there twice`,
  )
}

function lower(address: string): Address {
  return address.toLowerCase() as Address
}
