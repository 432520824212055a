import { expect } from 'chai'
import { type FaultyNode, startFaultyNode } from '../chain/faultyNode.js'
import { freePort } from '../support/freePort.js'
import { addressOf, useDeployScene } from './deployScene.js'

const key = 'secret-key-of-the-node'

describe('npm run deploy and the nodes of a chain', () => {
  const { anvils, said, writeChains, run, written, nonces, refusal } = useDeployScene([{ chainId: 103 }])
  let node: FaultyNode
  let silent: string
  const keyed = (url: string) => `${url}/${key}`

  before(async () => {
    node = await startFaultyNode(anvils[0]!.url)
    silent = keyed(`http://127.0.0.1:${await freePort()}`)
  })
  after(() => node.stop())

  it('says which one is silent, and goes on with the others', async () => {
    writeChains({ rpcUrls: [silent, keyed(node.url)] })
    expect(await run()).to.equal('done')
    expect(said[0]).to.equal('103 rpcUrls/0: connection failed, ECONNREFUSED; it is left out')
    expect(said.join()).not.to.contain(key)
  })

  it('refuses one of another chain though another one answers, and names its place', async () => {
    node.behave({ kind: 'answer', answer: ({ method }) => (method === 'eth_chainId' ? { result: '0x1' } : null) })
    writeChains({ rpcUrls: [anvils[0]!.url, silent, keyed(node.url)] })
    const before = await nonces()
    const said = await refusal(run({ operators: [`0x${'77'.repeat(20)}`] }))
    expect(said).to.contain('Chain 103: rpcUrls/2: the node is of chain 1. ').and.not.to.contain(key)
    expect(await nonces()).to.deep.equal(before)
  })

  it('says that it was not found out whether anyone may operate, where none searches logs and the vault is not new', async () => {
    const error = { code: -32000, message: 'block range too large' }
    node.behave({ kind: 'answer', answer: ({ method }) => (method === 'eth_getLogs' ? { error } : null) })
    writeChains({ rpcUrls: [keyed(node.url)] })
    const told = (what: string) => said.filter((line) => line.startsWith('103: ') && line.includes(what))
    const given = { operators: [], vaultNumber: 5 }
    expect(await run(given)).to.equal('nobodyOperates')
    expect(told('NOBODY MAY OPERATE')).to.have.length(1)
    said.length = 0
    for (const dryRun of [false, true]) expect(await run({ ...given, dryRun })).to.equal('done')
    expect(told('was not found out: no node searches its logs; npm run doctor')).to.have.length(2)
    expect(told('NOBODY MAY OPERATE')).to.deep.equal([])
  })

  it('need search no logs for a vault that is made in the same run, and else those who are to operate have to be named', async () => {
    const error = { code: -32000, message: 'block range too large' }
    node.behave({ kind: 'answer', answer: ({ method }) => (method === 'eth_getLogs' ? { error } : null) })
    writeChains({ rpcUrls: [keyed(node.url)] })
    const given = { owner: addressOf(7), vaultNumber: 6 }
    expect(await run(given)).to.equal('ownerHasTo')
    expect(written().chains[0]!.inventoryFrom).to.deep.equal([addressOf(7)])
    const refused = await refusal(run(given))
    expect(refused).to.contain('no node tells by the logs of the vault').and.to.contain('Give --operators')
    expect(await run({ ...given, areNamed: true })).to.equal('ownerHasTo')
  })

  it('takes none for another chain that says so of something else', async () => {
    const error = { code: -32601, message: 'not enabled for this type of chain, nor the node is of chain 9' }
    node.behave({ kind: 'answer', answer: ({ method }) => (method === 'eth_chainId' ? { error } : null) })
    writeChains({ rpcUrls: [keyed(node.url), anvils[0]!.url] })
    expect(await run()).to.equal('done')
    expect(said[0]).to.match(/^103 rpcUrls\/0: eth_chainId: not enabled for .*; it is left out$/)
  })

  it('names chain and places where none answers', async () => {
    node.behave({ kind: 'status', status: 401 })
    writeChains({ rpcUrls: [keyed(node.url), silent] })
    const said = await refusal(run())
    expect(said).to.contain(
      'Chain 103: no node answers: rpcUrls/0: HTTP 401; rpcUrls/1: connection failed, ECONNREFUSED',
    )
    expect(said).not.to.contain(key)
  })

  it('names the chain of what fails later, and not the node', async () => {
    const error = { code: -32000, message: `no state at https://rpc.example.org/${key}` }
    node.behave({ kind: 'answer', answer: ({ method }) => (method === 'eth_getCode' ? { error } : null) })
    writeChains({ rpcUrls: [keyed(node.url)] })
    const failure = await run().catch((thrown: unknown) => (thrown as Error).message)
    expect(failure).to.match(/^Chain 103: /)
    expect(failure).not.to.contain(key)
  })
})
