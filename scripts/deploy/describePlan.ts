import { type Address, formatUnits, type PublicClient } from 'viem'
import type { ChainPlan } from './planChain.js'
import { feesOf } from './sendSteps.js'

/** Says what is to be done on a chain and what it costs. Answers why it can't be done now; null: it can. */
export async function describePlan(
  { chain, steps }: ChainPlan,
  reader: PublicClient,
  deployer: Address,
  say: (line: string) => void,
): Promise<string | null> {
  say(`${chain.chainId} ${chain.name}: ${steps.length === 0 ? 'nothing to do' : `${steps.length} transactions`}`)
  const fees = await feesOf(chain, reader)
  const maxFeePerGas = 'refusal' in fees ? chain.maxFeePerGasCap : fees.maxFeePerGas
  const { decimals, symbol } = chain.nativeCurrency
  let cost = 0n
  for (const { what, by, gas, value } of steps) {
    const price = gas * maxFeePerGas + value
    if (by === 'deployer') cost += price
    say(`  ${by}: ${what} (about ${gas} gas, at most ${formatUnits(price, decimals)} ${symbol})`)
  }
  if (cost === 0n) return null
  const balance = await reader.getBalance({ address: deployer })
  const has = `${formatUnits(balance, decimals)}${balance < cost ? ', which is too little' : ''}`
  say(`  costs ${deployer} at most ${formatUnits(cost, decimals)} ${symbol}; it has ${has}`)
  if (balance < cost) return `Chain ${chain.chainId}: ${deployer} can't pay for it; send it gas first.`
  return 'refusal' in fees ? fees.refusal : null
}
