import { type Address, zeroHash } from 'viem'
import { encodeIsChainBatchProcessed } from '../../server/chain/contracts.js'
import { delegateRuntime } from '../../server/chain/generated/contracts.js'
import type { ChainConfig } from '../../server/domain/chainConfig.js'
import { checkInventory, checkToken } from './checkTokens.js'
import { checkFormerVault, checkVault } from './checkVault.js'
import { type Ask, type ContractReader, createContractReader } from './contractReader.js'
import { createFindings, type Finding, type Findings } from './finding.js'
import { deployIt, lookAgain } from './remedies.js'

/** Whether delegate and vault are there and as this build made them, whom the vault obeys, and what it holds. */
export async function checkContracts(chain: ChainConfig, ask: Ask, operators: readonly Address[]): Promise<Finding[]> {
  const findings = createFindings(`chain ${chain.chainId}`)
  const read = createContractReader(ask)
  for (const [index, delegate] of chain.delegates.entries()) {
    await checkDelegate(delegate, { isOffered: index === 0 }, read, findings)
  }
  const isVault = await checkVault(chain, operators, read, findings)
  for (const former of chain.formerVaults ?? []) await checkFormerVault(former, operators, read, findings)
  for (const token of chain.tokens) {
    const isThere = await checkToken(token, read, findings)
    // Nobody is to send anything to what is no vault.
    if (isThere && isVault) await checkInventory(token, chain, read, findings)
  }
  return findings.list
}

/** Users may authorize each of them, the older ones too; only the one that is offered has to be of this build. */
async function checkDelegate(
  delegate: Address,
  { isOffered }: { isOffered: boolean },
  read: ContractReader,
  { fault, warn }: Findings,
): Promise<void> {
  const code = await read.code(delegate)
  if (code === '0x') return fault('delegate.missing', `no code at ${delegate}`, deployIt)
  if (!(await read.word(delegate, encodeIsChainBatchProcessed(zeroHash)))) {
    return fault('delegate.foreign', `what is at ${delegate} is no delegate`, deployIt)
  }
  if (isOffered && code !== delegateRuntime) {
    warn('delegate.otherBuild', `the delegate at ${delegate} is of another build`, lookAgain)
  }
}
