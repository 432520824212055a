import {
  type Abi,
  type Address,
  decodeFunctionResult,
  encodeFunctionData,
  erc20Abi,
  formatUnits,
  type Hex,
  zeroHash,
} from 'viem'
import { encodeIsChainBatchProcessed } from '../../server/chain/contracts.js'
import { delegateRuntime, solverVaultAbi, solverVaultRuntime } from '../../server/chain/generated/contracts.js'
import { call } from '../../server/chain/rpcFormat.js'
import { nativeToken } from '../../server/domain/action.js'
import type { ChainConfig } from '../../server/domain/chainConfig.js'
import type { Ask } from './checkNode.js'
import { createFindings, type Finding } from './finding.js'

/** Whether delegate and vault are there and as this build made them, whom the vault obeys, and what it holds. */
export async function checkContracts(chain: ChainConfig, ask: Ask, operators: readonly Address[]): Promise<Finding[]> {
  const { list, fault, warn } = createFindings(`chain ${chain.chainId}`)
  const { vault } = chain
  const deployIt = 'Run `npm run deploy -- --chains <file>`, or correct the address in the chains file.'
  const lookAgain = 'Deploy this build with `npm run deploy`, or run the build that the contract is of.'

  // Users may authorize each of them, the older ones too; only the first has to be of this build.
  for (const [index, delegate] of chain.delegates.entries()) {
    const delegateCode = await code(delegate)
    if (delegateCode === '0x') fault('delegate.missing', `no code at ${delegate}`, deployIt)
    else if (!(await raw(delegate, encodeIsChainBatchProcessed(zeroHash)))) {
      fault('delegate.foreign', `what is at ${delegate} is no delegate`, deployIt)
    } else if (index === 0 && delegateCode !== delegateRuntime) {
      warn('delegate.otherBuild', `the delegate at ${delegate} is of another build`, lookAgain)
    }
  }

  const vaultCode = await code(vault)
  let isVault = false
  if (vaultCode === '0x') {
    fault('vault.missing', `no code at ${vault}`, deployIt)
  } else if ((await read('owner')) === null || (await read('isOperator', [vault])) === null) {
    fault('vault.foreign', `what is at ${vault} is no SolverVault`, deployIt)
  } else {
    isVault = true
    if (vaultCode !== solverVaultRuntime) warn('vault.otherBuild', `the vault ${vault} is of another build`, lookAgain)
    await checkOwner()
    await checkOperators()
  }
  for (const former of chain.formerVaults ?? []) await checkFormer(former)
  for (const token of chain.tokens) await checkToken(token)
  return list

  async function checkOwner(): Promise<void> {
    const owner = String(await read('owner')).toLowerCase() as Address
    if (operators.includes(owner)) {
      const report = chain.testnet ? warn : fault
      const what = `the operator ${owner} owns the vault: whoever gets this hot key can take everything`
      report('vault.ownerIsOperator', what, 'transferOwnership to a cold key, and acceptOwnership with that.')
    }
    if (chain.vaultOwner !== undefined && owner !== chain.vaultOwner) {
      const what = `${owner} owns the vault and can take everything; the chains file says ${chain.vaultOwner}`
      fault('vault.wrongOwner', what, 'Pay nothing into it, and correct vault or vaultOwner in the chains file.')
    }
    const pending = await read('pendingOwner')
    if (pending && BigInt(pending as Hex) !== 0n) {
      warn('vault.ownershipPending', `${String(pending)} has not accepted the ownership`, 'acceptOwnership with it.')
    }
    if ((await read('paused')) === true) {
      fault('vault.paused', 'the vault is paused: nothing is paid', 'setPaused(false) with the owner, once it is safe.')
    }
  }

  async function checkOperators(): Promise<void> {
    for (const operator of operators) {
      if ((await read('isOperator', [operator])) === true) continue
      const remedy = `Run \`npm run deploy\` with this operator, or setOperator(${operator}, true) with the owner.`
      fault('operator.notAllowed', `the vault does not take orders from ${operator}`, remedy)
    }
  }

  async function checkFormer(former: Address): Promise<void> {
    if ((await readOf(former, 'owner')) === null || (await readOf(former, 'isOperator', [former])) === null) {
      const what = `what is at ${former}, a former vault, is no SolverVault`
      return fault('formerVault.foreign', what, 'Correct the address in formerVaults in the chains file.')
    }
    for (const operator of operators) {
      if ((await readOf(former, 'isOperator', [operator])) !== true) continue
      const remedy = `Once nothing is under way that was signed before: setOperator(${operator}, false) with its owner.`
      warn('formerVault.operator', `the former vault ${former} takes orders from ${operator} still`, remedy)
    }
  }

  async function checkToken(token: ChainConfig['tokens'][number]): Promise<void> {
    const isNative = token.address === nativeToken
    if (!isNative) {
      const decimals = await raw(token.address, encodeFunctionData({ abi: erc20Abi, functionName: 'decimals' }))
      if (!decimals) {
        const what = `no token "${token.id}" at ${token.address}`
        return fault('token.missing', what, 'Correct its address in the chains file.')
      }
      if (Number(BigInt(decimals)) !== token.decimals) {
        const what = `"${token.id}" has ${BigInt(decimals)} decimals, the chains file says ${token.decimals}`
        fault('token.decimals', what, 'Correct it at once: all conversions within its group are wrong by that factor.')
      }
    }
    // Nobody is to send anything to what is no vault.
    if (!isVault) return
    const held = isNative
      ? ((await ask([call('eth_getBalance', vault, 'latest')]))[0]?.result as Hex | undefined)
      : await raw(token.address, encodeFunctionData({ abi: erc20Abi, functionName: 'balanceOf', args: [vault] }))
    if (held && BigInt(held) === 0n) {
      warn('vault.empty', `the vault holds no ${token.id}`, `Send ${token.symbol} to ${vault}, or payouts of it fail.`)
    } else if (held && BigInt(held) < token.minInventory) {
      const [has, least] = [BigInt(held), token.minInventory].map((amount) => formatUnits(amount, token.decimals))
      const what = `the vault holds ${has} ${token.symbol}, below minInventory, which is ${least}`
      warn('vault.low', what, `Send ${token.symbol} to ${vault}, or correct minInventory in the chains file.`)
    }
    await checkCap(token)
  }

  async function checkCap(token: ChainConfig['tokens'][number]): Promise<void> {
    const outflow = (await read('outflowOf', [token.address])) as readonly [bigint, bigint, number] | null
    if (!outflow) return
    const show = (cap: bigint) => (cap === 0n ? 'none' : formatUnits(cap, token.decimals))
    if (token.outflowCapPerDay !== undefined && token.outflowCapPerDay !== outflow[0]) {
      const what = `the cap of "${token.id}" is ${show(outflow[0])}, the chains file says ${show(token.outflowCapPerDay)}`
      fault('vault.capDiffers', what, 'Run `npm run deploy`, or correct outflowCapPerDay.')
    } else if (outflow[0] === 0n && !chain.testnet) {
      const what = `operators may pay "${token.id}" without a limit per day`
      warn('vault.noCap', what, 'Set outflowCapPerDay in the chains file and run `npm run deploy`.')
    }
  }

  async function code(address: Address): Promise<string> {
    const [answer] = await ask([call('eth_getCode', address, 'latest')])
    if (typeof answer?.result !== 'string') throw new Error(answer?.error?.message ?? 'eth_getCode gave nothing')
    return answer.result
  }

  /** One word, or null where the call fails or returns something else. */
  async function raw(to: Address, data: Hex): Promise<Hex | null> {
    const [answer] = await ask([call('eth_call', { to, data }, 'latest')])
    return typeof answer?.result === 'string' && answer.result.length >= 66 ? (answer.result as Hex) : null
  }

  function read(functionName: string, args: readonly unknown[] = []): Promise<unknown> {
    return readOf(vault, functionName, args)
  }

  async function readOf(contract: Address, functionName: string, args: readonly unknown[] = []): Promise<unknown> {
    const abi = solverVaultAbi as Abi
    const data = await raw(contract, encodeFunctionData({ abi, functionName, args }))
    try {
      return data && decodeFunctionResult({ abi, functionName, data })
    } catch {
      return null
    }
  }
}
