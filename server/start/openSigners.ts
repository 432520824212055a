import type { Address } from 'viem'
import { createRemoteSigners } from '../chain/keys/remoteSigner.js'
import { createSigner, type Signer } from '../chain/keys/signer.js'
import type { OperatorKeys } from '../config/operatorKeys.js'

/** Operator keys that can't be used, with every reason; none of them says anything secret. */
export class KeysUnusable extends Error {
  override readonly name = 'KeysUnusable'

  constructor(readonly problems: string[]) {
    super(problems.join('; '))
  }
}

/** Makes signers of what the configuration names: decrypts what is encrypted. A remote signer is not asked yet. */
export async function openSigners(keys: OperatorKeys): Promise<Signer[]> {
  if (keys.kind === 'plain') return keys.keys.map((key) => createSigner(key))
  if (keys.kind === 'remote') return createRemoteSigners(keys.url, keys.addresses)
  if (keys.kind === 'addresses') return keys.addresses.map(silentSigner)
  // Loaded only where there are keystores: its library takes a twentieth of an idle process's memory.
  const { decryptKeystore } = await import('../chain/keys/keystore.js')
  const problems: string[] = []
  const signers: Signer[] = []
  for (const { path, json } of keys.files) {
    try {
      const signer = createSigner(await decryptKeystore(json, keys.password))
      const isKnown = signers.some(({ address }) => address === signer.address)
      if (isKnown) problems.push(`keystore ${path}: its key is there twice`)
      signers.push(signer)
    } catch (error) {
      problems.push(`keystore ${path}: can't be opened: ${(error as Error).message}`)
    }
  }
  if (problems.length > 0) throw new KeysUnusable(problems)
  return signers
}

/** Stands for a key that this process does not have, of which it only knows the address. */
function silentSigner(address: Address): Signer {
  return { address, signTransaction: () => Promise.reject(new Error('this process has no keys')) }
}
