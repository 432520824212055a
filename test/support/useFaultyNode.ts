import { type FaultyNode, startFaultyNode } from '../chain/faultyNode.js'

/**
 * A node that misbehaves on demand, before the one at the address; it is called in a `describe`,
 * and passes again after each test.
 */
export function useFaultyNode(upstream: () => string): Pick<FaultyNode, 'url' | 'behave' | 'requests'> {
  let node: FaultyNode
  before(async () => {
    node = await startFaultyNode(upstream())
  })
  after(() => node.stop())
  afterEach(() => node.behave({ kind: 'pass' }))
  return {
    get url() {
      return node.url
    },
    get requests() {
      return node.requests
    },
    behave: (...how) => node.behave(...how),
  }
}
