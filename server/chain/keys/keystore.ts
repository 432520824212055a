import { scrypt as nodeScrypt } from 'node:crypto'
import { promisify } from 'node:util'
import { scrypt } from 'ethers/crypto'
import { decryptKeystoreJson } from 'ethers/wallet'
import type { Hex } from 'viem'

const derive = promisify<Uint8Array, Uint8Array, number, object, Buffer>(nodeScrypt)

// Node's own scrypt is several times as fast as the library's, and leaves the event loop alone.
scrypt.register((password, salt, N, r, p, length) =>
  derive(password, salt, length, { N, r, p, maxmem: 256 * N * r + 1024 * 1024 }),
)

/**
 * The private key of a keystore file (Web3 Secret Storage, version 3). Throws, without anything secret, if it can't.
 */
export async function decryptKeystore(json: string, password: string): Promise<Hex> {
  try {
    const account = await decryptKeystoreJson(json, password)
    return account.privateKey as Hex
  } catch (error) {
    const isPassword = /incorrect password/i.test(error instanceof Error ? error.message : '')
    // The library's own error repeats its arguments.
    throw new Error(isPassword ? 'the password does not fit' : 'it is damaged, or its form is not supported')
  }
}
