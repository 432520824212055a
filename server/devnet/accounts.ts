import { type Hex, toHex } from 'viem'
import { type HDAccount, mnemonicToAccount, type PrivateKeyAccount, privateKeyToAccount } from 'viem/accounts'
import { devMnemonic } from './anvil.js'

let parent: ReturnType<HDAccount['getHdKey']> | null = null

const accounts = new Map<number, PrivateKeyAccount>()

/** The key of one of anvil's well-known accounts, which are public. The mnemonic's seed takes long, so it is made once. */
export function devKey(index: number): Hex {
  parent ??= mnemonicToAccount(devMnemonic, { path: "m/44'/60'/0'/0" }).getHdKey()
  return toHex(parent.deriveChild(index).privateKey!)
}

export function devAccount(index: number): PrivateKeyAccount {
  const account = accounts.get(index) ?? privateKeyToAccount(devKey(index))
  accounts.set(index, account)
  return account
}
