import { type DevChain, startDevChain } from './devChain.js'
import { type FaultyNode, startFaultyNode } from './faultyNode.js'

/** A chain for the tests of a `describe`, and a node in front of it that misbehaves on demand. */
export function devChainBehindNode() {
  let dev: DevChain
  let node: FaultyNode

  before(async () => {
    dev = await startDevChain()
    node = await startFaultyNode(dev.url)
  })
  after(async () => {
    await node.stop()
    await dev.stop()
  })

  return { dev: () => dev, node: () => node, connect: () => dev.connect({ urls: [node.url] }) }
}
