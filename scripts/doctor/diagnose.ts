import type { Address, Hash } from 'viem'
import { NodeFailure } from '../../server/chain/nodes/nodeFailure.js'
import { createRedactor } from '../../server/chain/nodes/redact.js'
import { loadConfig } from '../../server/config/config.js'
import type { ChainConfig } from '../../server/domain/chainConfig.js'
import { readGenesis } from '../../server/store/chainIdentities.js'
import type { Database } from '../../server/store/connection/database.js'
import { isOfDatabase, isOutage } from '../../server/store/connection/databaseErrors.js'
import { lags } from '../../server/domain/lag.js'
import { describePlace } from '../tools/place.js'
import { checkContracts } from './checkContracts.js'
import { checkDatabase, explainFailure } from './checkDatabase.js'
import { checkDropped } from './checkDropped.js'
import { checkKeys } from './checkKeys.js'
import { checkNode, checkPublicNode } from './checkNode.js'
import { checkOperators, checkUsedBefore } from './checkOperators.js'
import { createFindings, type Finding } from './finding.js'

/**
 * Compares a configuration with the living world: keys, nodes, contracts, operators, database. Changes nothing. `say`
 * is told what was looked at, which is no finding.
 */
export async function diagnose(
  env: NodeJS.ProcessEnv,
  now: () => number = Date.now,
  say: (line: string) => void = () => undefined,
): Promise<Finding[]> {
  const loaded = loadConfig(env)
  if (!loaded.ok) {
    const { list, fault } = createFindings('configuration')
    for (const problem of loaded.problems) fault('config.invalid', problem, 'Correct it; the rest is looked at then.')
    return list
  }
  const { deployment } = loaded.config
  say(describePlace(loaded.config))
  const { findings, database, isUnused } = await checkDatabase(loaded.config.database, now, say)
  try {
    // The embedded chains run only with the service, which sets them up by itself.
    if (!deployment) return findings
    if (database) findings.push(...(await checkDropped(deployment.chains, database)))
    const keys = await checkKeys(deployment.keys, deployment.chains[0]!.chainId, env)
    findings.push(...keys.findings)
    const parts = await Promise.allSettled(
      deployment.chains.map((chain) => checkChain(chain, keys.operators, { database, isUnused }, now())),
    )
    findings.push(...parts.flatMap((part) => (part.status === 'fulfilled' ? part.value : [])))
    const failed = parts.find((part) => part.status === 'rejected')
    if (failed) throw failed.reason
    return findings
  } catch (error) {
    if (!isOfDatabase(error) && !isOutage(error)) throw error
    const found = createFindings('database')
    explainFailure(error, loaded.config.database, found)
    return [...findings, ...found.list]
  } finally {
    await database?.close()
  }
}

async function checkChain(
  chain: ChainConfig,
  operators: readonly Address[],
  { database, isUnused }: { database: Database | null; isUnused: boolean },
  now: number,
): Promise<Finding[]> {
  const { list, fault, warn } = createFindings(`chain ${chain.chainId}`)
  if (chain.agreement < 2 && !chain.testnet) {
    const what =
      'money moves on what a single node says (`agreement` is 1): if it tells of a payment that never was, that is credit'
    warn(
      'rpc.noAgreement',
      what,
      'Name nodes of several operators in rpcUrls, and set agreement to 2 or more in the chains file.',
    )
  }
  const known = database && (await readGenesis(database, chain.chainId))
  const isGenesis = async (hash: Hash) => known === null || hash === known
  const reports = await Promise.all(chain.rpcUrls.map((_url, index) => checkNode(chain, index, isGenesis, now)))
  const found = [...reports.flatMap((report) => report.findings), ...(await checkPublicNode(chain, isGenesis))]
  if (reports.every(({ isOtherChain }) => isOtherChain)) {
    const what = 'it is not the chain that the database was made with: it was reset, or another one answers'
    fault('chain.reset', what, 'Give the service an empty database, or the right chain.')
    return [...list, ...found.filter(({ name }) => name !== 'rpc.wrongChain')]
  }
  const nodes = reports.flatMap(({ node }, index) => (node ? [{ ...node, index }] : []))
  nodes.sort((a, b) => Number(b.head.number - a.head.number))
  const best = nodes[0]
  if (!best) return [...found, ...list]
  if (nodes.length < chain.agreement) {
    const what = `${chain.agreement} nodes have to agree before money moves, and ${nodes.length} can be asked`
    fault('rpc.tooFewAgree', what, 'Add nodes to rpcUrls, or lower agreement in the chains file.')
  }
  for (const [place, behind] of lags(
    nodes.map(({ head }) => head),
    now,
  ).entries()) {
    if (behind === 0) continue
    warn('rpc.behind', `rpcUrls/${nodes[place]!.index} is ${behind} blocks behind`, 'Let it sync, or use another.')
  }
  try {
    found.push(...(await checkContracts(chain, best.ask, operators)))
    found.push(...(await checkOperators(chain, [best, ...nodes.slice(1)], operators, database)))
    if (isUnused && !chain.testnet) found.push(...(await checkUsedBefore(chain, nodes, operators)))
  } catch (error) {
    if (!(error instanceof NodeFailure)) throw error
    const place = `rpcUrls/${best.index}`
    const text = createRedactor(chain.rpcUrls)(error.message)
    const remedy = `Check ${place} of chain ${chain.chainId} in the chains file, and look again.`
    fault('rpc.unreachable', `${place} fell silent while it was asked for contracts and operators: ${text}`, remedy)
  }
  return [...found, ...list]
}
