import { expect } from 'chai'
import { type Hex, toHex } from 'viem'
import { createVaultLogs } from '../../scripts/reconcile/vaultLogs.js'
import { fulfilledTopic } from '../../server/chain/contracts.js'
import { type Fault, type FaultyNode, startFaultyNode } from '../chain/faultyNode.js'
import type { ChainConfig } from '../../server/domain/chainConfig.js'
import { randomAddress, randomHash } from '../support/builders.js'

type Window = { fromBlock: Hex; toBlock: Hex }

describe('a search for logs of vaults', function () {
  this.timeout(60_000)
  let node: FaultyNode
  beforeEach(async () => void (node = await startFaultyNode()))
  afterEach(() => node.stop())

  const hash = randomHash()
  const at = 150_001n
  const widthOf = ({ fromBlock, toBlock }: Window) => Number(BigInt(toBlock) - BigInt(fromBlock)) + 1

  /** What is found up to the head, and how wide the windows were that were asked for, request by request. */
  async function search(head: bigint, faultOf: (asked: Window[], before: number) => Fault | null) {
    const widths: number[] = []
    const log = (width: Window) =>
      BigInt(width.fromBlock) <= at && at <= BigInt(width.toBlock)
        ? [{ topics: [fulfilledTopic], transactionHash: hash }]
        : []
    const answers: Fault = {
      kind: 'answer',
      answer({ method, params }) {
        if (method === 'eth_chainId') return null
        if (method === 'eth_getLogs') return { result: log(params[0] as Window) }
        return { result: method === 'eth_blockNumber' ? toHex(head) : { number: '0x0', hash: randomHash() } }
      },
    }
    let searches = 0
    node.behave((calls) => {
      const windows = calls.filter(({ method }) => method === 'eth_getLogs').map(({ params }) => params[0] as Window)
      if (windows.length > 0) widths.push(widthOf(windows[0]!))
      return faultOf(windows, windows.length > 0 ? searches++ : searches) ?? answers
    })
    const chain = { chainId: 31337, rpcUrls: [node.url], tokens: [] } as unknown as ChainConfig
    const found = await createVaultLogs(chain, [randomAddress()], null).fulfilments({ from: 0n, head })
    return { found, widths }
  }

  it('goes on as it was after a passing fault', async () => {
    const { found, widths } = await search(200_000n, (windows, before) =>
      windows.length > 0 && before === 3 ? { kind: 'status', status: 503 } : null,
    )
    expect(found).to.deep.equal([hash])
    expect(widths).to.deep.equal([...Array<number>(11).fill(2_000), 1])
  })

  it('waits for a node that has been asked for too much', async () => {
    let since = 0
    const { found, widths } = await search(200_000n, (_windows, before) => {
      if (before < 4) return null
      since ||= Date.now()
      return Date.now() - since < 4_000 ? { kind: 'status', status: 429 } : null
    })
    expect(found).to.deep.equal([hash])
    expect(widths.filter((width) => width < 500)).to.deep.equal([1])
  })

  it('asks for fewer windows at once where the node counts the calls of a request, and for no narrower ones', async () => {
    const counts: number[] = []
    const { found, widths } = await search(200_000n, (windows) => {
      if (windows.length === 0) return null
      counts.push(windows.length)
      return windows.length > 3 ? { kind: 'status', status: 429 } : null
    })
    expect(found).to.deep.equal([hash])
    expect(counts.slice(0, 3)).to.deep.equal([10, 10, 3])
    expect([...new Set(widths)]).to.deep.equal([2_000])
  })

  it('takes narrower windows where wider ones are refused, and wider ones again after a while', async () => {
    const { found, widths } = await search(400_000n, (windows, before) =>
      before < 50 && windows.some((window) => widthOf(window) > 500) ? { kind: 'status', status: 400 } : null,
    )
    expect(found).to.deep.equal([hash])
    expect(widths.slice(0, 4)).to.deep.equal([2_000, 2_000, 500, 500])
    expect(widths.slice(-4, -1)).to.deep.equal([2_000, 2_000, 2_000])
  })

  it('ends where a node refuses the narrowest windows too', async () => {
    const searching = search(200n, (windows) => (windows.length > 0 ? { kind: 'status', status: 400 } : null))
    expect(String(await searching.catch((error: unknown) => error))).to.include('eth_getLogs')
  })

  it('takes no other transaction for the one that was asked for', async () => {
    const [vault, from] = [randomAddress(), randomAddress()]
    const chain = { chainId: 31337, rpcUrls: [node.url], tokens: [] } as unknown as ChainConfig
    const nativePayouts = async (told: Hex) => {
      const common = { from, to: vault, blockNumber: '0x1', blockHash: randomHash() }
      const transaction = { ...common, hash: told, value: '0x0', input: '0x', nonce: '0x0' }
      const receipt = { ...common, transactionHash: told, status: '0x1', gasUsed: '0x1', logs: [] }
      node.behave({
        kind: 'answer',
        answer({ method }) {
          if (method === 'eth_chainId') return null
          if (method === 'eth_getBlockByNumber') return { result: { number: '0x0', hash: randomHash() } }
          return { result: method === 'eth_getTransactionByHash' ? transaction : receipt }
        },
      })
      return createVaultLogs(chain, [vault], null)
        .nativePayouts([hash])
        .catch((error: unknown) => String(error))
    }
    expect(await nativePayouts(hash)).to.deep.equal([])
    expect(await nativePayouts(randomHash())).to.include('another transaction')
  })
})
