import { type Address, formatUnits } from 'viem'
import { call } from '../../server/chain/nodes/rpcFormat.js'
import type { ChainConfig } from '../../server/domain/chainConfig.js'
import { stepFeeCap } from '../../server/domain/feeCap.js'
import { fewTransactions, gasMark, transactionGas } from '../../server/domain/gasMark.js'
import type { Database } from '../../server/store/connection/database.js'
import { countOpenTransactions, readLanes } from '../../server/store/journal/lanes.js'
import type { NodeReport } from './checkNode.js'
import { createContractReader } from './contractReader.js'
import { createFindings, type Finding } from './finding.js'

type Node = NonNullable<NodeReport['node']>

const seePaused = 'See `lane_paused` under "When something is wrong" in server/OPERATING.md.'

/** Whether each operator can pay for gas on a chain, and whether chain and journal agree about its nonce. */
export async function checkOperators(
  chain: ChainConfig,
  /** Those that answer, the one with the newest block first. */
  nodes: readonly [Node, ...Node[]],
  operators: readonly Address[],
  /** Null: the journal can't be read. */
  database: Database | null,
): Promise<Finding[]> {
  const { list, fault, warn } = createFindings(`chain ${chain.chainId}`)
  const [node] = nodes
  const read = createContractReader(node.ask)
  const { baseFeePerGas } = node.head
  const perGas = baseFeePerGas + chain.priorityFeePerGas
  const { symbol, decimals } = chain.nativeCurrency
  if (perGas > stepFeeCap(chain)) {
    const what = `gas costs ${perGas} wei now; with maxFeePerGasCap ${chain.maxFeePerGasCap} steps offer ${stepFeeCap(chain)} at most`
    fault('fees.capTooLow', what, 'Raise maxFeePerGasCap in the chains file, or wait: nothing is sent above it.')
  }
  const mark = gasMark({ baseFeePerGas, priorityFeePerGas: chain.priorityFeePerGas })
  const lanes = database ? await readLanes(database, chain.chainId) : []
  for (const operator of operators) {
    const [wei, code] = await Promise.all([read.balance(operator), read.code(operator)])
    const has = `${operator} has ${formatUnits(wei, decimals)} ${symbol}`
    if (wei === 0n || wei < transactionGas * perGas) {
      fault('operator.noGas', `${has}: not enough for one transaction`, `Send it ${symbol} for gas.`)
    } else if (wei < mark) {
      const needed = `${fewTransactions} transactions of one step take up to ${formatUnits(mark, decimals)}`
      warn('operator.lowGas', `${has}; ${needed}`, `Send it ${symbol} for gas.`)
    }
    if (code !== '0x') {
      const what = `${operator} has code or a delegation; nodes keep few of its transactions waiting`
      warn('operator.hasCode', what, 'Use a key that is used for nothing else.')
    }
    const lane = lanes.find(({ signer }) => signer === operator)
    if (lane?.status === 'paused') fault('lane.paused', `${operator} signs nothing: ${lane.reason}`, seePaused)
  }
  // As the service itself compares them with the chain: by the highest that a node tells, those of keys
  // that are gone and paused ones too.
  for (const { signer, nextNonce } of lanes.filter(({ isAhead, isRetired }) => !isAhead && !isRetired)) {
    const nonce = await highestNonce(nodes, signer)
    if (nonce === null) {
      const what = `no node tells how many transactions of ${signer} there are`
      warn('operator.nonceUnknown', what, 'Use a node that answers eth_getTransactionCount.')
    }
    if (nonce === null || nonce <= nextNonce) continue
    fault(
      'operator.nonceAhead',
      `the chain knows ${nonce} transactions of ${signer}, the journal ${nextNonce}`,
      'Something else uses the key, or the database is an old one: see `lane_paused` in server/OPERATING.md.',
    )
  }
  for (const { signer, isAhead, reason } of lanes) {
    if (isAhead && !operators.includes(signer)) {
      fault(
        'lane.paused',
        `payouts are held for the lane of ${signer}, whose key is not configured: ${reason}`,
        seePaused,
      )
    }
  }
  const open = database ? await countOpenTransactions(database, chain.chainId) : []
  for (const [signer, count] of open) {
    if (operators.includes(signer)) continue
    const what = `${signer} has ${count} open transactions, and its key is not configured`
    const remedy =
      'Put the key back until they are final; `npm run operate -- status` shows when. If it is lost, see "A key is lost" in server/OPERATING.md.'
    fault('signer.missing', what, remedy)
  }
  return list
}

/**
 * Beside a database that no service has worked with, whether the chain has seen the operators before. A first start may
 * look so, where a key has been used for something else.
 */
export async function checkUsedBefore(
  chain: ChainConfig,
  nodes: readonly Node[],
  operators: readonly Address[],
): Promise<Finding[]> {
  const { list, warn } = createFindings(`chain ${chain.chainId}`)
  for (const operator of operators) {
    const nonce = await highestNonce(nodes, operator)
    if (!nonce) continue
    const what =
      `the chain knows ${nonce} transactions of ${operator}, and the database is empty: if the service has sent them, what ` +
      'users have paid since is not known any more, and payments that are reported anew would be credit once more; its lane ' +
      'will be held (`lane_paused`), and nothing paid out on credit'
    const remedy =
      'Name the database that the service had in DATABASE_URL or DATA_DIR, or restore its backup; a new one only beside a ' +
      'fresh vault: see "Starting with an empty database" in server/OPERATING.md. If this is the first start of all, use a ' +
      'key of its own.'
    warn('operator.usedBefore', what, remedy)
  }
  return list
}

/** With what waits in the nodes' pools, which may be mined. Null: none of them tells. */
async function highestNonce(nodes: readonly Node[], signer: Address): Promise<number | null> {
  const calls = ['latest', 'pending'].map((tag) => call('eth_getTransactionCount', signer, tag))
  const asked = nodes.flatMap(({ ask }) => calls.map((one) => ask([one]).catch(() => [])))
  const told = (await Promise.all(asked)).flatMap(([answer]) => {
    const nonce = Number(answer?.result ?? NaN)
    return Number.isNaN(nonce) ? [] : [nonce]
  })
  return told.length === 0 ? null : Math.max(...told)
}
