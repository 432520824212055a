import { expect } from 'chai'
import { formatUnits } from 'viem'
import { describeReconciliation } from '../../scripts/reconcile/describeReconciliation.js'
import { compareVaults } from '../../scripts/reconcile/compareVaults.js'
import type { NotLookedAt } from '../../scripts/reconcile/findUnconfigured.js'
import { attackScene } from '../support/attackScene.js'
import { tokenOf } from '../support/wallets.js'

describe('what `npm run reconcile` says that is owed to users', () => {
  const scene = attackScene()
  const { a, b, ten, tenOnB, payer, report } = scene

  it('is their credit, available and reserved, by token and by group, beside what the vaults hold', async () => {
    const [one, other] = [await payer(), await payer()]
    for (const { user, hash } of [one, other]) expect((await report(user.address, hash)).status).to.equal(200)
    // As while a payout of it is under way.
    const rows = scene.database().knex('balances').where({ user: other.user.address.toLowerCase() })
    await rows.clone().update({ available: '3000000', reserved: '7000000' })
    const compared = await scene.compare()
    await rows.clone().update({ available: ten.toString(), reserved: '0' })

    const usd = compared.vaults.filter(({ token }) => token.group === 'usd')
    const [onA, onB] = [a(), b()].map(({ chainId }) => usd.find((vault) => vault.chainId === chainId)!)
    expect(onA!.owed).to.deep.equal({ available: 13_000_000n, reserved: 7_000_000n })
    expect(onB!.owed).to.deep.equal({ available: 0n, reserved: 0n })
    const balance = onA!.balance * 10n ** 12n + onB!.balance
    const group = { group: 'usd', decimals: 18, balance, owed: 2n * tenOnB }
    expect(compared.groups.filter((entry) => entry.group === 'usd')).to.deep.equal([group])
    expect(describeReconciliation(compared)).to.include.members([
      '  owed to users       20, reserved of it 7',
      '  owed to users       0, reserved of it 0',
      `group usd: holds ${formatUnits(balance, 18)}, owed to users 20, the owner's own ${formatUnits(balance - 2n * tenOnB, 18)}`,
    ])
  })

  it('says of tokens and chains that are not configured that it has not looked at them', async () => {
    const { user, hash } = await payer()
    expect((await report(user.address, hash)).status).to.equal(200)
    const everything = describeReconciliation(await scene.compare())
    expect(everything.at(-1)).to.equal('Everything is explained.')
    expect(everything.join()).not.to.contain('not looked at')
    const usd = tokenOf(a(), 'usd')
    const withoutUsd = { ...a(), tokens: a().tokens.filter((token) => token !== usd) }
    const compared = await compareVaults(scene.database(), [withoutUsd, b()])
    const [{ recorded, paid, owed, ...place }, ...more] = compared.notLookedAt as [NotLookedAt, ...NotLookedAt[]]
    expect(more).to.deep.equal([])
    expect(place).to.deep.equal({ chainId: a().chainId, token: usd.address })
    expect(recorded - paid).to.equal(owed)
    expect(owed >= ten).to.equal(true)
    const said = describeReconciliation(compared)
    expect(said).to.include(
      `not looked at: ${usd.address} on ${a().chainId}, which the chains file does not name. In its smallest unit the ledger ` +
        `has: recorded payments ${recorded}, paid out ${paid}, owed to users ${owed}`,
    )
    expect(said.at(-1)).to.equal('Everything that was looked at is explained.')
    expect((await compareVaults(scene.database(), [b()])).notLookedAt).to.deep.equal(compared.notLookedAt)
  })
})
