import type { Address, PublicClient } from 'viem'
import { solverVaultAbi, solverVaultRuntime } from '../../server/chain/generated/contracts.js'
import { create2Address, vaultInitCode } from '../../server/devnet/deployContracts.js'
import type { ChainConfig } from '../../server/domain/chainConfig.js'
import { numberOf, readEntries } from './deployableFile.js'

/** The vaults that this build makes for an owner, by their number. */
export function vaultAddressesOf(owner: Address): (number: number) => Address {
  const initCode = vaultInitCode(owner)
  return (number) => create2Address(initCode, number)
}

/** Of those whom the file calls the vault's owner, the one for whom the vault was made that it names. Null: none. */
export function ownerInFile(path: string): Address | null {
  const entries = readEntries(path)
  const named = entries.flatMap(({ vaultOwner }) => (typeof vaultOwner === 'string' ? [vaultOwner.toLowerCase()] : []))
  const owners = [...new Set(named)].filter((owner): owner is Address => /^0x[0-9a-f]{40}$/.test(owner))
  return owners.find((owner) => numberOf(entries, vaultAddressesOf(owner)) !== null) ?? null
}

/**
 * Why a run that was given no owner may not put another vault in the place of the named
 * one. Null: it is the deployer's.
 */
export async function whyNotReplaced(
  chain: ChainConfig,
  reader: PublicClient,
  { named, deployer }: { named: Address; deployer: Address | undefined },
): Promise<string | null> {
  const current = await ownerOf(reader, named).catch(() => null)
  if (current !== null && current === deployer) return null
  const what = `Chain ${chain.chainId}: the vault ${named} to be replaced`
  if (current === null) return `${what} names no owner: give --owner with whom the next one is to belong to.`
  return `${what} is of owner ${current}: give --owner ${current}, or --owner with whom the next one is to belong to.`
}

/** Why the vault that the file names for the chain is not the one that this run makes, and what to do. */
export async function whyOtherVault(
  chain: ChainConfig,
  reader: PublicClient,
  { named, made, owner, isMixed }: { named: Address; made: Address; owner: Address; isMixed: boolean },
): Promise<string> {
  const what = `Chain ${chain.chainId}: the file names the vault ${named}, and this build and owner ${owner} make ${made}.`
  const code = (await reader.getCode({ address: named })) ?? '0x'
  if (code === '0x') {
    return `${what} There is no contract at the named one: correct it in the file, or have it replaced by --replace-vault.`
  }
  if (code.toLowerCase() !== solverVaultRuntime.toLowerCase()) {
    return (
      `${what} The named one was made by another build: its code differs. It keeps its inventory and its memory of what ` +
      'was paid: finish what is open, withdraw, then use --replace-vault.'
    )
  }
  const current = await ownerOf(reader, named)
  const number = numberOf([{ vault: named }], vaultAddressesOf(current))
  if (number === null) {
    return (
      `${what} The named one is of owner ${current}, and was made for another, who has transferred it: give --owner with ` +
      `the one whom it was made for, and name ${current} as vaultOwner in the file.`
    )
  }
  if (current !== owner) return `${what} The named one is of owner ${current}: give --owner ${current}.`
  const known = `${what} The named one is this owner's number ${number}`
  if (!isMixed) return `${known}: leave --vault-number out, or add --replace-vault.`
  return (
    `${known}, and a file has one number for all its chains: write those of another number into a file of their own, or ` +
    'replace all by --replace-vault and a --vault-number that none of them has.'
  )
}

async function ownerOf(reader: PublicClient, vault: Address): Promise<Address> {
  const owner = await reader.readContract({ address: vault, abi: solverVaultAbi, functionName: 'owner' })
  return owner.toLowerCase() as Address
}
