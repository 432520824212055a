import { expect } from 'chai'
import { type Abi, encodeFunctionData } from 'viem'
import { retire } from '../../scripts/operate/retire.js'
import { createChain } from '../../server/chain/createChain.js'
import { solverVaultAbi } from '../../server/chain/generated/contracts.js'
import type { ChainConfig } from '../../server/domain/chainConfig.js'
import type { Database } from '../../server/store/connection/database.js'
import type { Store } from '../../server/store/store.js'
import { lower } from '../chain/devChain.js'
import { devChainBehindNode } from '../chain/devChainBehindNode.js'
import type { JsonCall } from '../chain/faultyNode.js'
import { useStore } from '../store/useStore.js'
import { aNewTransaction, aSignedForm } from '../support/builders.js'

describe('a lane that is retired, by what the nodes tell of its key,', () => {
  const { dev, node } = devChainBehindNode()
  let database: Database
  let store: Store
  useStore((fresh) => ({ database, store } = fresh))

  const signer = () => lower(dev().operator.address)
  const lane = () => ({ chainId: dev().config.chainId, signer: signer(), chainNonce: 0, ifLedgerIsNew: null })
  beforeEach(async () => {
    await setOperator(true)
    await store.openLane(lane(), Date.now())
  })
  afterEach(() => node().behave({ kind: 'pass' }))

  const setOperator = (isOperator: boolean) =>
    dev().transact(dev().owner, {
      to: dev().config.vault,
      data: encodeFunctionData({
        abi: solverVaultAbi as Abi,
        functionName: 'setOperator',
        args: [dev().operator.address, isOperator],
      }),
    })
  /** Its right is gone, and so many blocks have come since. */
  async function revoked(blocks: number) {
    await setOperator(false)
    await dev().rpc('anvil_mine', blocks)
  }

  const retired = (config: Partial<ChainConfig>, givesUp = false) =>
    retire(createChain({ ...dev().config, ...config }), signer(), database, { givesUp }).catch(
      (error: Error) => error.message,
    )
  const two = () => ({ rpcUrls: [dev().url, node().url], agreement: 2, confirmations: 3 })

  type Answer = Record<string, unknown> | null
  const answers = (answer: (call: JsonCall) => Answer) => node().behave({ kind: 'answer', answer })
  const pruned = ({ method, params }: JsonCall): Answer =>
    method === 'eth_call' && params[1] !== 'latest' ? { error: { code: -32000, message: 'missing trie node' } } : null
  const withoutLogs = (call: JsonCall): Answer =>
    call.method === 'eth_getLogs' ? { error: { code: -32000, message: 'logs are pruned' } } : pruned(call)

  it('is so once as many as have to agree tell that it is no operator, and was none', async () => {
    await revoked(3)
    node().behave({ kind: 'reset' })
    const refused = await retired(two())
    expect(refused).to.contain('Fewer nodes than agreement (2) tell that')
    expect(refused).to.contain(`${dev().config.vault}: rpcUrls/0 no operator, rpcUrls/1 does not say`)
    expect(await retired({ ...two(), agreement: 1 })).to.contain('is retired for good')
  })

  it('is not where one tells that it is an operator, as one that stays behind does', async () => {
    await revoked(3)
    const yes = `0x${'1'.padStart(64, '0')}`
    answers(({ method }) => (method === 'eth_call' ? { result: yes } : null))
    const refused = await retired(two())
    expect(refused).to.contain('knows').and.to.contain('rpcUrls/0 no operator, rpcUrls/1 an operator')
    node().behave({ kind: 'pass' })
    expect(await retired(two())).to.contain('is retired for good')
  })

  it('is so by the vault’s logs where no node has the state of the newest final block, once that is final', async () => {
    answers(pruned)
    const only = { rpcUrls: [node().url], agreement: 1, confirmations: 3 }
    await revoked(1)
    expect(await retired(only))
      .to.contain('knows')
      .and.to.contain('rpcUrls/0 an operator')
    await dev().rpc('anvil_mine', 2)
    answers(withoutLogs)
    expect(await retired(only)).to.contain('has to tell the vault’s logs')
    answers(pruned)
    expect(await retired(only)).to.contain('is retired for good')
  })

  it('is not while one has a receipt of what is open of it, or too few say that they have none', async () => {
    const { hash } = await dev().transact(dev().operator, { to: signer() })
    const sign = async () => ({ ...aSignedForm(), hash })
    const transaction = aNewTransaction({ chainId: dev().config.chainId, signer: signer(), sign })
    await store.recordTransaction(transaction, Date.now())
    await revoked(3)
    const lacks: (call: JsonCall) => Answer = ({ method }) =>
      method === 'eth_getTransactionReceipt' ? { result: null } : null
    answers(lacks)
    const nodes = { ...two(), rpcUrls: [node().url, dev().url] }
    expect(await retired(nodes, true)).to.contain('1 of its open transactions are mined and not settled yet')
    answers((call) =>
      call.method === 'eth_getTransactionReceipt' ? { error: { code: -32000, message: 'busy' } } : null,
    )
    expect(await retired(nodes, true)).to.contain('1 nodes answer, fewer than have to agree')
  })
})
