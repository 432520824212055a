import { type Address, concatHex, type Hex, padHex } from 'viem'
import { createRedactor } from '../../server/chain/redact.js'
import { call, delegationTo, readBlock, readObject } from '../../server/chain/rpcFormat.js'
import { createRpcNode, type RpcAnswer, type RpcCall } from '../../server/chain/rpcNode.js'
import type { Block } from '../../server/chain/chain.js'
import type { ChainConfig } from '../../server/domain/chainConfig.js'
import { createFindings, type Finding } from './finding.js'

export type Ask = (calls: readonly RpcCall[]) => Promise<RpcAnswer[]>

export type NodeReport = {
  findings: Finding[]
  /** Null: nothing can be asked of this node. */
  node: { ask: Ask; head: Block } | null
}

const timeoutMs = 10_000
/** Older than this, a head says that the node (or the chain) stands still. */
const staleMs = 10 * 60_000
/** Blocks may be this far ahead of a clock that is right. */
const aheadMs = 30_000
/** Code that returns 42, whoever is called. */
const answering: Hex = '0x602a60005260206000f3'
const borrower: Address = '0x00000000000000000000000000000000000b0b01'
const lender: Address = '0x00000000000000000000000000000000000b0b02'

/** Whether one node answers, is of the right chain, knows what the service asks for, and keeps up. */
export async function checkNode(chain: ChainConfig, index: number, now: number): Promise<NodeReport> {
  const url = chain.rpcUrls[index]!
  const redact = createRedactor([url])
  const { list, fault, warn } = createFindings(`chain ${chain.chainId}, rpcUrls/${index}`)
  const place = `rpcUrls/${index} of chain ${chain.chainId} in the chains file`
  const node = createRpcNode({ chainId: chain.chainId, url, index, timeoutMs, onRoundTrip: () => undefined })
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
    return { findings: list, node: null }
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
    await checkAbilities()
  } catch (error) {
    const text = redact(error instanceof Error ? error.message : 'no answer')
    fault('rpc.unreachable', `it fell silent while it was asked: ${text}`, `Check ${place}.`)
    return { findings: list, node: null }
  }
  return { findings: list, node: { ask, head } }

  async function checkAbilities(): Promise<void> {
    const target = { to: borrower, data: '0x' }
    const overriding = (code: Hex, extra = {}) => call('eth_call', target, 'latest', { [borrower]: { code }, ...extra })
    const designator = overriding(delegationTo(lender), { [lender]: { code: answering } })
    const simulation = call('eth_simulateV1', { blockStateCalls: [{ calls: [target] }] }, 'latest')
    const [receipts, plain, borrowed, simulated, raw, logs] = await ask([
      call('eth_getBlockReceipts', 'latest'),
      overriding(answering),
      designator,
      simulation,
      call('eth_getBlockByNumber', 'latest', false),
      call('eth_getLogs', { fromBlock: 'latest', toBlock: 'latest', topics: [padHex('0x1', { size: 32 })] }),
    ])
    if (!Array.isArray(receipts?.result)) {
      const what = `it does not know eth_getBlockReceipts${said(receipts)}; each receipt is asked for by itself`
      warn('rpc.noBlockReceipts', what, `Use a node that knows it in ${place}, or expect many more requests.`)
    }
    if (!isAnswer(plain)) {
      const what = `it does not take state overrides in eth_call${said(plain)}; first delegations can't be simulated`
      fault('rpc.noStateOverride', what, `Use a node that knows them in ${place}.`)
    }
    // A block since Prague commits to its requests. Chains of another make may not; there, overriding tells.
    const header = readObject(raw?.result)
    const knows7702 = header['requestsHash'] ? true : header['blobGasUsed'] === undefined && isAnswer(borrowed)
    if (!knows7702) {
      const what = `it shows no sign of EIP-7702 (Prague)${said(borrowed)}; mode 7702 can't work`
      fault('rpc.noEip7702', what, 'Use a chain and a node with the Prague rules.')
    }
    if (!Array.isArray(simulated?.result)) {
      const what = `it does not know eth_simulateV1${said(simulated)}; transfers are not compared before sending, and a payment that is found once the node has forgotten its block's state waits`
      warn('rpc.noSimulation', what, `Use a node that knows it in ${place}.`)
    }
    if (!Array.isArray(logs?.result)) {
      const what = `it does not answer eth_getLogs${said(logs)}; executions by others can't be found`
      warn('rpc.noLogs', what, `Use a node that answers it in ${place}.`)
    }
  }

  function said(answer: RpcAnswer | undefined): string {
    return answer?.error ? ` (${redact(answer.error.message)})` : ''
  }
}

/** Whether the node that clients are shown is of the chain, and is none that only the service should know. */
export async function checkPublicNode(chain: ChainConfig): Promise<Finding[]> {
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
    const node = createRpcNode({ chainId: chain.chainId, url, index: 0, timeoutMs, onRoundTrip: () => undefined })
    await node.ask([call('eth_getBlockByNumber', 'latest', false)])
  } catch (error) {
    const text = createRedactor([url])(error instanceof Error ? error.message : 'no answer')
    if (isOfAnother(text)) fault('publicRpc.wrongChain', `${text}; wallets are shown it`, `Correct ${place}.`)
    else warn('publicRpc.unreachable', text, `Check ${place}, as far as this machine should reach it.`)
  }
  return list
}

function isOfAnother(text: string): boolean {
  return /of chain|another chain/i.test(text)
}

function isAnswer(answer: RpcAnswer | undefined): boolean {
  return answer?.result === padHex(concatHex(['0x2a']), { size: 32 })
}
