import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Devnet } from '../../server/devnet/devnet.js'

/** The environment that names a devnet's chains by a chains file, as a deployment names its own. */
export function chainsFileOf(devnet: Devnet, folder: string): { CHAINS_FILE: string; SOLVER_PRIVATE_KEYS: string } {
  const chains = devnet.chains.map(({ tokens, publicRpcUrl, explorerUrl: _none, ...chain }) => ({
    ...chain,
    ...(publicRpcUrl && { publicRpcUrl }),
    maxFeePerGasCap: chain.maxFeePerGasCap.toString(),
    priorityFeePerGas: chain.priorityFeePerGas.toString(),
    tokens: tokens.map(({ id, symbol, name, address, decimals, group, airdrop }) => ({
      ...{ id, symbol, name, address, decimals },
      ...(group && { group }),
      ...(airdrop && { airdrop: { amount: airdrop.amount.toString(), periodSeconds: airdrop.periodSeconds } }),
    })),
  }))
  const file = join(folder, 'chains-file.json')
  writeFileSync(file, JSON.stringify({ groups: devnet.groups, chains }))
  return { CHAINS_FILE: file, SOLVER_PRIVATE_KEYS: devnet.operatorKeys.join(',') }
}
