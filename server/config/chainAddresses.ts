import { getAddress } from 'viem'
import { nativeToken } from '../domain/action.js'

/** A contract that a chain of the chains file names; `place` is where in the file. */
type NamedAddress = {
  place: string
  address: string
  kind: 'vault' | 'former vault' | 'delegate' | 'token' | 'owner' | 'funder'
}

/**
 * What is wrong with the addresses of one chain. Clients are told to pay the vault and to authorize the delegate as
 * they stand in the file, so that a placeholder or a wrong letter costs users their money.
 */
export function checkAddresses(named: readonly NamedAddress[]): string[] {
  const problems: string[] = []
  for (const { place, address, kind } of named) {
    const isNative = kind === 'token' && BigInt(address) === BigInt(nativeToken)
    const wrong = isNative ? null : wrongWith(address)
    if (wrong) problems.push(`${place}: ${wrong}`)
  }
  for (const vault of named.filter(({ kind }) => kind === 'vault')) {
    for (const other of named) {
      if (!['token', 'delegate'].includes(other.kind) || !isSame(vault, other)) continue
      // Two zero addresses are problems already, each by itself.
      if (BigInt(vault.address) !== 0n) problems.push(`${vault.place}: is the same address as ${other.place}`)
    }
  }
  return problems
}

/** What is wrong with an address that has to be somebody's, a contract's or a key's; null: nothing that can be seen. */
export function wrongWith(address: string): string | null {
  if (!/^0x[0-9a-fA-F]{40}$/.test(address)) return 'is no address'
  if (BigInt(address) === BigInt(nativeToken)) return "is the zero address, which is nobody's"
  return hasRightChecksum(address) ? null : 'has a wrong checksum (EIP-55), so that a letter may be wrong; copy it anew'
}

/** Also true for an address without a checksum, which only letters of both cases make. */
export function hasRightChecksum(address: string): boolean {
  const digits = address.slice(2)
  if (digits === digits.toLowerCase() || digits === digits.toUpperCase()) return true
  return getAddress(address.toLowerCase()) === address
}

function isSame(one: NamedAddress, other: NamedAddress): boolean {
  return one.address.toLowerCase() === other.address.toLowerCase()
}
