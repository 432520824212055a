import { createPublicClient, fallback, http, type PublicClient } from 'viem'
import { createRedactor } from '../../server/chain/nodes/redact.js'
import { createRpcNode } from '../../server/chain/nodes/rpcNode.js'
import type { ChainConfig } from '../../server/domain/chainConfig.js'
import { isOfAnother } from '../doctor/checkNode.js'
import { DeployRefused } from './deployRefused.js'

const timeoutMs = 10_000

/**
 * What asks those of the chain's nodes that answer. Each is asked for its chain by itself first: together, the first
 * one that answers hides that another does not, or is of another chain. Where a node is, is told of none.
 */
export async function reachNodes(chain: ChainConfig, say: (line: string) => void): Promise<PublicClient> {
  const failures = await Promise.all(chain.rpcUrls.map((url, index) => failureOf(chain, url, index)))
  const placed = (failure: string | null, index: number) => (failure === null ? [] : [`rpcUrls/${index}: ${failure}`])
  const told = failures.flatMap(placed)
  const wrong = failures.map((failure) => (failure !== null && isOfAnother(failure) ? failure : null)).flatMap(placed)
  if (wrong.length > 0) {
    throw new DeployRefused(
      `Chain ${chain.chainId}: ${wrong.join('; ')}. Correct it, or its chainId, in the chains file.`,
    )
  }
  const urls = chain.rpcUrls.filter((_url, index) => failures[index] === null)
  if (urls.length === 0) {
    throw new DeployRefused(`Chain ${chain.chainId}: no node answers: ${told.join('; ')}. See to them, or name others.`)
  }
  for (const one of told) say(`${chain.chainId} ${one}; it is left out`)
  return createPublicClient({ transport: fallback(urls.map((url) => http(url))), pollingInterval: 250 })
}

/** Null: it answers, and is of the chain. */
async function failureOf({ chainId }: ChainConfig, url: string, index: number): Promise<string | null> {
  const node = createRpcNode({ chainId, url, index, timeoutMs, onRoundTrip: () => undefined })
  try {
    // It is asked for its chain before all else.
    await node.ask([])
    return null
  } catch (error) {
    return createRedactor([url])(error instanceof Error ? error.message : 'no answer')
  }
}

/** The work, with what it fails with told by its chain and without what its nodes' addresses hold. */
export async function onChain<T>(chain: ChainConfig, work: Promise<T>): Promise<T> {
  try {
    return await work
  } catch (error) {
    if (error instanceof DeployRefused) throw error
    const text = createRedactor(chain.rpcUrls)(error instanceof Error ? error.message : String(error))
    throw new Error(`Chain ${chain.chainId}: ${text}`, { cause: error })
  }
}
