import { pbkdf2Sync } from 'node:crypto'
import { type Hex, toHex } from 'viem'
import { HDKey, type PrivateKeyAccount, privateKeyToAccount } from 'viem/accounts'
import { devMnemonic } from './anvil.js'

let parent: HDKey | null = null

const accounts = new Map<number, PrivateKeyAccount>()

/** The key of one of anvil's well-known accounts, which are public. */
export function devKey(index: number): Hex {
  parent ??= HDKey.fromMasterSeed(seed()).derive("m/44'/60'/0'/0")
  return toHex(parent.deriveChild(index).privateKey!)
}

/** BIP-39, without a passphrase. By node's own code, since in JavaScript it takes 0.1 s of each start. */
function seed(): Uint8Array {
  return pbkdf2Sync(devMnemonic, 'mnemonic', 2_048, 64, 'sha512')
}

export function devAccount(index: number): PrivateKeyAccount {
  const account = accounts.get(index) ?? privateKeyToAccount(devKey(index))
  accounts.set(index, account)
  return account
}
