import { expect } from 'chai'
import { createTips } from '../../server/engine/lanes/tips.js'
import type { ChainConfig } from '../../server/domain/chainConfig.js'
import type { JournalTransaction } from '../../server/store/journal/journalTransactions.js'

describe('the tip that blocks ask for', () => {
  const config = { chainId: 1, priorityFeePerGas: 10n } as ChainConfig
  const block = { gasLimit: 80n }
  const raised = (authorizations: object[], gasLimit = 10n) => {
    const form = (tip: bigint) => ({ hash: `0x${tip}`, maxPriorityFeePerGas: tip })
    return {
      id: 1,
      chainId: 1,
      gasLimit,
      authorizations,
      forms: [form(10n), form(12n)],
    } as unknown as JournalTransaction
  }
  const learnedBy = async (transaction: JournalTransaction, hash: string, suggestedTip: () => Promise<bigint>) => {
    const tips = createTips(() => 0)
    tips.passedOver(transaction, block)
    await tips.mined(transaction, hash, { config, suggestedTip })
    return tips.withTip(config).priorityFeePerGas
  }
  const unasked = () => Promise.reject(new Error('nobody is asked'))

  it('is that of a form which was taken once the first had been passed over', async () => {
    expect(await learnedBy(raised([]), '0x12', unasked)).to.equal(12n)
    expect(await learnedBy(raised([]), '0x10', unasked)).to.equal(10n)
  })

  it('is no more than a node suggests where a user could keep the transaction out of blocks', async () => {
    expect(await learnedBy(raised([{}]), '0x12', async () => 13n)).to.equal(12n)
    expect(await learnedBy(raised([{}]), '0x12', async () => 11n)).to.equal(11n)
    expect(await learnedBy(raised([{}]), '0x12', unasked)).to.equal(10n)
  })

  it('is no more than a node suggests where blocks may have had no room for the transaction', async () => {
    const large = raised([], 11n)
    expect(await learnedBy(large, '0x12', async () => 13n)).to.equal(12n)
    expect(await learnedBy(large, '0x12', async () => 11n)).to.equal(11n)
    expect(await learnedBy(large, '0x12', unasked)).to.equal(10n)
  })

  it('is not forgotten for one that shows less', async () => {
    const tips = createTips(() => 0)
    tips.passedOver(raised([]), block)
    await tips.mined(raised([]), '0x12', { config, suggestedTip: unasked })
    tips.passedOver(raised([{}]), block)
    await tips.mined(raised([{}]), '0x12', { config, suggestedTip: unasked })
    expect(tips.withTip(config).priorityFeePerGas).to.equal(12n)
  })
})
