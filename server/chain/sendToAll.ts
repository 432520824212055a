import type { Chain, SendOutcome } from './chain.js'
import { NodeFailure } from './nodes/nodeFailure.js'
import type { Rpc } from './nodes/rpc.js'
import { call } from './nodes/rpcFormat.js'
import type { RpcNode } from './nodes/rpcNode.js'
import { classifySend, combineOutcomes, type NodeAnswer, type NodeOutcome } from './sendOutcome.js'

type Signed = Parameters<Chain['send']>[0]

/** The first node that has the transaction answers for all; without one, all are waited for. */
export async function sendToAll(rpc: Rpc, chainId: number, signed: Signed): Promise<SendOutcome> {
  const outcomes = rpc.senders.map(async (node): Promise<NodeOutcome> => {
    const answer = await sendTo(node, signed)
    const text = rpc.redact(answer.text)
    if (answer.kind !== 'otherChain') return { kind: answer.kind, text }
    // A node that has come to be of another chain knows nothing of ours; only one that is of ours is believed.
    return { kind: (await isOfChain(node, chainId)) ? 'dead' : 'ambiguous', text }
  })
  const pooled = outcomes.map((outcome) =>
    outcome.then(({ kind, text }) =>
      kind === 'accepted' || kind === 'known' ? { kind, text } : Promise.reject(new Error(kind)),
    ),
  )
  return Promise.any(pooled).catch(async () => combineOutcomes(await Promise.all(outcomes)))
}

async function sendTo(node: Pick<RpcNode, 'ask'>, { raw, hash }: Signed): Promise<NodeAnswer> {
  try {
    const [answer] = await node.ask([call('eth_sendRawTransaction', raw)])
    if (answer?.error) {
      const { message, data } = answer.error
      const text = typeof data === 'string' ? `${message}: ${data}` : message
      return { kind: classifySend(text), text }
    }
    const named = String(answer?.result).toLowerCase() === hash
    return named ? { kind: 'accepted', text: 'ok' } : { kind: 'ambiguous', text: 'the node names another transaction' }
  } catch (error) {
    if (!(error instanceof NodeFailure)) return { kind: 'ambiguous', text: 'no answer' }
    return { kind: error.isUnreached ? 'unreached' : 'ambiguous', text: error.message }
  }
}

async function isOfChain(node: Pick<RpcNode, 'ask'>, chainId: number): Promise<boolean> {
  try {
    const [answer] = await node.ask([call('eth_chainId')])
    return Number(answer?.result) === chainId
  } catch {
    return false
  }
}
