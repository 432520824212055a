import { expect } from 'chai'
import { compareVaults } from '../../scripts/reconcile/compareVaults.js'
import { rpc } from '../../server/devnet/anvil.js'
import { startFaultyNode } from '../chain/faultyNode.js'
import { until } from '../support/until.js'
import { onDemandIntent, sendFrom, signedIntent } from '../support/wallets.js'
import { attackScene, native } from '../support/attackScene.js'

/** The ledger is falsified behind the service's back. */
describe('what `npm run reconcile` says of a ledger that is wrong', () => {
  const scene = attackScene()
  const { a, b, tenOnB, payer, payIn, payOut, create, api } = scene
  const ledger = () => scene.database().knex('ledger')
  const usdOn = async (chainId: number) =>
    (await scene.compare()).vaults.find((vault) => vault.chainId === chainId && vault.token.id === 'usd')!

  async function paidAction() {
    const { user, hash } = await payer()
    const actionId = await create(user.address, [onDemandIntent([payIn(user.address), payOut(user.address)])])
    expect((await api.execute(actionId, 0, 0, { hash })).body.status).to.equal('success')
    const payout = await api.execute(actionId, 0, 1)
    expect(payout.body.status).to.equal('success')
    return { actionId, payment: hash as string, payout: payout.body.transactionHash as string }
  }

  it('names nothing while everything is explained', async () => {
    await paidAction()
    const { vaults } = await scene.compare()
    expect(vaults).to.have.length.above(1)
    for (const vault of vaults) expect(vault).to.include({ unexplained: 0n }).and.deep.include({ suspects: [] })
  })

  it('names the transaction of a payout that is not booked', async () => {
    const { actionId, payout } = await paidAction()
    const entry = ledger().where('cause', 'like', `payout:${actionId}/%`)
    const [row] = await entry.clone()
    await entry.clone().delete()
    const { unexplained, suspects } = await usdOn(b().chainId)
    await ledger().insert(row)
    expect(unexplained).to.equal(-tenOnB)
    expect(suspects).to.deep.equal([{ kind: 'unbooked', hash: payout, onChain: tenOnB }])
  })

  it('names the very transaction that is not booked, of several equal ones', async () => {
    const equal = [await paidAction(), await paidAction(), await paidAction()]
    for (const { actionId, payout } of equal) {
      const entry = ledger().where('cause', 'like', `payout:${actionId}/%`)
      const [row] = await entry.clone()
      await entry.clone().delete()
      const { suspects } = await usdOn(b().chainId)
      await ledger().insert(row)
      expect(suspects).to.deep.equal([{ kind: 'unbooked', hash: payout, onChain: tenOnB }])
    }
  })

  it('names the transactions of native payouts that the journal does not know, and of others none', async () => {
    const { knex } = scene.database()
    const paidNative = async () => {
      const user = await scene.aUser()
      const payment = await sendFrom(a(), user, { to: a().vault, value: 70n })
      expect((await scene.report(user.address, payment, { tokenAddress: native, amount: '70' })).status).to.equal(200)
      const transfer = { from: 'solver', to: user.address, token: native } as const
      const tokenTransfers = [20n, 50n].map((amount) => ({ ...transfer, amount }))
      const intent = await signedIntent(user, [{ chainId: a().chainId, tokenTransfers, calls: [] }])
      const actionId = await create(user.address, [intent])
      const { body } = await api.execute(actionId, 0, 0)
      expect(body.status).to.equal('success')
      return { actionId, hash: body.transactionHash as string }
    }
    const [, lost] = [await paidNative(), await paidNative()]
    const rows = () => ledger().where('cause', 'like', `payout:${lost.actionId}/%`)
    const attempts = () => knex('attempts').where({ hash: lost.hash })
    const [entries, attempt] = [await rows(), await attempts()]
    await rows().delete()
    await attempts().delete()
    const vaults = (await scene.compare()).vaults.filter(({ token }) => token.address === native)
    await ledger().insert(entries)
    await knex('attempts').insert(attempt)
    const { unexplained, suspects } = vaults.find(({ chainId }) => chainId === a().chainId)!
    expect(unexplained).to.equal(-70n)
    expect(suspects).to.deep.equal([20n, 50n].map((onChain) => ({ kind: 'unbooked', hash: lost.hash, onChain })))
  })

  it('asks the other nodes where one fails or is behind, from the deployment on, for all tokens at once', async () => {
    await paidAction()
    const [dead, behind, good] = await Promise.all([1, 2, 3].map(() => startFaultyNode(b().rpcUrls[0]!)))
    dead!.behave({ kind: 'status', status: 503 })
    let heads = 0
    // It is asked for the head first, and is behind from then on.
    behind!.behave({
      kind: 'answer',
      answer: ({ method }) => (method === 'eth_blockNumber' && heads++ > 0 ? { result: '0x1' } : null),
    })
    try {
      const chain = { ...b(), rpcUrls: [dead!.url, behind!.url, good!.url] }
      const { vaults } = await compareVaults(scene.database(), [chain])
      expect(vaults.map(({ token }) => token.id)).to.deep.equal(b().tokens.map(({ id }) => id))
      for (const vault of vaults) expect(vault).to.include({ unexplained: 0n })
      const searches = good!.requests.flat().filter(({ method }) => method === 'eth_getLogs')
      const filters = searches.map(({ params }) => params[0] as { fromBlock: string; address: string[] })
      expect(filters).to.have.length(2)
      expect(filters.map(({ address }) => address.length)).to.have.members([1, b().tokens.length - 1])
      const from = BigInt(filters[0]!.fromBlock)
      const codeAt = (block: bigint) => rpc(b().rpcUrls[0]!, 'eth_getCode', [b().vault, `0x${block.toString(16)}`])
      expect(await codeAt(from)).to.not.equal('0x')
      expect(await codeAt(from - 1n)).to.equal('0x')
    } finally {
      await Promise.all([dead, behind, good].map((node) => node!.stop()))
    }
  })

  it('begins with the first block where no node knows what was', async () => {
    const node = await startFaultyNode(b().rpcUrls[0]!)
    const error = { code: -32000, message: 'missing trie node' }
    node.behave({ kind: 'answer', answer: ({ method }) => (method === 'eth_getCode' ? { error } : null) })
    try {
      const { vaults } = await compareVaults(scene.database(), [{ ...b(), rpcUrls: [node.url] }])
      for (const vault of vaults) expect(vault).to.include({ unexplained: 0n })
      const search = node.requests.flat().find(({ method }) => method === 'eth_getLogs')
      expect(search?.params[0]).to.include({ fromBlock: '0x0' })
    } finally {
      await node.stop()
    }
  })

  it('begins where the chains file says, and asks no node for what was', async () => {
    const node = await startFaultyNode(b().rpcUrls[0]!)
    try {
      await compareVaults(scene.database(), [{ ...b(), rpcUrls: [node.url], vaultBlock: 3 }])
      const asked = node.requests.flat()
      expect(asked.find(({ method }) => method === 'eth_getLogs')?.params[0]).to.include({ fromBlock: '0x3' })
      expect(asked.some(({ method }) => method === 'eth_getCode')).to.equal(false)
      const ahead = compareVaults(scene.database(), [{ ...b(), rpcUrls: [node.url], vaultBlock: 1_000_000_000 }])
      expect(String(await ahead.catch((error: unknown) => error))).to.include('is above its newest block')
    } finally {
      await node.stop()
    }
  })

  it('believes no node of another chain of the same id', async () => {
    const node = await startFaultyNode(b().rpcUrls[0]!)
    const result = { number: '0x0', hash: `0x${'9'.repeat(64)}` }
    node.behave({ kind: 'answer', answer: ({ params }) => (params[0] === '0x0' ? { result } : null) })
    const compare = (rpcUrls: string[]) => compareVaults(scene.database(), [{ ...b(), rpcUrls }])
    try {
      const refused: unknown = await compare([node.url]).catch((error: unknown) => error)
      expect(String(refused)).to.include('another chain of the same id')
      for (const { unexplained } of (await compare([node.url, ...b().rpcUrls])).vaults) expect(unexplained).to.equal(0n)
    } finally {
      await node.stop()
    }
  })

  it('names the entry of a payout that never happened', async () => {
    const { actionId } = await paidAction()
    const [row] = await ledger().where('cause', 'like', `payout:${actionId}/%`)
    const cause = 'payout:invented/0/0:1:0'
    await ledger().insert({ ...row, id: undefined, cause, amount: '7' })
    const { unexplained, suspects } = await usdOn(b().chainId)
    await ledger().where({ cause }).delete()
    expect(unexplained).to.equal(7n)
    expect(suspects).to.deep.equal([{ kind: 'unpaid', cause, booked: 7n }])
  })

  it('names a payment that is booked with another amount than it brought', async () => {
    const { payment } = await paidAction()
    const entry = ledger().where({ cause: `arrival:${a().chainId}:${payment}:0` })
    await entry.clone().update({ amount: '9000000' })
    const { unexplained, suspects } = await usdOn(a().chainId)
    await entry.clone().update({ amount: '10000000' })
    expect(unexplained).to.equal(1_000_000n)
    expect(suspects).to.deep.equal([{ kind: 'arrival', hash: payment, onChain: 10_000_000n, booked: 9_000_000n }])
  })

  it('names a payment that is booked and that the chain has no log of', async () => {
    const { payment } = await paidAction()
    const [row] = await ledger().where({ cause: `arrival:${a().chainId}:${payment}:0` })
    const nowhere = `0x${'9'.repeat(64)}`
    const cause = `arrival:${a().chainId}:${nowhere}:0`
    await ledger().insert({ ...row, id: undefined, cause })
    const { unexplained, suspects } = await usdOn(a().chainId)
    await ledger().where({ cause }).delete()
    expect(unexplained).to.equal(-10_000_000n)
    expect(suspects).to.deep.include({ kind: 'arrival', hash: nowhere, onChain: 0n, booked: 10_000_000n })
  })

  it('names nothing where a payment was booked by another node’s number of its log', async () => {
    const { payment } = await paidAction()
    const [cause, other] = [0, 57].map((logIndex) => `arrival:${a().chainId}:${payment}:${logIndex}`)
    await ledger().where({ cause }).update({ cause: other })
    const { unexplained, suspects, unrecorded } = await usdOn(a().chainId)
    await ledger().where({ cause: other }).update({ cause })
    expect(unexplained).to.equal(0n)
    expect(suspects).to.deep.equal([])
    expect(unrecorded.filter(({ hash }) => hash === payment)).to.deep.equal([])
  })

  it('tells how many transactions may yet explain it', async () => {
    const { user, hash } = await payer()
    const actionId = await create(user.address, [onDemandIntent([payIn(user.address), payOut(user.address)])])
    await api.execute(actionId, 0, 0, { hash, action: 'register' })
    const url = b().rpcUrls[0]!
    await rpc(url, 'evm_setAutomine', [false])
    try {
      await api.execute(actionId, 0, 1, undefined, 0)
      const { unsettled } = await until(async () => {
        const compared = await scene.compare()
        return compared.unsettled.length > 0 ? compared : null
      }, 'the payout’s transaction')
      expect(unsettled).to.deep.equal([{ chainId: b().chainId, transactions: 1 }])
    } finally {
      await rpc(url, 'evm_setAutomine', [true])
    }
    await rpc(url, 'evm_mine', [])
    expect((await api.execute(actionId, 0, 1)).body.status).to.equal('success')
    expect((await scene.compare()).unsettled).to.deep.equal([])
  })
})
