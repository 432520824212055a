import { expect } from 'chai'
import { rpc } from '../../server/devnet/anvil.js'
import { blocksPassingOver, lowerBaseFee } from '../support/passOver.js'
import { until } from '../support/until.js'
import { useServiceOnChains } from '../support/useTestService.js'
import { actionOf, balanceOf, fund, newUser, tokenOf, transferData } from '../support/wallets.js'

describe('a transaction that is stuck', () => {
  const { service, api } = useServiceOnChains((chain) => ({ ...chain, replaceAfterMs: 1_000 }))

  /**
   * A step of a new user, who pays the vault 9, on a chain that mines nothing by itself; and the row that carries it.
   */
  async function aStuckStep() {
    const [chain] = service.chains
    const url = chain.rpcUrls[0]!
    const user = newUser()
    await fund(chain, user.address, { usd: 9n })
    const calls = [{ to: tokenOf(chain, 'usd').address, value: 0n, data: transferData(chain.vault, 9n) }]
    const created = await api.post('/actions', await actionOf(user, chain, calls))
    await rpc(url, 'evm_setAutomine', [false])
    await api.execute(created.body.actionId, 0, 0, undefined, 0)
    const path = `/actions/${created.body.actionId}/intents/0/steps/0`
    const { knex } = service.database
    const read = async () => (await api.get(path)).body as { status: string; transactionHash: string | null }
    return {
      ...{ chain, url, user, read, knex },
      /** Every form of the transaction that is open. */
      forms: (): Promise<{ is_cancel: number; sent_at: number | null; signed_at: number }[]> =>
        knex('attempts')
          .join('transactions', 'transactions.id', 'attempts.transaction_id')
          .where({ 'transactions.status': 'open' })
          .select('is_cancel', 'sent_at', 'signed_at'),
      async mines(): Promise<void> {
        await rpc(url, 'evm_setAutomine', [true])
        await rpc(url, 'evm_mine', [])
        await until(async () => (await read()).status === 'success', 'the step')
      },
    }
  }

  it('below a base fee that has risen is replaced at the same nonce, and takes effect once', async function () {
    this.timeout(60_000)
    const { chain, url, user, read, knex, mines } = await aStuckStep()
    const hashOf = async () => (await read()).transactionHash
    const first = await until(hashOf, 'the first form of the transaction')
    await rpc(url, 'anvil_setNextBlockBaseFeePerGas', ['0x174876e800'])
    await rpc(url, 'evm_mine', [])
    const second = await until(async () => ((await hashOf()) === first ? null : hashOf()), 'a replacement')
    await mines()
    expect(await balanceOf(chain, tokenOf(chain, 'usd').address, user.address)).to.equal(0n)
    expect(await hashOf()).to.not.equal(first)
    expect(second).to.not.equal(first)
    const [forms, transactions] = [await knex('attempts').select('hash'), await knex('transactions').select('id')]
    expect(forms.length).to.be.greaterThan(1)
    expect(transactions).to.have.length(1)
    await lowerBaseFee(url)
    await rpc(url, 'evm_mine', [])
  })

  it('keeps its fees while the chain makes no blocks, for far longer than else', async function () {
    this.timeout(60_000)
    const { forms, mines } = await aStuckStep()
    // A block that was there before may be seen after it was signed, and raise them once.
    // It is sent again all the same.
    const isKept = async () => {
      const [newest] = await forms()
      return newest !== undefined && (newest.sent_at ?? 0) - newest.signed_at > 8_000
    }
    await until(isKept, 'looks at it, seconds apart, that leave its fees as they are', 40_000)
    const before = (await forms()).length
    await until(async () => (await forms()).length > before, 'its fees to be raised at last')
    await mines()
  })

  it('is never given up while no node refuses it, however often its fees are raised', async function () {
    this.timeout(90_000)
    const { url, knex, forms, mines } = await aStuckStep()
    // Blocks come whose base fee is above what it pays; one raise more than after which a bundle is given up.
    const passOver = blocksPassingOver(url, knex)
    const isRaised = async () => {
      await passOver()
      return (await forms()).length > 5
    }
    await until(isRaised, 'its fees to be raised five times', 50_000)
    expect((await forms()).filter(({ is_cancel }) => is_cancel)).to.deep.equal([])
    await lowerBaseFee(url)
    await mines()
  })
})
