import { expect } from 'chai'
import type { Address } from 'viem'
import { resumeAtChain } from '../../scripts/operate/resumeAtChain.js'
import type { Chain } from '../../server/chain/chain.js'
import { createChain } from '../../server/chain/createChain.js'
import type { ChainConfig } from '../../server/domain/chainConfig.js'
import { createLaneCheck } from '../../server/engine/lanes/laneCheck.js'
import { createLanesChecked } from '../../server/engine/lanes/lanesChecked.js'
import type { EngineTools } from '../../server/engine/tools.js'
import type { Store } from '../../server/store/store.js'
import { lower } from '../chain/devChain.js'
import { devChainBehindNode } from '../chain/devChainBehindNode.js'
import type { JsonCall } from '../chain/faultyNode.js'
import { useStore } from '../store/useStore.js'
import { aNewTransaction, randomAddress } from '../support/builders.js'

describe('lanes that are opened', () => {
  const { dev, node } = devChainBehindNode()
  let store: Store
  useStore((fresh) => (store = fresh.store))
  afterEach(() => node().behave({ kind: 'pass' }))

  const fresh = randomAddress()
  /** Of a key that has sent transactions. */
  const used = () => lower(dev().owner.address)
  const usedNonce = async () => Number(await dev().rpc('eth_getTransactionCount', used(), 'latest'))
  const lanes = (chainId = dev().config.chainId) => store.readLanes(chainId)

  /** A process that begins, with what its log warns of. */
  function replica(signers: Address[], config: Partial<ChainConfig> = {}, others: number[] = []) {
    const chain = createChain({ ...dev().config, ...config })
    const warned: object[] = []
    const lanesChecked = createLanesChecked()
    const note = (context: object) => void warned.push(context)
    let passedMs = 0
    const tools = {
      now: () => Date.now() + passedMs,
      signers: new Map(signers.map((signer) => [signer, {}])),
      chains: new Map([chain.config.chainId, ...others].map((chainId) => [chainId, chain])),
      refusedOperators: new Map(),
      unopenedLanes: new Map(),
      lanesChecked,
      wake: () => undefined,
      log: { warn: note, error: note, info: () => undefined },
      store,
    } as unknown as EngineTools
    const isChecked = () => lanesChecked.within(chain.config.chainId, 0)
    const { unopenedLanes } = tools
    const { open, check, stop } = createLaneCheck(chain, tools)
    /** Until it is time to try again. */
    const wait = () => void (passedMs += 5_000)
    async function openAgain() {
      wait()
      await open()
      await stop()
      await check()
    }
    const unopened = () => [...(unopenedLanes.get(chain.config.chainId)?.keys() ?? [])]
    return { chain, warned, isChecked, unopened, open, openAgain, wait, stop }
  }

  /** What the node tells of the nonce of every account, or of one. */
  const tells = (nonce: string, account?: Address) =>
    node().behave({
      kind: 'answer',
      answer: ({ method, params }: JsonCall) => {
        const isAsked = method === 'eth_getTransactionCount' && (account ?? params[0]) === params[0]
        return isAsked ? { result: nonce } : null
      },
    })

  const three = () => ({ rpcUrls: [dev().url, node().url, dev().url], agreement: 2 })

  describe('by several nodes', () => {
    const resume = (chain: Chain) => resumeAtChain(chain, used(), store).catch((error: Error) => error.message)

    it('begin where as many tell as have to agree, be others behind', async () => {
      tells('0x1')
      await replica([used()], three()).open()
      expect((await lanes())[0]).to.include({ nextNonce: await usedNonce(), status: 'active' })
    })

    it('wait while one tells more than as many as have to agree, which holds nobody else', async () => {
      const nonce = await usedNonce()
      const { open, openAgain, warned, isChecked, unopened } = replica([used(), fresh], three())
      tells('0xf4240', used())
      await open()
      await openAgain()
      expect(await lanes()).to.have.length(1)
      expect((await lanes())[0]).to.include({ signer: fresh, status: 'active', isAhead: false })
      expect(await isChecked()).to.equal(true)
      const said = warned.filter((context) => 'nodes' in context)
      expect(said).to.have.length(1)
      const nodes = `rpcUrls/0: ${nonce}, rpcUrls/1: 1000000, rpcUrls/2: ${nonce}`
      expect(said[0]).to.include({ signer: used(), nodes })
      expect(unopened()).to.deep.equal([used()])
      node().behave({ kind: 'pass' })
      await openAgain()
      expect(unopened()).to.deep.equal([])
      expect((await lanes()).find(({ signer }) => signer === used())).to.include({ nextNonce: nonce, status: 'active' })
    })

    it('are tried again beside all else, and not in every round', async () => {
      tells('0xf4240')
      const { open, wait, stop, unopened } = replica([used()], three())
      await open()
      node().behave({ kind: 'silence', method: 'eth_getTransactionCount' })
      await open()
      await stop()
      expect(unopened(), 'too early').to.deep.equal([used()])
      wait()
      const startedAt = performance.now()
      await open()
      expect(performance.now() - startedAt, 'as a slow node takes').to.be.lessThan(500)
      await stop()
      expect(unopened()).to.deep.equal([])
      expect(await lanes()).to.have.length(1)
    })

    it('are paused where one node tells more of them once they are open, and nobody resumes them', async () => {
      const nonce = await usedNonce()
      const { open, chain } = replica([used()], three())
      await store.openLane(
        { chainId: chain.config.chainId, signer: used(), chainNonce: nonce, ifLedgerIsNew: null },
        Date.now(),
      )
      tells('0xf4240')
      await open()
      const [lane] = await lanes()
      expect(lane).to.include({ nextNonce: nonce, status: 'paused', isAhead: true })
      expect(lane!.reason).to.contain('1000000').and.to.contain('rpcUrls/1')
      expect(await resume(chain)).to.contain(
        `rpcUrls/0: ${nonce}, rpcUrls/1: 1000000, rpcUrls/2: ${nonce}. The nodes differ`,
      )
      expect((await lanes())[0]).to.include({ nextNonce: nonce, isAhead: true })
      node().behave({ kind: 'pass' })
      expect(await resume(chain)).to.contain('is active again')
      expect((await lanes())[0]).to.include({ nextNonce: nonce, status: 'active' })
    })

    it('are not opened while fewer answer, which the log says once; those that are known don’t wait for it', async () => {
      const two = { rpcUrls: [dev().url, node().url], agreement: 2 }
      node().behave({ kind: 'reset' })
      const { open, openAgain, warned, isChecked, chain } = replica([used(), fresh], two)
      await open()
      await openAgain()
      expect([await lanes(), await isChecked()]).to.deep.equal([[], false])
      const nodes = `rpcUrls/0: ${await usedNonce()}, rpcUrls/1: no answer`
      const said = warned.filter((context) => 'nodes' in context)
      expect(said).to.have.length(2)
      expect(said[0]).to.include({ signer: used(), agreement: 2, nodes })
      await store.openLane(
        { chainId: chain.config.chainId, signer: fresh, chainNonce: 0, ifLedgerIsNew: null },
        Date.now(),
      )
      await openAgain()
      expect([(await lanes()).length, await isChecked()]).to.deep.equal([1, true])
      const resumed = await resumeAtChain(chain, fresh, store).catch((error: Error) => error.message)
      expect(resumed).to.contain('rpcUrls/1: no answer. Fewer than agreement (2) answer')
      node().behave({ kind: 'pass' })
      await openAgain()
      expect((await lanes()).map(({ status }) => status)).to.deep.equal(['active', 'active'])
    })
  })

  describe('in an empty ledger', () => {
    const real = { testnet: false }

    it('hold payouts where their keys have been used, until an operator resumes them', async () => {
      const { open, chain, warned } = replica([used(), fresh], real)
      await open()
      const held = (await lanes()).find(({ signer }) => signer === used())!
      expect(held).to.include({ isAhead: true, nextNonce: await usedNonce() })
      expect(held.reason).to.contain('The ledger is empty').and.to.contain('until the lane is resumed')
      expect(warned[0]).to.include({ signer: used() })
      expect((await lanes()).find(({ signer }) => signer === fresh)).to.include({ status: 'active' })
      expect(await resumeAtChain(chain, used(), store)).to.contain('is active again')
      await replica([used(), fresh], real).open()
      expect((await lanes()).map(({ status }) => status)).to.deep.equal(['active', 'active'])
    })

    it('hold payouts at once where nodes tell different nonces, at the one that enough tell', async () => {
      const nonce = await usedNonce()
      tells('0xf4240', used())
      const { open, unopened } = replica([used(), fresh], { ...real, ...three() })
      await open()
      expect(unopened()).to.deep.equal([])
      const held = (await lanes()).find(({ signer }) => signer === used())
      expect(held).to.include({ isAhead: true, nextNonce: nonce })
    })

    it('hold none on a test chain', async () => {
      await replica([used()]).open()
      expect((await lanes())[0]).to.include({ status: 'active' })
    })

    it('hold payouts whichever replica opens them, and however many do at once', async () => {
      const replicas = Array.from({ length: 4 }, () => replica([fresh, used()], real))
      await Promise.all(replicas.map(({ open }) => open()))
      expect((await lanes()).filter(({ isAhead }) => isAhead).map(({ signer }) => signer)).to.deep.equal([used()])
    })

    it('hold payouts on a chain that answers only once others have been signed on', async () => {
      const elsewhere = 99
      await replica([fresh], real, [elsewhere]).open()
      await signed(dev().config.chainId, fresh)
      await store.openLane(
        { chainId: elsewhere, signer: used(), chainNonce: 7, ifLedgerIsNew: { aheadFor: 'used', otherwise: 'active' } },
        Date.now(),
      )
      expect((await lanes(elsewhere))[0]).to.include({ isAhead: true, reason: 'used' })
    })

    it('hold none of a key that is added once those of the start are open, though nothing was signed yet', async () => {
      await replica([fresh], real).open()
      await replica([fresh, used()], real).open()
      expect((await lanes()).map(({ status }) => status)).to.deep.equal(['active', 'active'])
    })

    for (const [what, isResumed] of [
      ['hold payouts of a key of the start that are opened late', false],
      ['hold none of it once an operator has resumed another', true],
    ] as const) {
      it(what, async () => {
        const two = { ...real, rpcUrls: [dev().url, node().url], agreement: 2 }
        node().behave({ kind: 'reset' })
        const { open, openAgain, chain } = replica([fresh, used()], two)
        await open()
        await store.openLane(
          { chainId: chain.config.chainId, signer: fresh, chainNonce: 0, ifLedgerIsNew: null },
          Date.now(),
        )
        node().behave({ kind: 'pass' })
        if (isResumed) await resumeAtChain(chain, fresh, store)
        await openAgain()
        const late = (await lanes()).find(({ signer }) => signer === used())
        expect(late).to.include({ isAhead: !isResumed })
      })
    }

    it('hold none of a key that is added to a chain on which something was signed, or to a chain that came later', async () => {
      await replica([fresh], real).open()
      await signed(dev().config.chainId, fresh)
      await replica([fresh, used()], real).open()
      expect((await lanes()).map(({ status }) => status)).to.deep.equal(['active', 'active'])
      await store.noteEmptyLedger([99], Date.now())
      await store.openLane(
        { chainId: 99, signer: used(), chainNonce: 7, ifLedgerIsNew: { aheadFor: 'used', otherwise: 'active' } },
        Date.now(),
      )
      expect((await lanes(99))[0]).to.include({ status: 'active' })
    })
  })

  async function signed(chainId: number, signer: Address) {
    const { outcome } = await store.recordTransaction(aNewTransaction({ chainId, signer, steps: [] }), Date.now())
    expect(outcome).to.equal('recorded')
  }
})
