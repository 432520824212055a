import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Abi, type Address, encodeDeployData, type Hex, parseUnits } from 'viem'
import { devTokenAbi, devTokenBytecode } from '../chain/generated/contracts.js'
import { nativeToken } from '../domain/action.js'
import type { ChainConfig, TokenConfig } from '../domain/chainConfig.js'
import { devAccount, devKey } from './accounts.js'
import { type Anvil, type AnvilOptions, identify, rpc, startAnvil, stopProcess } from './anvil.js'
import {
  create2Address,
  createDeployer,
  delegateInitCode,
  setOperators,
  setUpCall,
  vaultInitCode,
} from './deployContracts.js'
import { genesisTimeIn } from './genesisTime.js'
import { mineLeftOvers } from './leftOvers.js'

/**
 * The embedded default: two local chains with contracts, tokens and funded keys, kept in the data directory.
 * A chain's process is in one of three states at a start: running (left by a service that was killed: taken over as it
 * is), ended with its state on file (started again from it), or never made (made and set up).
 */
export type Devnet = {
  chains: ChainConfig[]
  groups: Record<string, { feeBps: number }>
  /** anvil's accounts 1 to 4, registered in both vaults. */
  operatorKeys: Hex[]
  stop(): Promise<void>
}

type DevnetOptions = {
  dataDir: string
  /** Whole seconds between blocks; without it each transaction is mined at once. */
  blockTime?: number
  /** False: the chains are gone with their processes. */
  isKept?: boolean
  /** True: what runs already belongs to somebody else, who will want it when this one stops. */
  isGuest?: boolean
}

type KnownChain = {
  chainId: number
  pid: number
  port: number
  genesis: string
  /** Unknown of a chain that an older build has started: what it keeps may have more than one block 0. */
  genesisTime?: number | undefined
}

const definitions = [
  { chainId: 31337, name: 'Local chain A', usdDecimals: 6 },
  { chainId: 31338, name: 'Local chain B', usdDecimals: 18 },
] as const

/** Of anvil's accounts. */
const owner = 0
const operators = [1, 2, 3, 4]
const users = [5, 6, 7, 8, 9]

export async function startDevnet(options: DevnetOptions): Promise<Devnet> {
  mkdirSync(options.dataDir, { recursive: true })
  const known = readKnown(options.dataDir)
  const chains = await allOrNone(
    definitions.map((definition) =>
      startChain(
        definition,
        known.find((chain) => chain.chainId === definition.chainId),
        options,
      ),
    ),
  )
  if (options.isKept !== false) {
    writeKnown(
      options.dataDir,
      chains.map(({ anvil: { chainId, pid, port }, genesis, genesisTime }) => ({
        chainId,
        pid,
        port,
        genesis,
        genesisTime,
      })),
    )
  }
  const ends = chains.map(({ anvil }) => mineLeftOvers(anvil.url))
  return {
    chains: chains.map(({ anvil, definition }) => chainConfig(definition, anvil.url)),
    groups: { usd: { feeBps: 0 }, eth: { feeBps: 0 } },
    operatorKeys: operators.map(devKey),
    async stop() {
      for (const end of ends) end()
      await Promise.all(chains.map(({ anvil }) => anvil.stop()))
    },
  }
}

type Definition = (typeof definitions)[number]

/** When one chain can't be had, none is left running. */
async function allOrNone<T extends { anvil: Anvil }>(starting: Promise<T>[]): Promise<T[]> {
  const outcomes = await Promise.allSettled(starting)
  const started = outcomes.flatMap((outcome) => (outcome.status === 'fulfilled' ? [outcome.value] : []))
  const failed = outcomes.find((outcome) => outcome.status === 'rejected')
  if (!failed) return started
  await Promise.all(started.map(({ anvil }) => anvil.stop()))
  throw failed.reason
}

async function startChain(definition: Definition, known: KnownChain | undefined, options: DevnetOptions) {
  const running = known && (await takeOver(known, options))
  if (running) {
    await orEnd(running, () => requireOurContracts(definition, running, options))
    return { definition, anvil: running, genesis: known.genesis, genesisTime: known.genesisTime }
  }

  const stateFile = stateFileOf(definition, options)
  if (known && !existsSync(stateFile)) {
    throw new Error(
      `The local chain ${definition.chainId} of this data directory is gone: ${stateFile} is missing. ` +
        `The database beside it belongs to that chain; remove ${options.dataDir} to begin anew.`,
    )
  }
  const anvil = await startAnvil(anvilOptions(definition, known, options))
  return orEnd(anvil, async () => {
    const { genesis, genesisTime } = (await identify(anvil.url))!
    if (known && known.genesis !== genesis) {
      throw new Error(
        `The local chain ${definition.chainId} was reset: it is not the one this data directory was made with. ` +
          `Remove ${options.dataDir} to begin anew.`,
      )
    }
    if (known) await requireOurContracts(definition, anvil, options)
    else await setUp(definition, anvil.url)
    return { definition, anvil, genesis, genesisTime }
  })
}

/** A chain on which that fails is not left running, whoever has started it; a guest leaves it as it is. */
async function orEnd<T>(anvil: Anvil, work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    await anvil.stop()
    throw error
  }
}

function anvilOptions(definition: Definition, known: KnownChain | undefined, options: DevnetOptions): AnvilOptions {
  const stateFile = stateFileOf(definition, options)
  return {
    chainId: definition.chainId,
    ...(options.isKept !== false && { stateFile, genesisTime: genesisTimeOf(known, stateFile) }),
    logFile: join(options.dataDir, `chain-${definition.chainId}.log`),
    ...(known && { port: known.port }),
    ...(options.blockTime !== undefined && { blockTime: options.blockTime }),
  }
}

function genesisTimeOf(known: KnownChain | undefined, stateFile: string): number {
  return known?.genesisTime ?? genesisTimeIn(stateFile) ?? Math.floor(Date.now() / 1000)
}

function stateFileOf(definition: Definition, options: DevnetOptions): string {
  return join(options.dataDir, `chain-${definition.chainId}.json`)
}

/** The addresses follow from the code, so a chain that an older build set up has nothing where this one looks. */
async function requireOurContracts(definition: Definition, anvil: Anvil, options: DevnetOptions): Promise<void> {
  const { delegates, vault, tokens } = chainConfig(definition, anvil.url)
  const expected = [...delegates, vault, ...tokens.map((token) => token.address)]
  for (const address of expected.filter((entry) => entry !== nativeToken)) {
    if ((await rpc(anvil.url, 'eth_getCode', [address, 'latest'])) !== '0x') continue
    throw new Error(
      `The local chain ${definition.chainId} in ${options.dataDir} was set up by another build: this one's contracts are ` +
        `not on it (no code at ${address}). Delete the data directory, chains and database together, to begin anew ` +
        '(`rm -r .data` by default), or give another one by DATA_DIR.',
    )
  }
}

/** A chain that a killed service has left running, or that one which runs is at work on. */
async function takeOver(known: KnownChain, { isGuest = false }: DevnetOptions): Promise<Anvil | null> {
  const url = `http://127.0.0.1:${known.port}`
  const found = await identify(url)
  if (found?.chainId !== known.chainId || found.genesis !== known.genesis) return null
  return { ...known, url, stop: async () => (isGuest ? undefined : stopProcess(known.pid)) }
}

async function setUp(definition: Definition, rpcUrl: string): Promise<void> {
  const deployer = createDeployer(rpcUrl, devAccount(owner))
  const { vault, tokens } = chainConfig(definition, rpcUrl)
  const ours = tokens.filter((token) => token.address !== nativeToken)
  const codes = [delegateInitCode(), vaultInitCode(devAccount(owner).address), ...ours.map(tokenInitCode)]
  await deployer.deployAll(codes)
  const mint = ({ address, decimals }: TokenConfig, to: Address, amount: string) =>
    setUpCall(address, devTokenAbi as Abi, 'mint', [to, parseUnits(amount, decimals)])
  await deployer.sendAll([
    ...setOperators(
      vault,
      operators.map((index) => devAccount(index).address),
    ),
    { to: vault, value: parseUnits('1000', 18) },
    ...ours.map((token) => mint(token, vault, '1000000')),
    ...ours.flatMap((token) =>
      users.map((index) => mint(token, devAccount(index).address, token.id === 'usd' ? '10000' : '100')),
    ),
  ])
}

function chainConfig(definition: Definition, rpcUrl: string): ChainConfig {
  return {
    chainId: definition.chainId,
    name: definition.name,
    testnet: true,
    nativeCurrency: { name: 'Ether', symbol: 'ETH', decimals: 18 },
    rpcUrls: [rpcUrl],
    publicRpcUrl: rpcUrl,
    explorerUrl: null,
    confirmations: 1,
    reorganisationBlocks: 128,
    agreement: 1,
    delegates: [create2Address(delegateInitCode())],
    vault: create2Address(vaultInitCode(devAccount(owner).address)),
    pollIntervalMs: 100,
    maxFeePerGasCap: 500_000_000_000n,
    priorityFeePerGas: 1_000_000_000n,
    replaceAfterMs: 15_000,
    tokens: tokensOf(definition),
  }
}

type Named = Pick<TokenConfig, 'id' | 'symbol' | 'name' | 'decimals'>

function tokensOf(definition: Definition): TokenConfig[] {
  const day = 24 * 60 * 60
  const rules = { openCapPerDay: null, confirmations: [], minInventory: 1n }
  const usd = { id: 'usd', symbol: 'USD', name: 'Local Dollar', decimals: definition.usdDecimals }
  const weth = { id: 'weth', symbol: 'WETH', name: 'Local Wrapped Ether', decimals: 18 }
  const airdrop = (token: Named, amount: string) => ({
    amount: parseUnits(amount, token.decimals),
    periodSeconds: day,
  })
  // For the gas of who pays by a transaction of his own: little, since the vault pays it
  // out of what it has for payouts.
  const eth = { id: 'eth', symbol: 'ETH', name: 'Ether', decimals: 18 }
  return [
    { ...usd, address: create2Address(tokenInitCode(usd)), group: 'usd', airdrop: airdrop(usd, '1000'), ...rules },
    { ...weth, address: create2Address(tokenInitCode(weth)), group: 'eth', airdrop: airdrop(weth, '10'), ...rules },
    { ...eth, address: nativeToken, group: 'eth', airdrop: airdrop(eth, '0.1'), ...rules },
  ]
}

function tokenInitCode(token: Named): Hex {
  return encodeDeployData({
    abi: devTokenAbi,
    bytecode: devTokenBytecode,
    args: [token.name, token.symbol, token.decimals, devAccount(owner).address],
  })
}

function knownFile(dataDir: string): string {
  return join(dataDir, 'chains.json')
}

function readKnown(dataDir: string): KnownChain[] {
  const file = knownFile(dataDir)
  if (!existsSync(file)) return []
  return JSON.parse(readFileSync(file, 'utf8')) as KnownChain[]
}

function writeKnown(dataDir: string, known: KnownChain[]): void {
  const file = knownFile(dataDir)
  writeFileSync(`${file}.new`, JSON.stringify(known, null, 2))
  renameSync(`${file}.new`, file)
}
