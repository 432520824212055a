import { encodeFunctionData, erc20Abi, formatUnits } from 'viem'
import { nativeToken } from '../../server/domain/action.js'
import type { ChainConfig } from '../../server/domain/chainConfig.js'
import type { ContractReader } from './contractReader.js'
import type { Findings } from './finding.js'

type Token = ChainConfig['tokens'][number]

/** Whether it is there and counts as the chains file says. False: what is there is no token. */
export async function checkToken(token: Token, read: ContractReader, { fault }: Findings): Promise<boolean> {
  if (token.address === nativeToken) return true
  const decimals = await read.word(token.address, encodeFunctionData({ abi: erc20Abi, functionName: 'decimals' }))
  if (!decimals) {
    const what = `no token "${token.id}" at ${token.address}`
    fault('token.missing', what, 'Correct its address in the chains file.')
    return false
  }
  if (Number(BigInt(decimals)) !== token.decimals) {
    const what = `"${token.id}" has ${BigInt(decimals)} decimals, the chains file says ${token.decimals}`
    fault('token.decimals', what, 'Correct it at once: all conversions within its group are wrong by that factor.')
  }
  return true
}

/** How much of it the vault holds, and how much of it may leave in a day. */
export async function checkInventory(
  token: Token,
  chain: ChainConfig,
  read: ContractReader,
  findings: Findings,
): Promise<void> {
  const { vault } = chain
  const balanceOf = encodeFunctionData({ abi: erc20Abi, functionName: 'balanceOf', args: [vault] })
  const word = token.address === nativeToken ? await read.balance(vault) : await read.word(token.address, balanceOf)
  const held = word === null ? null : BigInt(word)
  if (held === 0n) {
    const remedy = `Send ${token.symbol} to ${vault}, or payouts of it fail.`
    findings.warn('vault.empty', `the vault holds no ${token.id}`, remedy)
  } else if (held !== null && held < token.minInventory) {
    const [has, least] = [held, token.minInventory].map((amount) => formatUnits(amount, token.decimals))
    const what = `the vault holds ${has} ${token.symbol}, below minInventory, which is ${least}`
    findings.warn('vault.low', what, `Send ${token.symbol} to ${vault}, or correct minInventory in the chains file.`)
  }
  await checkCap(token, chain, read, findings)
}

async function checkCap(
  token: Token,
  { vault, testnet }: ChainConfig,
  read: ContractReader,
  { fault, warn }: Findings,
): Promise<void> {
  const outflow = (await read.vault(vault, 'outflowOf', [token.address])) as readonly [bigint, bigint, number] | null
  if (!outflow) return
  const [cap] = outflow
  const show = (amount: bigint) => (amount === 0n ? 'none' : formatUnits(amount, token.decimals))
  if (token.outflowCapPerDay !== undefined && token.outflowCapPerDay !== cap) {
    const what = `the cap of "${token.id}" is ${show(cap)}, the chains file says ${show(token.outflowCapPerDay)}`
    fault('vault.capDiffers', what, 'Run `npm run deploy`, or correct outflowCapPerDay.')
  } else if (cap === 0n && !testnet) {
    const what = `operators may pay "${token.id}" without a limit per day`
    warn('vault.noCap', what, 'Set outflowCapPerDay in the chains file and run `npm run deploy`.')
  }
}
