import { expect } from 'chai'
import { parseUnits } from 'viem'
import { useTestService } from '../support/useTestService.js'
import {
  authorization,
  balanceOf,
  fund,
  newUser,
  reader,
  signedIntent,
  tokenOf,
  transferData,
} from '../support/wallets.js'

describe('signed intents on two chains', () => {
  const { service, api } = useTestService()

  for (const signatureType of ['ecdsa', 'eip712'] as const) {
    it(`carries out an ${signatureType} action on both chains, and the user pays no gas`, async () => {
      const [a, b] = service.chains
      const user = newUser()
      const usdA = tokenOf(a, 'usd')
      const usdB = tokenOf(b, 'usd')
      const friend = newUser().address
      await fund(a, user.address, { usd: parseUnits('25', 6) })
      const batches = [
        {
          chainId: a.chainId,
          tokenTransfers: [{ from: user.address, to: a.vault, token: usdA.address, amount: parseUnits('25', 6) }],
          calls: [{ to: usdA.address, value: 0n, data: transferData(a.vault, parseUnits('25', 6)) }],
        },
        {
          chainId: b.chainId,
          tokenTransfers: [
            { from: 'solver' as const, to: user.address, token: usdB.address, amount: parseUnits('20', 18) },
          ],
          calls: [{ to: usdB.address, value: 0n, data: transferData(friend, parseUnits('15', 18)) }],
        },
      ]
      const vaultBefore = await balanceOf(b, usdB.address, b.vault)
      const created = await api.post('/actions', {
        user: user.address,
        chainAuthorizations: [await authorization(user, a), await authorization(user, b)],
        intents: [await signedIntent(user, batches, { signatureType })],
      })
      expect(created.status, JSON.stringify(created.body)).to.equal(201)
      const { actionId } = created.body
      expect(created.body.intentIds).to.deep.equal([`${actionId}/0`])

      const first = await api.execute(actionId, 0, 0)
      expect(first.body, JSON.stringify(first.body)).to.include({ status: 'success', confirmations: 1 })
      const second = await api.execute(actionId, 0, 1)
      expect(second.body, JSON.stringify(second.body)).to.include({ status: 'success' })

      expect(await balanceOf(b, usdB.address, friend)).to.equal(parseUnits('15', 18))
      expect(await balanceOf(b, usdB.address, user.address)).to.equal(parseUnits('5', 18))
      expect(vaultBefore - (await balanceOf(b, usdB.address, b.vault))).to.equal(parseUnits('20', 18))
      expect(await reader(a).getBalance({ address: user.address })).to.equal(0n)
      expect((await api.get(`/actions/${actionId}`)).body.status).to.equal('success')

      const again = await api.execute(actionId, 0, 1)
      expect(again.status).to.equal(200)
      expect(again.body.transactionHash).to.equal(second.body.transactionHash)
      expect(await balanceOf(b, usdB.address, friend)).to.equal(parseUnits('15', 18))
    })
  }
})
