import { expect } from 'chai'
import { createTips } from '../../server/engine/lanes/tips.js'
import type { ChainConfig } from '../../server/domain/chainConfig.js'
import type { JournalTransaction } from '../../server/store/journal/journalTransactions.js'

describe('the tip that blocks ask for', () => {
  const config = { chainId: 1, priorityFeePerGas: 10n } as ChainConfig
  const block = { gasLimit: 80n }
  const form = (tip: bigint) => ({ hash: `0x${tip}`, maxPriorityFeePerGas: tip })
  const transaction = (authorizations: object[], gasLimit = 10n) =>
    ({ id: 1, chainId: 1, gasLimit, authorizations, forms: [form(10n)] }) as unknown as JournalTransaction
  /** With the forms that were signed since, by what they offer, as the journal reads them. */
  const since = (before: JournalTransaction, ...tips: bigint[]) =>
    ({ ...before, forms: tips.map(form) }) as JournalTransaction
  const learnedBy = async (passedOver: JournalTransaction, hash: string, suggestedTip: () => Promise<bigint>) => {
    const tips = createTips(() => 0)
    tips.passedOver(passedOver, block)
    await tips.mined(since(passedOver, 10n, 12n), hash, { config, suggestedTip })
    return tips.withTip(config).priorityFeePerGas
  }
  const unasked = () => Promise.reject(new Error('nobody is asked'))

  it('is that of a form which was taken once the first had been passed over', async () => {
    expect(await learnedBy(transaction([]), '0x12', unasked)).to.equal(12n)
    expect(await learnedBy(transaction([]), '0x10', unasked)).to.equal(10n)
  })

  it('is no more than a node suggests where a user could keep the transaction out of blocks', async () => {
    expect(await learnedBy(transaction([{}]), '0x12', async () => 13n)).to.equal(12n)
    expect(await learnedBy(transaction([{}]), '0x12', async () => 11n)).to.equal(11n)
    expect(await learnedBy(transaction([{}]), '0x12', unasked)).to.equal(10n)
  })

  it('is no more than a node suggests where blocks may have had no room for the transaction', async () => {
    const large = transaction([], 11n)
    expect(await learnedBy(large, '0x12', async () => 13n)).to.equal(12n)
    expect(await learnedBy(large, '0x12', async () => 11n)).to.equal(11n)
    expect(await learnedBy(large, '0x12', unasked)).to.equal(10n)
  })

  it('is not forgotten for one that shows less', async () => {
    const tips = createTips(() => 0)
    const [sure, unsure] = [transaction([]), transaction([{}])]
    tips.passedOver(sure, block)
    await tips.mined(since(sure, 10n, 12n), '0x12', { config, suggestedTip: unasked })
    tips.passedOver(unsure, block)
    await tips.mined(since(unsure, 10n, 12n), '0x12', { config, suggestedTip: unasked })
    expect(tips.withTip(config).priorityFeePerGas).to.equal(12n)
  })

  it('is not shown by the form that was passed over, though one signed later offered less', async () => {
    const tips = createTips(() => 0)
    const before = since(transaction([]), 12n)
    tips.passedOver(before, block)
    await tips.mined(since(before, 11n, 12n, 14n), '0x12', { config, suggestedTip: unasked })
    expect(tips.withTip(config).priorityFeePerGas).to.equal(10n)
  })

  it('is shown by a raised form that was passed over itself at first', async () => {
    const tips = createTips(() => 0)
    tips.passedOver(transaction([]), block)
    tips.passedOver(since(transaction([]), 10n, 12n), block)
    await tips.mined(since(transaction([]), 10n, 12n, 14n), '0x12', { config, suggestedTip: unasked })
    expect(tips.withTip(config).priorityFeePerGas).to.equal(12n)
  })
})
