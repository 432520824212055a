import { type Abi, type Address, encodeFunctionData, type Hex, type PublicClient } from 'viem'
import { delegateRuntime, solverVaultAbi, solverVaultRuntime } from '../../server/chain/generated/contracts.js'
import {
  create2Address,
  create2Data,
  create2Factory,
  delegateInitCode,
  vaultInitCode,
} from '../../server/devnet/deployContracts.js'
import type { ChainConfig } from '../../server/domain/chainConfig.js'
import { DeployRefused } from './deployRefused.js'
import { refuseRevoked } from './refuseRevoked.js'

/** One transaction that is missing, and who can send it. */
export type PlannedStep = {
  what: string
  by: 'deployer' | 'owner'
  to: Address
  data: Hex
  value: bigint
  gas: bigint
  /** Sent as it is instead; its sender signed it for every chain. */
  raw?: Hex
}

export type ChainPlan = {
  chain: ChainConfig
  delegate: Address
  vault: Address
  /** Who owns the vault, or will. */
  owner: Address
  /** It is there already. */
  hasVault: boolean
  /**
   * The deployer's next by the newest block, before the chain was looked at: once it has
   * moved, so may have what is missing.
   */
  nonce: number
  /** In the order in which they have to be sent; empty when all is as it should be. */
  steps: PlannedStep[]
}

/** What setting one flag or cap of the vault takes at most. */
const settingGas = 60_000n

/** The well-known deployment of the CREATE2 factory: signed once, by a key that nobody has, for every chain. */
const factoryDeployment = {
  sender: '0x3fab184622dc19b6109349b94811493bf2a45362',
  cost: 10_000_000_000_000_000n,
  raw: '0xf8a58085174876e800830186a08080b853604580600e600039806000f350fe7fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffe03601600081602082378035828234f58015156039578182fd5b8082525050506014600cf31ba02222222222222222222222222222222222222222222222222222222222222222a02222222222222222222222222222222222222222222222222222222222222222',
  code: '0x7fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffe03601600081602082378035828234f58015156039578182fd5b8082525050506014600cf3',
} as const

type Wanted = {
  deployer: Address
  owner: Address
  operators: readonly Address[]
  /** Somebody has named each of them for this; else they are the service's keys, whichever those are. */
  areNamed: boolean
  /** Chains whose vault is made by this run, so that nobody has had a right there that could have been taken. */
  isMadeNow: (chainId: number) => boolean
  vaultNumber: number
}

/** Compares a chain with what a deployment needs and says what is missing. Sends nothing. */
export async function planChain(chain: ChainConfig, reader: PublicClient, wanted: Wanted): Promise<ChainPlan> {
  const answered = await reader.getChainId()
  if (answered !== chain.chainId) {
    throw new DeployRefused(`Chain ${chain.chainId}: its RPC is of chain ${answered}`)
  }
  const nonce = await reader.getTransactionCount({ address: wanted.deployer, blockTag: 'latest' })
  const delegate = create2Address(delegateInitCode())
  const vault = create2Address(vaultInitCode(wanted.owner), wanted.vaultNumber)
  const steps: PlannedStep[] = []

  const hasFactory = await hasCode('CREATE2 factory', create2Factory, factoryDeployment.code)
  if (!hasFactory) steps.push(...(await factorySteps()))
  await planContract('delegate', delegate, delegateInitCode(), delegateRuntime)
  const hasVault = await planContract(
    'vault',
    vault,
    vaultInitCode(wanted.owner),
    solverVaultRuntime,
    wanted.vaultNumber,
  )

  const read = <T>(functionName: string, args: readonly unknown[] = [], address = vault) =>
    reader.readContract({ address, abi: solverVaultAbi as Abi, functionName, args }) as Promise<T>
  const owner = hasVault ? ((await read<string>('owner')).toLowerCase() as Address) : wanted.owner
  if (owner !== (chain.vaultOwner ?? wanted.owner)) throw new DeployRefused(whyOtherOwner())
  for (const operator of wanted.operators) {
    if (hasVault && (await read<boolean>('isOperator', [operator]))) continue
    if (!wanted.areNamed) await refuseTakenRight(operator)
    set(`let ${operator} operate`, 'setOperator', [operator, true])
  }
  for (const token of chain.tokens) {
    const cap = token.outflowCapPerDay
    if (cap === undefined) continue
    const current = hasVault ? (await read<readonly [bigint, bigint, number]>('outflowOf', [token.address]))[0] : 0n
    if (current !== cap) set(`cap ${token.id} at ${cap} per day (is ${current})`, 'setOutflowCap', [token.address, cap])
  }
  return { chain, delegate, vault, owner, hasVault, nonce, steps }

  /** In the vault, or in the one that it takes the place of. */
  async function refuseTakenRight(operator: Address): Promise<void> {
    if (hasVault && !wanted.isMadeNow(chain.chainId)) return refuseRevoked(chain, vault, operator, reader)
    const replaced = chain.formerVaults?.at(-1)
    if (replaced && !(await read<boolean>('isOperator', [operator], replaced)))
      await refuseRevoked(chain, replaced, operator, reader)
  }

  function whyOtherOwner(): string {
    const { chainId, vaultOwner } = chain
    if (owner !== wanted.owner) {
      return (
        `Chain ${chainId}: the vault ${vault} was made for the owner ${wanted.owner}, and ${owner} owns it. If that ` +
        'is right, name it as vaultOwner in the chains file; if not, pay nothing into this vault.'
      )
    }
    const file = `and the file has ${vaultOwner} as vaultOwner`
    if (hasVault) {
      return `Chain ${chainId}: ${owner} owns the vault ${vault}, ${file}: have that one accept it first, or take it out.`
    }
    return `Chain ${chainId}: the vault would be made for ${owner}, ${file}: give --owner ${vaultOwner}, or take it out.`
  }

  async function hasCode(what: string, address: Address, expected: Hex): Promise<boolean> {
    const code = await reader.getCode({ address })
    if (!code || code === '0x') return false
    if (code.toLowerCase() === expected.toLowerCase()) return true
    throw new DeployRefused(`Chain ${chain.chainId}: the code at ${address} is not that of the ${what}`)
  }

  async function factorySteps(): Promise<PlannedStep[]> {
    const { sender, cost, raw } = factoryDeployment
    const common = { by: 'deployer', data: '0x', gas: 21_000n } as const
    const missing = cost - (await reader.getBalance({ address: sender }))
    const sent = { ...common, what: 'deploy the CREATE2 factory', to: create2Factory, value: 0n, gas: 0n, raw }
    if (missing <= 0n) return [sent]
    return [{ ...common, what: "pay for the CREATE2 factory's deployment", to: sender, value: missing }, sent]
  }

  async function planContract(
    what: string,
    address: Address,
    initCode: Hex,
    runtime: Hex,
    number = 0,
  ): Promise<boolean> {
    if (await hasCode(what, address, runtime)) return true
    const data = create2Data(initCode, number)
    // Not by what is pending, as some nodes would: there it may be deployed already, and reverts.
    const request = { account: wanted.deployer, to: create2Factory, data, blockTag: 'latest' } as const
    // Without a factory there is nothing to estimate: its code bytes and the creation, at the protocol's prices.
    const gas = hasFactory
      ? await reader.estimateGas(request)
      : BigInt(data.length) * 8n + BigInt(runtime.length) * 110n
    steps.push({ what: `deploy the ${what} at ${address}`, by: 'deployer', to: create2Factory, data, value: 0n, gas })
    return false
  }

  function set(what: string, functionName: string, args: readonly unknown[]): void {
    const data = encodeFunctionData({ abi: solverVaultAbi as Abi, functionName, args })
    const by = owner === wanted.deployer ? 'deployer' : 'owner'
    steps.push({ what, by, to: vault, data, value: 0n, gas: settingGas })
  }
}
