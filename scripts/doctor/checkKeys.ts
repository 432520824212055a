import { statSync } from 'node:fs'
import type { Address } from 'viem'
import type { Signer } from '../../server/chain/keys/signer.js'
import { KeysUnusable, openSigners } from '../../server/start/openSigners.js'
import type { OperatorKeys } from '../../server/config/operatorKeys.js'
import { createFindings, type Finding } from './finding.js'

/** Whether the operators' keys open and sign, and are readable by nobody else. */
export async function checkKeys(
  keys: OperatorKeys,
  chainId: number,
  env: NodeJS.ProcessEnv,
): Promise<{ findings: Finding[]; operators: Address[] }> {
  const { list, fault, warn } = createFindings('operator keys')
  // There is nothing to open and nothing that signs.
  if (keys.kind === 'addresses') return { findings: list, operators: keys.addresses }
  if (keys.kind === 'keystore') {
    const files = [...keys.files.map(({ path }) => path), env.SOLVER_KEYS_PASSWORD_FILE].filter((path) => path)
    for (const path of files as string[]) {
      if ((statSync(path).mode & 0o077) === 0) continue
      warn('keys.readable', `${path} is readable by other users of this machine`, `chmod 600 ${path}`)
    }
  }
  let signers: Signer[] = []
  try {
    signers = await openSigners(keys)
  } catch (error) {
    if (!(error instanceof KeysUnusable)) throw error
    const remedy = 'Correct SOLVER_KEYS_FILE or the password; one password opens all files.'
    for (const problem of error.problems) fault('keys.unusable', problem, remedy)
  }
  for (const signer of signers) {
    try {
      await signer.signTransaction(worthless(signer.address, chainId))
    } catch (error) {
      const what = `${signer.address} gives no signature: ${(error as Error).message}`
      fault(
        'signer.unavailable',
        what,
        'Start the signer, give it the key, or correct SOLVER_SIGNER_URL and _ADDRESSES.',
      )
    }
  }
  return { findings: list, operators: signers.map(({ address }) => address) }
}

/** Without gas no chain takes it, whoever gets hold of it. */
function worthless(to: Address, chainId: number) {
  const nothing = { value: 0n, gas: 0n, maxFeePerGas: 0n, maxPriorityFeePerGas: 0n, authorizations: [] }
  return { chainId, nonce: 0, to, data: '0x' as const, ...nothing }
}
