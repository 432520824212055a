import type { Hash } from 'viem'
import { createRedactor } from '../../server/chain/nodes/redact.js'
import { call, readBlock } from '../../server/chain/nodes/rpcFormat.js'
import { createRpcNode } from '../../server/chain/nodes/rpcNode.js'
import type { Block } from '../../server/chain/chain.js'
import type { ChainConfig } from '../../server/domain/chainConfig.js'
import { checkAbilities } from './checkAbilities.js'
import { checkTip } from './checkTip.js'
import type { Ask } from './contractReader.js'
import { createFindings, type Finding } from './finding.js'

/** Whether it is the first block of the chain that the database was made with. */
type IsGenesis = (hash: Hash) => Promise<boolean>

export type NodeReport = {
  findings: Finding[]
  /** Null: nothing can be asked of this node. */
  node: { ask: Ask; head: Block } | null
  /** It is of another chain than the database was made with, though of the same id. */
  isOtherChain: boolean
}

const quiet = { timeoutMs: 10_000, onRoundTrip: () => undefined }
/** Older than this, a head says that the node (or the chain) stands still. */
const staleMs = 10 * 60_000
/** Blocks may be this far ahead of a clock that is right. */
const aheadMs = 30_000

/** Whether one node answers, is of the right chain, knows what the service asks for, and keeps up. */
export async function checkNode(
  chain: ChainConfig,
  index: number,
  isGenesis: IsGenesis,
  now: number,
): Promise<NodeReport> {
  const url = chain.rpcUrls[index]!
  const redact = createRedactor([url])
  const found = createFindings(`chain ${chain.chainId}, rpcUrls/${index}`)
  const { list, fault, warn } = found
  const place = `rpcUrls/${index} of chain ${chain.chainId} in the chains file`
  let isOtherChain = false
  const node = createRpcNode({
    ...{ chainId: chain.chainId, url, index, ...quiet },
    async isGenesis(hash) {
      isOtherChain = !(await isGenesis(hash))
      return !isOtherChain
    },
  })
  const ask: Ask = (calls) => node.ask(calls)
  const { protocol, hostname } = new URL(url)
  if (protocol === 'http:' && !/^(localhost|127\.|10\.|192\.168\.|\[::1\])/.test(hostname)) {
    warn('rpc.plainHttp', 'it is asked over http, readable and changeable on the way', `Use https in ${place}.`)
  }

  let head: Block
  try {
    const [block] = await ask([call('eth_getBlockByNumber', 'latest', false)])
    head = readBlock(block!.result)
  } catch (error) {
    const text = redact(error instanceof Error ? error.message : 'no answer')
    if (isOfAnother(text)) fault('rpc.wrongChain', text, `Correct ${place}, or its chainId.`)
    else fault('rpc.unreachable', text, `Check ${place}: address, credentials, firewall; or take it out.`)
    return { findings: list, node: null, isOtherChain }
  }

  const headMs = Number(head.timestamp) * 1000
  if (now - headMs > staleMs) {
    const minutes = Math.round((now - headMs) / 60_000)
    warn('rpc.stale', `its newest block is ${minutes} minutes old`, 'Let the node sync, or use another.')
  }
  if (headMs - now > aheadMs) {
    const seconds = Math.round((headMs - now) / 1000)
    fault('clock.skew', `its newest block is ${seconds} s ahead of this machine's clock`, 'Set the clock (NTP).')
  }
  try {
    await checkAbilities({ ask, place, redact }, found)
    await checkTip(chain, ask, found)
  } catch (error) {
    const text = redact(error instanceof Error ? error.message : 'no answer')
    fault('rpc.unreachable', `it fell silent while it was asked: ${text}`, `Check ${place}.`)
    return { findings: list, node: null, isOtherChain }
  }
  return { findings: list, node: { ask, head }, isOtherChain }
}

/** Whether the node that clients are shown is of the chain, and is none that only the service should know. */
export async function checkPublicNode(chain: ChainConfig, isGenesis: IsGenesis): Promise<Finding[]> {
  const { list, fault, warn } = createFindings(`chain ${chain.chainId}, publicRpcUrl`)
  const url = chain.publicRpcUrl
  if (url === null) return list
  const place = `publicRpcUrl of chain ${chain.chainId} in the chains file`
  const { pathname, search } = new URL(url)
  if (chain.rpcUrls.includes(url) && pathname + search !== '/') {
    const what = 'clients are shown the address that the service asks, and its path may be a key'
    warn('publicRpc.shared', what, `Name a public node, or none, as ${place}.`)
  }
  try {
    const node = createRpcNode({ chainId: chain.chainId, url, index: 0, isGenesis, ...quiet })
    await node.ask([call('eth_getBlockByNumber', 'latest', false)])
  } catch (error) {
    const text = createRedactor([url])(error instanceof Error ? error.message : 'no answer')
    if (isOfAnother(text)) fault('publicRpc.wrongChain', `${text}; wallets are shown it`, `Correct ${place}.`)
    else warn('publicRpc.unreachable', text, `Check ${place}, as far as this machine should reach it.`)
  }
  return list
}

/** Of what was wrong with a node, by our own words at the beginning: a node may say anything. */
export function isOfAnother(text: string): boolean {
  return /^the node is of (another )?chain /.test(text)
}
