import { expect } from 'chai'
import { type Abi, type Address, encodeFunctionData, type Hash, type Hex, parseUnits } from 'viem'
import { retire } from '../../scripts/operate/retire.js'
import { solverVaultAbi } from '../../server/chain/generated/contracts.js'
import { createChain } from '../../server/chain/createChain.js'
import type { Service } from '../../server/compose.js'
import { devAccount, devKey } from '../../server/devnet/accounts.js'
import { rpc } from '../../server/devnet/anvil.js'
import type { ChainConfig } from '../../server/domain/chainConfig.js'
import { createApi } from '../support/api.js'
import { randomAddress } from '../support/builders.js'
import { type Asked, bundleScene } from '../support/bundleScene.js'
import { pause } from '../support/pause.js'
import { until } from '../support/until.js'
import { balanceOf, reader, sendFrom } from '../support/wallets.js'

/**
 * Its lane has a transaction open that nobody will replace and that anybody may bring into a block at any time. The
 * vaults know the key no more, the lane is retired, and another key goes on with what it carried.
 */
describe('a key that is lost with a transaction open', function () {
  this.timeout(120_000)
  const scene = bundleScene()
  const { a, b, usd } = scene
  const [lost, other] = [1, 2] as const
  const signer = devAccount(lost).address.toLowerCase() as Address

  const keyOf = (index: number) => ({ SOLVER_PRIVATE_KEYS: devKey(index) })
  const asOwner = (functionName: string, args: unknown[], chain: ChainConfig) =>
    sendFrom(chain, devAccount(0), {
      to: chain.vault,
      data: encodeFunctionData({ abi: solverVaultAbi as Abi, functionName, args }),
    })
  const setOperator = (isOperator: boolean, chain: ChainConfig) =>
    asOwner('setOperator', [devAccount(lost).address, isOperator], chain)

  type Open = { raw: Hex; hash: Hash }

  /** What the key has signed for these steps; no node has it any more. */
  async function signedBy(chain: ChainConfig): Promise<Open> {
    await scene.automine(false, chain)
    try {
      const open = await scene.withService(keyOf(lost), (service) => scene.sent(service, chain))
      await rpc(chain.rpcUrls[0]!, 'anvil_dropTransaction', [open.hash])
      return open
    } finally {
      await scene.automine(true, chain)
    }
  }

  const retired = (chain: ChainConfig, givesUp = true) =>
    scene.withService({ ROLE: 'api' }, ({ database }) =>
      retire(createChain(chain), signer, database, { givesUp }).catch((error: Error) => error.message),
    )

  /** Somebody has kept it. */
  async function mined({ raw, hash }: Open, chain: ChainConfig) {
    await rpc(chain.rpcUrls[0]!, 'eth_sendRawTransaction', [raw])
    return until(
      async () =>
        reader(chain)
          .getTransactionReceipt({ hash })
          .catch(() => null),
      'it to be mined',
    )
  }

  const byOther = <T>(use: (service: Service) => Promise<T>) => scene.withService(keyOf(other), use)

  describe('for a step of a user’s account', () => {
    afterEach(() => setOperator(true, a()))

    async function aLostStep() {
      const [user] = await scene.users(1)
      const asked = await scene.ask([{ user: user!, intent: await scene.intentOf(user!, [scene.payVault(100n)]) }])
      const unexplained = await scene.unexplainedBefore()
      const open = await signedBy(a())
      await setOperator(false, a())
      return { user: user!, asked, open, unexplained }
    }

    async function isDoneOnce(service: Service, { user, asked }: { user: Asked['user']; asked: Asked[] }) {
      const [step] = await scene.ends(service, asked)
      expect(step).to.include({ status: 'success' })
      expect(await balanceOf(a(), usd(), user.address)).to.equal(0n)
      expect(await scene.availableOf(service, user.address)).to.equal('100')
      return step.transactionHash as Hash
    }

    it('is adopted where it is mined after it was given up', async () => {
      const step = await aLostStep()
      expect(await retired(a(), false))
        .to.contain('1 transactions of')
        .and.to.contain('--give-up')
      expect(await retired(a())).to.contain('is retired for good; 1 transactions were given up')
      expect((await mined(step.open, a())).status).to.equal('success')
      await byOther(async (service) => {
        expect(await isDoneOnce(service, step)).to.equal(step.open.hash)
        expect(await scene.unexplained(service.database)).to.deep.equal(step.unexplained)
      })
    })

    it('is waited for where it is in the pool again, and adopted', async () => {
      const step = await aLostStep()
      expect(await retired(a())).to.contain('1 transactions were given up')
      await scene.automine(false)
      await rpc(a().rpcUrls[0]!, 'eth_sendRawTransaction', [step.open.raw])
      await byOther(async (service) => {
        await pause(1_000)
        expect((await scene.views(service, step.asked))[0]).to.include({ status: 'executing' })
        expect(await scene.transactions(service), 'only the one that was given up').to.have.length(1)
        await scene.automine(true)
        await scene.mine()
        expect(await isDoneOnce(service, step)).to.equal(step.open.hash)
      })
    })

    it('does nothing where it is mined after another one has carried the step out', async () => {
      const step = await aLostStep()
      expect(await retired(a())).to.contain('1 transactions were given up')
      await byOther(async (service) => {
        expect(await isDoneOnce(service, step)).not.to.equal(step.open.hash)
        expect((await mined(step.open, a())).status).to.equal('reverted')
        await scene.mine()
        await isDoneOnce(service, step)
        expect(await scene.unexplained(service.database)).to.deep.equal(step.unexplained)
      })
    })

    it('is waited for where it is mined and not settled', async () => {
      const step = await aLostStep()
      await mined(step.open, a())
      expect(await retired(a())).to.contain('1 of its open transactions are mined and not settled yet: wait')
      await byOther((service) => isDoneOnce(service, step))
      expect(await retired(a())).to.contain('0 transactions were given up')
    })
  })

  describe('for payouts of the vault', () => {
    afterEach(() => setOperator(true, b()))

    async function openPayouts(count: number) {
      const users = await scene.users(count, 0n)
      const friends = users.map(() => randomAddress())
      const wanted = await Promise.all(
        users.map(async (user, index) => ({ user, intent: await scene.acrossChains(user, friends[index]!) })),
      )
      const asked = await scene.askOncePaid(wanted)
      const open = await signedBy(b())
      await setOperator(false, b())
      return { users, friends, asked, open }
    }

    async function lostPayouts() {
      const payouts = await openPayouts(2)
      expect(await retired(b())).to.contain('1 transactions were given up')
      return payouts
    }

    async function arePaidOnce(service: Service, { users, friends, asked }: Awaited<ReturnType<typeof openPayouts>>) {
      const steps = await scene.ends(service, asked, 1)
      for (const step of steps) expect(step).to.include({ status: 'success', attempts: 1 })
      for (const [index, { address }] of users.entries()) {
        expect(await balanceOf(b(), usd(b()), address)).to.equal(parseUnits('7', 18))
        expect(await balanceOf(b(), usd(b()), friends[index]!)).to.equal(parseUnits('3', 18))
        expect(await scene.availableOf(service, address)).to.equal('0')
      }
    }

    for (const [when, isEarly] of [
      ['before', true],
      ['after', false],
    ] as const) {
      it(`pays nothing where it is mined ${when} another one has paid`, async () => {
        const payouts = await lostPayouts()
        if (isEarly) expect((await mined(payouts.open, b())).status).to.equal('reverted')
        await byOther(async (service) => {
          await arePaidOnce(service, payouts)
          if (isEarly) return
          expect((await mined(payouts.open, b())).status).to.equal('reverted')
          await arePaidOnce(service, payouts)
        })
      })
    }

    it('go on with another key where they are mined before they are given up, as the same attempt', async () => {
      for (const count of [1, 2]) {
        const payouts = await openPayouts(count)
        expect((await mined(payouts.open, b())).status).to.equal('reverted')
        await byOther((service) => arePaidOnce(service, payouts))
        await setOperator(true, b())
      }
    })
  })

  it('gives an airdrop once, though it had signed it', async () => {
    await scene.emptyDatabase()
    const wallet = randomAddress()
    await scene.automine(false)
    const open = await scene.withService(keyOf(lost), async (service) => {
      const asked = createApi(service.url!).post(`/airdrop/${a().chainId}/usd`, { wallet, amount: '5' })
      const sent = await scene.sent(service)
      // It waits for a block until the service stops.
      void asked.catch(() => undefined)
      return sent
    })
    await rpc(a().rpcUrls[0]!, 'anvil_dropTransaction', [open.hash])
    await scene.automine(true)
    await setOperator(false, a())
    try {
      expect(await retired(a())).to.contain('1 transactions were given up')
      expect((await mined(open, a())).status).to.equal('reverted')
      await byOther(async ({ database }) => {
        const isGiven = async () => (await database.knex('airdrops').first('status'))?.status === 'success'
        await until(isGiven, 'the airdrop to be given')
        expect(await balanceOf(a(), usd(), wallet)).to.equal(5n)
      })
    } finally {
      await setOperator(true, a())
    }
  })

  describe('is not retired', () => {
    it('while a vault knows it, be it a former one, or did until lately', async () => {
      await scene.emptyDatabase()
      const ofVault = (vault: Address) => `The vault ${vault} knows ${signer} as an operator: let`
      expect(await retired(a())).to.contain(ofVault(a().vault))
      const next = randomAddress()
      await scene.setCode(next, await scene.codeOf(a().vault))
      for (let block = 0; block < a().confirmations; block++) await scene.mine()
      const replaced = { ...a(), vault: next, formerVaults: [a().vault] }
      const lacking = `has worked with the vault ${a().vault} on chain ${a().chainId}, which the chains file does not name`
      expect(await retired({ ...a(), vault: next })).to.contain(lacking)
      expect(await retired(replaced)).to.contain(ofVault(a().vault))
      await setOperator(false, a())
      try {
        expect(await retired({ ...replaced, confirmations: 3 })).to.contain(ofVault(a().vault))
        for (const _block of [2, 3]) await scene.mine()
        expect(await retired({ ...replaced, confirmations: 3 })).to.equal(
          `There is no lane of ${signer} on chain ${a().chainId}`,
        )
      } finally {
        await setOperator(true, a())
      }
    })
  })
})
