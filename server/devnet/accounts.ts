import { type Hex, toHex } from 'viem'
import { type HDAccount, mnemonicToAccount, privateKeyToAccount } from 'viem/accounts'
import { devMnemonic } from './anvil.js'

let parent: ReturnType<HDAccount['getHdKey']> | null = null

/** The key of one of anvil's well-known accounts, which are public. The mnemonic's seed takes long, so it is made once. */
export function devKey(index: number): Hex {
  parent ??= mnemonicToAccount(devMnemonic, { path: "m/44'/60'/0'/0" }).getHdKey()
  return toHex(parent.deriveChild(index).privateKey!)
}

export function devAccount(index: number) {
  return privateKeyToAccount(devKey(index))
}
