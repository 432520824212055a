import { expect } from 'chai'
import { type Address, createWalletClient, type Hex, http, parseUnits, zeroAddress } from 'viem'
import { devAccount } from '../../server/devnet/accounts.js'
import { rpc } from '../../server/devnet/anvil.js'
import { type Asked, bundleScene, type Wanted } from '../support/bundleScene.js'
import { balanceOf, fund, newUser, reader } from '../support/wallets.js'

/** Contracts of a few bytes. */
const codes = {
  harmless: '0x00',
  /** Goes round until the gas is gone. */
  burning: '0x5b5f56',
  /** Hands back four megabytes. */
  bomb: '0x623d09005ff3',
} as const

/**
 * Users who do all they can to hurt those whose steps travel with theirs. What each of them may bring
 * about is that his own step fails.
 */
describe('a bundle with hostile steps in it', function () {
  this.timeout(90_000)
  const scene = bundleScene()
  const { a, b, usd } = scene

  type User = Asked['user']
  const visit = (to: Address) => ({ to, value: 0n, data: '0x' as Hex })
  const pay = 7n

  async function target(code: Hex, chain = a()): Promise<Address> {
    const { address } = newUser()
    await scene.setCode(address, code, chain)
    return address
  }

  /**
   * Reverts when the vault has been touched in this transaction before, which a look at
   * its balance then costs less for.
   */
  const companyDetector = (): Promise<Address> => {
    const vault = a().vault.slice(2)
    return target(`0x5a73${vault}31505a90036103e8106025575f5ffd5b00`)
  }

  /** Into the pool, not mined. */
  async function submit(
    user: User | ReturnType<typeof devAccount>,
    to: Address,
    data: Hex,
    more: object = {},
    chain = a(),
  ) {
    const wallet = createWalletClient({ account: user, transport: http(chain.rpcUrls[0]) })
    return wallet.sendTransaction({ chain: null, to, data, gas: 1_000_000n, ...more })
  }

  it('carries the others out, whatever the hostile ones have become until it is mined', async () => {
    const names = ['first', 'burns', 'bomb', 'watches', 'moves', 'revokes', 'overtaken', 'late', 'last'] as const
    const users = Object.fromEntries(
      await Promise.all((await scene.users(names.length)).map(async (user, index) => [names[index]!, user] as const)),
    ) as Record<(typeof names)[number], User>
    for (const name of ['moves', 'revokes'] as const) await fund(a(), users[name].address, { native: 10n ** 18n })
    const [burner, bomb] = [await target(codes.harmless), await target(codes.harmless)]
    const detector = await companyDetector()
    const now = Number((await reader(a()).getBlock()).timestamp)
    const calls: Partial<Record<(typeof names)[number], ReturnType<typeof visit>>> = {
      burns: visit(burner),
      bomb: visit(bomb),
      watches: visit(detector),
    }
    // Delegated before, so that no authorization travels with his step.
    const delegation = await users.revokes.signAuthorization({
      contractAddress: a().delegates[0]!,
      chainId: a().chainId,
      nonce: 1,
    })
    await submit(users.revokes, zeroAddress, '0x', { authorizationList: [delegation] })
    const expiry = Math.max(now, Math.floor(Date.now() / 1000)) + 300
    const wanted: Wanted[] = []
    for (const name of names) {
      const own = calls[name]
      const intent = await scene.intentOf(
        users[name],
        [...(own ? [own] : []), scene.payVault(pay)],
        0,
        name === 'late' ? expiry : expiry + 86_400,
      )
      wanted.push({ user: users[name], intent })
    }
    const asked = await scene.ask(wanted)
    const before = await scene.unexplainedBefore()
    await scene.automine(false)
    await scene.withService({}, async (service) => {
      const bundle = await scene.sent(service)
      expect((await scene.transactions(service)).map(({ steps }) => steps)).to.deep.equal([names.length])
      await scene.setCode(burner, codes.burning)
      await scene.setCode(bomb, codes.bomb)
      await rpc(a().rpcUrls[0]!, 'evm_setNextBlockTimestamp', [expiry + 1])
      await scene.overtake(bundle, async () => {
        // His nonce is another one then, and his authorization for nothing.
        await submit(users.moves, users.moves.address, '0x')
        const none = await users.revokes.signAuthorization({
          contractAddress: zeroAddress,
          chainId: a().chainId,
          nonce: (await reader(a()).getTransactionCount({ address: users.revokes.address })) + 1,
        })
        await submit(users.revokes, zeroAddress, '0x', { authorizationList: [none] })
        const index = names.indexOf('overtaken')
        const allowed = await users.overtaken.signAuthorization({
          contractAddress: a().delegates[0]!,
          chainId: a().chainId,
          nonce: 0,
        })
        const data = scene.executionOf(wanted[index]!.intent)
        await submit(devAccount(8), users.overtaken.address, data, { authorizationList: [allowed] })
      })
      await scene.automine(true)
      const steps = await scene.ends(service, asked)
      const ended = Object.fromEntries(steps.map((step, index) => [names[index]!, step]))
      const codesOf = Object.fromEntries(names.map((name) => [name, ended[name].error?.code ?? ended[name].status]))
      expect(codesOf).to.deep.equal({
        first: 'success',
        burns: 'execution_reverted',
        bomb: 'execution_reverted',
        watches: 'success',
        moves: 'authorization_invalid',
        revokes: 'authorization_invalid',
        overtaken: 'success',
        late: 'intent_expired',
        last: 'success',
      })
      for (const name of ['first', 'last']) expect(ended[name].transactionHash).to.equal(bundle.hash)
      expect(ended.overtaken.transactionHash).to.not.equal(bundle.hash)
      expect(ended.watches.transactionHash).to.not.equal(bundle.hash)
      // The bundle, and one more for the step that bears no company.
      expect(await scene.transactions(service)).to.have.length(2)
      for (const name of names) {
        const paid = ended[name].status === 'success' ? pay : 0n
        expect(await scene.availableOf(service, users[name].address), name).to.equal(String(paid))
        expect(await balanceOf(a(), usd(), users[name].address), name).to.equal(100n - paid)
      }
      expect(await scene.unexplained(service.database)).to.deep.equal(before)
    })
  })

  it('that the vault pays in pays those only whose calls have run', async () => {
    const friend = newUser().address
    const [good, burns, moves, overtaken] = Array.from({ length: 4 }, newUser) as [User, User, User, User]
    const burner = await target(codes.harmless, b())
    await fund(b(), moves.address, { native: 10n ** 18n })
    // So that a stranger can run his calls without the vault's money.
    await fund(b(), overtaken.address, { usd: parseUnits('3', 18) })
    const users = [good, burns, moves, overtaken]
    const wanted: Wanted[] = []
    for (const user of users) {
      const more = user === burns ? [visit(burner)] : []
      wanted.push({ user, intent: await scene.acrossChains(user, friend, ...more) })
    }
    const before = await scene.unexplainedBefore()
    const asked = await scene.askOncePaid(wanted)
    await scene.automine(false, b())
    await scene.withService({}, async (service) => {
      const bundle = await scene.sent(service, b())
      expect((await scene.transactions(service, b())).map(({ steps }) => steps)).to.deep.equal([4])
      await scene.setCode(burner, codes.burning, b())
      const overtake = async () => {
        await submit(moves, moves.address, '0x', {}, b())
        const allowed = await overtaken.signAuthorization({
          contractAddress: b().delegates[0]!,
          chainId: b().chainId,
          nonce: 0,
        })
        const data = scene.executionOf(wanted[3]!.intent, 1)
        await submit(devAccount(8), overtaken.address, data, { authorizationList: [allowed] }, b())
      }
      await scene.overtake(bundle, overtake, b())
      await scene.automine(true, b())
      const steps = await scene.ends(service, asked, 1)
      expect(steps.map(({ status, error }) => error?.code ?? status)).to.deep.equal([
        'success',
        'execution_reverted',
        'account_not_delegated',
        'already_fulfilled',
      ])
      const held = await Promise.all(users.map(({ address }) => balanceOf(b(), usd(b()), address)))
      expect(held).to.deep.equal([parseUnits('7', 18), 0n, 0n, 0n])
      expect(await balanceOf(b(), usd(b()), friend)).to.equal(parseUnits('6', 18))
      const ten = String(parseUnits('10', 6))
      const left = await Promise.all(users.map(({ address }) => scene.availableOf(service, address)))
      expect(left).to.deep.equal(['0', ten, ten, ten])
      expect(await scene.unexplained(service.database)).to.deep.equal(before)
      expect(await scene.transactions(service, b())).to.have.length(1)
    })
  })
})
