import { expect } from 'chai'
import type { Address } from 'viem'
import { devAccount } from '../../server/devnet/accounts.js'
import { rpc } from '../../server/devnet/anvil.js'
import { until } from '../support/until.js'
import { useServiceOnChains } from '../support/useTestService.js'
import { actionOf, fund, newUser, tokenOf, transferData } from '../support/wallets.js'

describe('a signer that can’t pay for gas', function () {
  this.timeout(60_000)
  const { service, api } = useServiceOnChains((chain) => ({ ...chain, pollIntervalMs: 100 }))
  const operators = [1, 2, 3, 4].map((index) => devAccount(index).address.toLowerCase() as Address)
  const a = () => service.chains[0]
  const setBalance = (signer: Address, wei: bigint) =>
    rpc(a().rpcUrls[0]!, 'anvil_setBalance', [signer, `0x${wei.toString(16)}`])
  const enough = 10n ** 19n

  async function newStep(): Promise<string> {
    const user = newUser()
    await fund(a(), user.address, { usd: 1n })
    const calls = [{ to: tokenOf(a(), 'usd').address, value: 0n, data: transferData(a().vault, 1n) }]
    const { body } = await api.post('/actions', await actionOf(user, a(), calls))
    await api.execute(body.actionId as string, 0, 0, undefined, 0)
    return body.actionId as string
  }
  const isDone = async (id: string) => (await api.get(`/actions/${id}`)).body.status === 'success'
  const signers = async () =>
    (await service.database
      .knex('transactions')
      .where({ chain_id: a().chainId })
      .orderBy('id')
      .pluck('signer')) as Address[]

  // The last that would be chosen among those that are as busy as each other.
  const rich = operators.toSorted().at(-1)!
  const other = operators.toSorted()[0]!

  it('is given no steps while another can', async () => {
    for (const signer of operators) await setBalance(signer, signer === rich ? enough : 0n)
    for (let count = 0; count < 3; count++) {
      const id = await newStep()
      await until(() => isDone(id), 'the step', 10_000)
    }
    expect(new Set(await signers())).to.deep.equal(new Set([rich]))
  })

  it('keeps no new steps once a node has refused it, until it has more', async () => {
    await setBalance(rich, 0n)
    await setBalance(other, enough)
    const refused = await newStep()
    await until(async () => (await signers()).length === 4, 'it to be signed')
    expect((await signers()).at(-1)).to.equal(rich)
    const next = await until(
      async () => {
        const id = await newStep()
        return (await signers()).at(-1) === other ? id : null
      },
      'the other to be chosen',
      10_000,
      500,
    )
    await until(() => isDone(next), 'the next step', 10_000)
    await setBalance(rich, enough)
    await until(() => isDone(refused), 'the step that it had', 20_000)
  })
})
