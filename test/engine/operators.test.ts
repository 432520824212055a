import { expect } from 'chai'
import { type Abi, encodeErrorResult, encodeFunctionData, type Hex } from 'viem'
import { solverVaultAbi } from '../../server/chain/generated/contracts.js'
import { rpc } from '../../server/devnet/anvil.js'
import { devAccount } from '../../server/devnet/accounts.js'
import { attackScene } from '../support/attackScene.js'
import { randomAddress } from '../support/builders.js'
import { until } from '../support/until.js'
import { authorization, sendFrom, signedIntent, tokenOf, transferData } from '../support/wallets.js'

describe('an operator that the vault does not know', function () {
  this.timeout(60_000)
  const scene = attackScene()
  const { a, usdA, ten, aUser, pay, report, available, create, api } = scene

  const setOperator = (index: number, isOperator: boolean) =>
    sendFrom(a(), devAccount(0), {
      to: a().vault,
      data: encodeFunctionData({
        abi: solverVaultAbi as Abi,
        functionName: 'setOperator',
        args: [devAccount(index).address, isOperator],
      }),
    })

  /** Of all that the user has paid; ended. */
  async function payout() {
    const user = await aUser()
    expect((await report(user.address, await pay(user))).status).to.equal(200)
    const tokenTransfers = [{ from: 'solver' as const, to: user.address, token: usdA(), amount: ten }]
    const intent = await signedIntent(user, [{ chainId: a().chainId, tokenTransfers, calls: [] }])
    return (await api.execute(await create(user.address, [intent]), 0, 0)).body
  }
  /** A step of the user's account only. */
  async function runsAlone() {
    const user = await aUser()
    const calls = [{ to: usdA(), value: 0n, data: transferData(a().vault, 1n) }]
    const intent = await signedIntent(user, [{ chainId: a().chainId, tokenTransfers: [], calls }])
    return (await api.execute(await create(user.address, [intent], [await authorization(user, a(), 0)]), 0, 0)).body
  }
  const refused = async () => {
    const { findings } = (await api.get('/health')).body.data
    return (findings as { code: string }[]).filter(({ code }) => code === 'operator_refused').length
  }

  for (const [which, revoked] of [
    ['the first', [1]],
    ['all but the first', [2, 3, 4]],
  ] as const) {
    it(`fails nobody’s step, and costs no attempt: ${which}`, async () => {
      for (const index of revoked) await setOperator(index, false)
      try {
        for (let count = 0; count < 4; count++) expect(await payout()).to.include({ status: 'success', attempts: 1 })
        await until(async () => (await refused()) === revoked.length, 'health to tell of it')
      } finally {
        for (const index of revoked) await setOperator(index, true)
      }
      await until(async () => (await refused()) === 0, 'health to be well')
    })
  }

  it('has steps wait while there is no other, and go on when it has its right again', async () => {
    const all = [1, 2, 3, 4]
    for (const index of all) await setOperator(index, false)
    const user = await aUser()
    let actionId: string
    try {
      await report(user.address, await pay(user))
      const tokenTransfers = [{ from: 'solver' as const, to: user.address, token: usdA(), amount: ten }]
      const intent = await signedIntent(user, [{ chainId: a().chainId, tokenTransfers, calls: [] }])
      actionId = await create(user.address, [intent])
      expect((await api.execute(actionId, 0, 0, undefined, 2)).status).to.equal(202)
      expect(await runsAlone(), 'the vault has no part in it').to.include({ status: 'success' })
    } finally {
      for (const index of all) await setOperator(index, true)
    }
    expect((await api.execute(actionId, 0, 0)).body).to.include({ status: 'success', attempts: 1 })
  })

  it('is not what a user’s contract says that it is', async () => {
    const user = await aUser()
    const reason = encodeErrorResult({ abi: solverVaultAbi, errorName: 'NotOperator', args: [devAccount(1).address] })
    const liar = randomAddress()
    await rpc(a().rpcUrls[0]!, 'anvil_setCode', [liar, revertingWith(reason)])
    const calls = [{ to: liar, value: 0n, data: '0x' as const }]
    const intent = await signedIntent(user, [{ chainId: a().chainId, tokenTransfers: [], calls }])
    const actionId = await create(user.address, [intent], [await authorization(user, a(), 0)])
    expect((await api.execute(actionId, 0, 0)).body).to.include({ status: 'reverted' })
    expect(await refused()).to.equal(0)
    expect(await payout()).to.include({ status: 'success' })
    expect(await available(user.address, tokenOf(a(), 'usd').address)).to.equal('0')
  })
})

/** Copies the reason behind its own 12 bytes of code to memory and reverts with it. */
function revertingWith(reason: Hex): Hex {
  const size = (reason.length / 2 - 1).toString(16).padStart(2, '0')
  // PUSH1 size, PUSH1 12, PUSH1 0, CODECOPY, PUSH1 size, PUSH1 0, REVERT
  return `0x60${size}600c60003960${size}6000fd${reason.slice(2)}`
}
