import { join } from 'node:path'
import { createChains } from '../chain/createChain.js'
import { untilAborted } from '../concurrency/untilAborted.js'
import type { Config } from '../config/config.js'
import { startDevnet } from '../devnet/devnet.js'
import type { Settings } from '../domain/settings.js'
import type { EngineTools } from '../engine/tools.js'
import type { Metrics } from '../process/metrics.js'
import type { Database } from '../store/connection/database.js'
import type { Store } from '../store/store.js'
import { createKnownChains } from './knownChains.js'
import { checkAndRememberDeployment } from './knownDeployment.js'
import { refuseMissingVaults } from './missingVaults.js'
import { openSigners } from './openSigners.js'
import type { Start } from './start.js'
import { refuseOtherDecimals } from './tokenDecimals.js'

/**
 * Opens the configured chains and keys, or the embedded ones, and compares them with what the database knows of them.
 * Throws where the service must not go on with them.
 */
export async function openChains(
  config: Config,
  { database, store, metrics }: { database: Database; store: Store; metrics: Metrics },
  { log, signal, onStop }: Start,
) {
  const devnet = config.deployment ? null : await startDevnet({ dataDir: join(config.dataDir, 'chains') })
  if (devnet) onStop(() => devnet.stop())
  signal.throwIfAborted()
  const { chains: configs, groups } = (config.deployment ?? devnet)!
  const keys = config.deployment?.keys ?? { kind: 'plain', keys: devnet!.operatorKeys }

  const opened = await untilAborted(openSigners(keys), signal)
  const signers = new Map(opened.map((signer) => [signer.address, signer]))
  const knownChains = createKnownChains(store, configs)
  const chains = createChains(configs, {
    isGenesis: knownChains.isGenesis,
    onRoundTrip: ({ chainId, node, outcome, durationMs }) =>
      metrics.observeRpc(chainId, node, outcome, durationMs / 1000),
  })
  const checks = [
    knownChains.refuseOthers(chains),
    refuseOtherDecimals(chains, log),
    refuseMissingVaults(chains, database, log),
  ]
  await untilAborted(Promise.all(checks), signal)
  const remembering = checkAndRememberDeployment(database, configs, log)
  const { funders, ...dropped } = await untilAborted(remembering, signal)

  const settings: Settings = {
    chains: new Map(configs.map((chain) => [chain.chainId, chain])),
    groups,
    operators: [...signers.keys()],
    funders,
    onDemandProof: config.onDemandProof,
  }
  /** The engine fills these two with what it finds out about its keys; the health report reads them. */
  const signerFaults: EngineTools['signerFaults'] = new Map()
  const unopenedLanes: EngineTools['unopenedLanes'] = new Map()
  return { configs, chains, settings, signers, signerFaults, unopenedLanes, ...dropped }
}
