import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { zeroAddress } from 'viem'
import { deploy, type DeployOptions } from '../../scripts/deploy/deploy.js'
import { DeployRefused } from '../../scripts/deploy/deployRefused.js'
import { createSigner } from '../../server/chain/keys/signer.js'
import { readChainsFile } from '../../server/config/chainsFile.js'
import { devAccount, devKey } from '../../server/devnet/accounts.js'
import { type Anvil, type AnvilOptions, rpc, startAnvil } from '../../server/devnet/anvil.js'
import { lower } from '../chain/devChain.js'

export const addressOf = (index: number) => lower(devAccount(index).address)

/** Chains of its own and a chains file of them, written anew before each test, that is deployed as operators do. */
export function useDeployScene(chains: readonly AnvilOptions[]) {
  const folder = mkdtempSync(join(tmpdir(), 'deploy-'))
  const file = join(folder, 'chains.json')
  const anvils: Anvil[] = []
  const said: string[] = []

  before(async () => {
    for (const options of chains) anvils.push(await startAnvil(options))
  })
  beforeEach(() => {
    said.length = 0
    writeChains()
  })
  after(async () => {
    for (const anvil of anvils) await anvil.stop()
    rmSync(folder, { recursive: true, force: true })
  })

  function writeChains(change: Record<string, unknown> = {}) {
    const native = { id: 'eth', symbol: 'ETH', name: 'Ether', address: zeroAddress, decimals: 18 }
    const chains = anvils.map(({ chainId, url }) => ({
      chainId,
      name: `Chain ${chainId}`,
      testnet: true,
      rpcUrls: [url.replace('127.0.0.1', '${NODE}')],
      tokens: [{ ...native, outflowCapPerDay: '5000' }],
      ...change,
    }))
    writeFileSync(file, JSON.stringify({ chains }))
  }

  function run(options: Partial<DeployOptions> = {}) {
    const given: DeployOptions = {
      chainsFile: file,
      out: file,
      signer: createSigner(devKey(0)),
      isPlainKey: true,
      owner: addressOf(0),
      operators: [addressOf(1), addressOf(2)],
      areNamed: false,
      dryRun: false,
      replaceVault: false,
      replacePending: false,
      vaultNumber: null,
      env: { NODE: '127.0.0.1' },
      ...options,
    }
    return deploy(given, (line) => said.push(line))
  }

  return {
    folder,
    file,
    anvils,
    said,
    writeChains,
    run,
    written: () => readChainsFile(readFileSync(file, 'utf8'), { NODE: '127.0.0.1' }),
    /** Of the deployer on each chain. */
    nonces: () => Promise.all(anvils.map(({ url }) => rpc(url, 'eth_getTransactionCount', [addressOf(0), 'latest']))),
    refusal: (work: Promise<unknown>) =>
      work.then(
        () => '',
        (error: unknown) => (error instanceof DeployRefused ? error.message : Promise.reject(error)),
      ),
  }
}
