import { expect } from 'chai'
import { type Address, type Hex, parseUnits } from 'viem'
import { startKilledAtStart } from '../chaos/killableService.js'
import { type Asked, bundleScene } from '../support/bundleScene.js'
import { until } from '../support/until.js'
import { balanceOf, newUser } from '../support/wallets.js'

/** Contracts of a few bytes. */
const codes = {
  harmless: '0x00',
  reverting: '0x5f5ffd',
  /** Goes round until the gas is gone. */
  burning: '0x5b5f56',
  /** Reverts with 50,000 bytes. */
  flooding: '0x61c3505ffd',
  /** Lets nobody in twice in one transaction (EIP-1153). */
  oncePerTransaction: '0x5f5c600a5760015f5d005b5f5ffd',
} as const

describe('steps that are ready at the same time', function () {
  this.timeout(60_000)
  const scene = bundleScene()
  const { a, b, usd } = scene

  const target = (code: keyof typeof codes): Promise<Address> => {
    const { address } = newUser()
    return scene.setCode(address, codes[code]).then(() => address)
  }
  const visit = (to: Address) => ({ to, value: 0n, data: '0x' as Hex })
  const paying = (users: Asked['user'][], nbf = 0) =>
    Promise.all(
      users.map(async (user, index) => {
        const calls = [scene.payVault(BigInt(index + 1))]
        return { user, intent: await scene.intentOf(user, calls, nbf) }
      }),
    )

  it('go out in one transaction, and each user has what he paid', async () => {
    const users = await scene.users(20)
    for (const [nbf, authorizations] of [
      [0, 20],
      [1, 0],
    ] as const) {
      const asked = await scene.ask(await paying(users, nbf))
      await scene.withService({}, async (service) => {
        const steps = await scene.ends(service, asked)
        expect(steps.map(({ status }) => status)).to.deep.equal(Array(20).fill('success'))
        expect(new Set(steps.map(({ transactionHash }) => transactionHash)).size).to.equal(1)
        const expected = { to: a().vault, steps: 20, authorizations }
        expect((await scene.transactions(service)).at(-1)).to.deep.equal(expected)
        for (const [index, user] of users.entries()) {
          expect(await scene.availableOf(service, user.address)).to.equal(String(index + 1))
          expect(await balanceOf(a(), usd(), user.address)).to.equal(100n - BigInt((index + 1) * (nbf + 1)))
        }
      })
    }
  })

  it('are paid for by the vault together, each once and exactly', async () => {
    const friend = newUser().address
    const users = Array.from({ length: 5 }, newUser)
    const wanted = []
    for (const user of users) wanted.push({ user, intent: await scene.acrossChains(user, friend) })
    const before = await scene.unexplainedBefore()
    const asked = await scene.askOncePaid(wanted)
    await scene.withService({}, async (service) => {
      const steps = await scene.ends(service, asked, 1)
      expect(steps.map(({ status }) => status)).to.deep.equal(Array(5).fill('success'))
      expect(await scene.transactions(service, b())).to.deep.equal([{ to: b().vault, steps: 5, authorizations: 5 }])
      expect(await balanceOf(b(), usd(b()), friend)).to.equal(parseUnits('15', 18))
      for (const { address } of users) {
        expect(await balanceOf(b(), usd(b()), address)).to.equal(parseUnits('7', 18))
        expect(await scene.availableOf(service, address)).to.equal('0')
      }
      // What the users paid was not in the ledger before; nothing else has come or gone.
      expect(await scene.unexplained(service.database)).to.deep.equal(before)
    })
  })

  for (const [what, reason] of [
    ['reverting', /reverted without a reason/],
    ['burning', /./],
    ['flooding', /unknown error|reverted/],
  ] as const) {
    it(`are not touched by one among them that turns out ${what}`, async () => {
      const users = await scene.users(5)
      const hostile = await target('harmless')
      const wanted = await paying(users)
      wanted[2]!.intent = await scene.intentOf(users[2]!, [scene.payVault(7n), visit(hostile)])
      const asked = await scene.ask(wanted)
      await scene.automine(false)
      await scene.withService({}, async (service) => {
        const { knex } = service.database
        await until(
          async () => (await knex('transactions').whereNotNull('sent_at')).length > 0,
          'the bundle to be sent',
        )
        await scene.setCode(hostile, codes[what])
        await scene.automine(true)
        await scene.mine()
        const steps = await scene.ends(service, asked)
        expect(steps.map(({ status }) => status)).to.deep.equal([
          'success',
          'success',
          'reverted',
          'success',
          'success',
        ])
        const [failed] = steps.splice(2, 1)
        expect(failed.error).to.include({ code: 'execution_reverted', retryable: true })
        expect(failed.error.message).to.match(reason)
        expect(new Set([failed, ...steps].map(({ transactionHash }) => transactionHash)).size).to.equal(1)
        expect(await scene.availableOf(service, users[2]!.address)).to.equal('0')
        expect(await balanceOf(a(), usd(), users[2]!.address)).to.equal(100n)
        expect(await scene.transactions(service)).to.have.length(1)

        // Asked for again it is by itself, and succeeds once the reason is gone.
        await scene.setCode(hostile, codes.harmless)
        const again = await scene.again(service, asked[2]!)
        expect(again.status).to.equal('success')
        expect(await scene.availableOf(service, users[2]!.address)).to.equal('7')
      })
    })
  }

  it('go again by themselves where only their company made them fail', async () => {
    const users = await scene.users(3)
    const shy = await target('oncePerTransaction')
    const wanted = []
    for (const user of users) {
      wanted.push({ user, intent: await scene.intentOf(user, [visit(shy), scene.payVault(7n)]) })
    }
    const asked = await scene.ask(wanted)
    await scene.withService({}, async (service) => {
      const steps = await scene.ends(service, asked)
      expect(steps.map(({ status, attempts }) => [status, attempts])).to.deep.equal(Array(3).fill(['success', 1]))
      expect(new Set(steps.map(({ transactionHash }) => transactionHash)).size).to.equal(3)
      const carried = await scene.transactions(service)
      expect(carried[0]).to.deep.equal({ to: a().vault, steps: 1, authorizations: 3 })
      expect(carried.slice(1).map(({ steps }) => steps)).to.deep.equal([1, 1])
      for (const { address } of users) expect(await scene.availableOf(service, address)).to.equal('7')
    })
  })

  it('all go again by themselves when their transaction fails as a whole', async () => {
    const users = await scene.users(3)
    const asked = await scene.ask(await paying(users))
    const vault = await scene.codeOf(a().vault)
    await scene.automine(false)
    await scene.withService({}, async (service) => {
      const { knex } = service.database
      await until(async () => (await knex('transactions').whereNotNull('sent_at')).length > 0, 'the bundle to be sent')
      await scene.setCode(a().vault, codes.reverting)
      await scene.mine()
      await scene.setCode(a().vault, vault)
      await scene.automine(true)
      const steps = await scene.ends(service, asked)
      expect(steps.map(({ status, attempts }) => [status, attempts])).to.deep.equal(Array(3).fill(['success', 1]))
      expect((await scene.transactions(service)).map(({ to }) => to)).to.have.members([
        a().vault,
        ...users.map(({ address }) => address.toLowerCase()),
      ])
    })
  })

  it('go out as a lone step ever did when there is but one, and when bundles are switched off', async () => {
    const [user, ...others] = await scene.users(4)
    const lone = await scene.ask(await paying([user!]))
    await scene.withService({}, async (service) => {
      await scene.ends(service, lone)
      const own = { to: user!.address.toLowerCase(), steps: 1, authorizations: 1 }
      expect(await scene.transactions(service)).to.deep.equal([own])
    })
    const many = await scene.ask(await paying(others))
    await scene.withService({ BUNDLE_MAX_STEPS: '1' }, async (service) => {
      await scene.ends(service, many)
      expect((await scene.transactions(service)).map(({ steps }) => steps)).to.deep.equal([1, 1, 1])
    })
  })

  it('of one user go one after the other', async () => {
    const [user] = await scene.users(1)
    const wanted = []
    for (const nbf of [0, 1, 2])
      wanted.push({ user: user!, intent: await scene.intentOf(user!, [scene.payVault(5n)], nbf) })
    const asked = await scene.ask(wanted)
    await scene.withService({}, async (service) => {
      const steps = await scene.ends(service, asked)
      expect(steps.map(({ status }) => status)).to.deep.equal(Array(3).fill('success'))
      expect((await scene.transactions(service)).map(({ steps }) => steps)).to.deep.equal([1, 1, 1])
      expect(await scene.availableOf(service, user!.address)).to.equal('15')
    })
  })

  it('that are too large to go together go in several transactions', async () => {
    const users = await scene.users(4)
    const sink = await target('harmless')
    const wanted = []
    for (const user of users) {
      const large = { to: sink, value: 0n, data: `0x${'01'.repeat(40_000)}` as Hex }
      wanted.push({ user, intent: await scene.intentOf(user, [large, scene.payVault(5n)]) })
    }
    const asked = await scene.ask(wanted)
    await scene.withService({}, async (service) => {
      const steps = await scene.ends(service, asked)
      expect(steps.map(({ status }) => status)).to.deep.equal(Array(4).fill('success'))
      expect((await scene.transactions(service)).map(({ steps }) => steps)).to.deep.equal([2, 2])
    })
  })

  for (const [point, maxSteps, then] of [
    ['before send of 1 #1', '20', ''],
    ['after send of 1 #1', '1', ', and started again without bundles'],
  ] as const) {
    it(`take effect once when the process is killed ${point.split(' of')[0]}ing their transaction${then}`, async () => {
      const users = await scene.users(6)
      const asked = await scene.ask(await paying(users))
      const env = { ...scene.env(), BUNDLE_WAIT_MS: '1000' }
      const process = await startKilledAtStart({ env, folder: scene.folder(), point })
      await until(() => process.killed(), 'the process to be killed')
      await scene.withService({ BUNDLE_MAX_STEPS: maxSteps }, async (service) => {
        const steps = await scene.ends(service, asked)
        expect(steps.map(({ status }) => status)).to.deep.equal(Array(6).fill('success'))
        expect(await scene.transactions(service)).to.deep.equal([{ to: a().vault, steps: 6, authorizations: 6 }])
        for (const [index, { address }] of users.entries()) {
          expect(await scene.availableOf(service, address)).to.equal(String(index + 1))
          expect(await balanceOf(a(), usd(), address)).to.equal(99n - BigInt(index))
        }
      })
    })
  }

  it('are all open again when a reorganisation removes their transaction, and take effect once on the new chain', async () => {
    const friend = newUser().address
    const users = Array.from({ length: 3 }, newUser)
    const wanted = []
    for (const user of users) wanted.push({ user, intent: await scene.acrossChains(user, friend) })
    const before = await scene.unexplainedBefore()
    const asked = await scene.askOncePaid(wanted)
    await scene.withService({}, async (service) => {
      const first = await scene.ends(service, asked, 1)
      expect(new Set(first.map(({ transactionHash }) => transactionHash)).size).to.equal(1)
      const depth = await scene.depthOf(first[0].blockNumber, b())
      await scene.automine(false, b())
      await scene.reorganise(depth, b())
      expect(await balanceOf(b(), usd(b()), friend)).to.equal(0n)
      await scene.mine(b())
      const statuses = async () => (await scene.views(service, asked, 1)).map(({ status }) => status)
      await until(async () => (await statuses()).every((status) => status === 'executing'), 'all to be open again')
      // Nobody has been paid on this chain, and the ledger says so.
      expect(await scene.unexplained(service.database)).to.deep.equal(before)
      await scene.automine(true, b())
      await until(
        async () => (await scene.mine(b()), (await statuses()).every((status) => status === 'success')),
        'all to be done again',
        30_000,
      )
      expect(await balanceOf(b(), usd(b()), friend)).to.equal(parseUnits('9', 18))
      expect(await scene.transactions(service, b())).to.deep.equal([{ to: b().vault, steps: 3, authorizations: 3 }])
      expect(await scene.unexplained(service.database)).to.deep.equal(before)
    })
  })

  it('count a stranger’s execution in the same transaction as done, and pay nothing for it', async () => {
    const [victim, stranger] = await scene.users(2)
    const wanted = await paying([victim!, stranger!])
    // The stranger has seen what the victim signed and has it run by his own calls, by a contract that passes them on.
    const messenger = newUser().address
    await scene.setCode(messenger, `0x365f5f375f5f365f5f73${victim!.address.slice(2)}5af100`)
    const run = { to: messenger, value: 0n, data: scene.executionOf(wanted[0]!.intent) }
    wanted[1]!.intent = await scene.intentOf(stranger!, [run, scene.payVault(3n)])
    const asked = await scene.ask([wanted[1]!, wanted[0]!])
    await scene.withService({}, async (service) => {
      const steps = await scene.ends(service, asked)
      expect(steps.map(({ status }) => status)).to.deep.equal(['success', 'success'])
      expect(await scene.availableOf(service, victim!.address)).to.equal('1')
      expect(await scene.availableOf(service, stranger!.address)).to.equal('3')
    })
  })
})
