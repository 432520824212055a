import type { Address, Hex } from 'viem'
import { solverVaultRuntime } from '../../server/chain/generated/contracts.js'
import { type ChainConfig, fundersOf } from '../../server/domain/chainConfig.js'
import type { ContractReader } from './contractReader.js'
import type { Findings } from './finding.js'
import { deployIt, lookAgain } from './remedies.js'

/** Whether the vault is there, whose it is, and whom it obeys. False: what is there is no vault. */
export async function checkVault(
  chain: ChainConfig,
  operators: readonly Address[],
  read: ContractReader,
  findings: Findings,
): Promise<boolean> {
  const { vault } = chain
  const code = await read.code(vault)
  if (code === '0x') {
    findings.fault('vault.missing', `no code at ${vault}`, deployIt)
    return false
  }
  if (!(await answersAsVault(vault, read))) {
    findings.fault('vault.foreign', `what is at ${vault} is no SolverVault`, deployIt)
    return false
  }
  if (code !== solverVaultRuntime) {
    findings.warn('vault.otherBuild', `the vault ${vault} is of another build`, lookAgain)
  }
  await checkOwner(chain, operators, read, findings)
  for (const operator of operators) {
    if ((await read.vault(vault, 'isOperator', [operator])) === true) continue
    const remedy = `If it is to operate, run \`npm run deploy\` with --operators ${operator}. If its right was taken on purpose, take it out of the keys.`
    findings.fault('operator.notAllowed', `the vault does not take orders from ${operator}`, remedy)
  }
  return true
}

/** Whether one that was used before is a vault, and obeys nobody any more. */
export async function checkFormerVault(
  former: Address,
  operators: readonly Address[],
  read: ContractReader,
  { fault, warn }: Findings,
): Promise<void> {
  if (!(await answersAsVault(former, read))) {
    const what = `what is at ${former}, a former vault, is no SolverVault`
    return fault('formerVault.foreign', what, 'Correct the address in formerVaults in the chains file.')
  }
  for (const operator of operators) {
    if ((await read.vault(former, 'isOperator', [operator])) !== true) continue
    const remedy = `Once nothing is under way that was signed before: setOperator(${operator}, false) with its owner.`
    warn('formerVault.operator', `the former vault ${former} takes orders from ${operator} still`, remedy)
  }
}

async function answersAsVault(address: Address, read: ContractReader): Promise<boolean> {
  return (await read.vault(address, 'owner')) !== null && (await read.vault(address, 'isOperator', [address])) !== null
}

async function checkOwner(
  chain: ChainConfig,
  operators: readonly Address[],
  read: ContractReader,
  { fault, warn }: Findings,
): Promise<void> {
  const { vault, vaultOwner, testnet } = chain
  const owner = String(await read.vault(vault, 'owner')).toLowerCase() as Address
  if (operators.includes(owner)) {
    const report = testnet ? warn : fault
    const what = `the operator ${owner} owns the vault: whoever gets this hot key can take everything`
    report('vault.ownerIsOperator', what, 'transferOwnership to a cold key, and acceptOwnership with that.')
  }
  if (vaultOwner !== undefined && owner !== vaultOwner) {
    const what = `${owner} owns the vault and can take everything; the chains file says ${vaultOwner}`
    fault('vault.wrongOwner', what, 'Pay nothing into it, and correct vault or vaultOwner in the chains file.')
  }
  if (!testnet && !fundersOf(chain).includes(owner)) {
    const what = `nothing in the chains file says that what ${owner}, who owns the vault, pays it is inventory: anyone could have it paid back to him by an unsigned action`
    warn('vault.ownerUnnamed', what, `Add ${owner} to inventoryFrom, and who else sends the vault inventory.`)
  }
  const pending = await read.vault(vault, 'pendingOwner')
  if (pending && BigInt(pending as Hex) !== 0n) {
    warn('vault.ownershipPending', `${String(pending)} has not accepted the ownership`, 'acceptOwnership with it.')
  }
  if ((await read.vault(vault, 'paused')) === true) {
    fault('vault.paused', 'the vault is paused: nothing is paid', 'setPaused(false) with the owner, once it is safe.')
  }
}
