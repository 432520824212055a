import { expect } from 'chai'
import fc from 'fast-check'
import { stepFeeCap } from '../../server/domain/feeCap.js'
import { initialFees, replacementFees } from '../../server/chain/fees.js'
import { calldataFloor, gasLimit } from '../../server/chain/gas.js'

const gwei = 10n ** 9n
const config = { maxFeePerGasCap: 100n * gwei, priorityFeePerGas: gwei }
const steps = { isCancel: false }

describe('fees', () => {
  it('start at twice the base fee plus the tip', () => {
    expect(initialFees(10n * gwei, config)).to.deep.equal({ maxFeePerGas: 21n * gwei, maxPriorityFeePerGas: gwei })
  })

  it('never go beyond what leaves room for a cancel below the cap, the tip included', () => {
    expect(initialFees(90n * gwei, config).maxFeePerGas).to.equal(stepFeeCap(config))
    const low = { maxFeePerGasCap: 9n, priorityFeePerGas: 9n }
    expect(initialFees(1n, low)).to.deep.equal({ maxFeePerGas: 8n, maxPriorityFeePerGas: 8n })
  })

  it('of a replacement are an eighth higher than the highest ever signed, rounded up', () => {
    const attempts = [
      { maxFeePerGas: 21n * gwei + 1n, maxPriorityFeePerGas: gwei },
      { maxFeePerGas: 20n * gwei, maxPriorityFeePerGas: 3n * gwei },
    ]
    expect(replacementFees(attempts, 1n, config, steps)).to.deep.equal({
      maxFeePerGas: 23_625_000_002n,
      maxPriorityFeePerGas: 3_375_000_000n,
    })
  })

  it('of a replacement follow a base fee that has risen further', () => {
    const attempts = [{ maxFeePerGas: 21n * gwei, maxPriorityFeePerGas: gwei }]
    expect(replacementFees(attempts, 40n * gwei, config, steps)!.maxFeePerGas).to.equal(81n * gwei)
  })

  it('do not exist for a replacement beyond the cap', () => {
    const attempts = [{ maxFeePerGas: 95n * gwei, maxPriorityFeePerGas: gwei }]
    expect(replacementFees(attempts, gwei, config, steps)).to.equal(null)
  })

  it('of a cancel exist whatever was signed for steps before, however high the base fee and the tip', () => {
    const amount = fc.bigInt({ min: 0n, max: 10_000n * gwei })
    fc.assert(
      fc.property(amount, amount, amount, amount, (maxFeePerGasCap, priorityFeePerGas, before, now) => {
        const chain = { maxFeePerGasCap, priorityFeePerGas }
        const forms = [initialFees(before, chain)]
        for (let form; (form = replacementFees(forms, before, chain, steps)) && forms.length < 30;) forms.push(form)
        const cancel = replacementFees(forms, now, chain, { isCancel: true })!
        if (maxFeePerGasCap === 0n) return
        expect(cancel.maxFeePerGas > forms.at(-1)!.maxFeePerGas).to.equal(true)
        expect(cancel.maxFeePerGas <= maxFeePerGasCap).to.equal(true)
      }),
    )
  })

  it('of a replacement always satisfy what nodes ask for: a tenth more on both, and never less than the tip', () => {
    const fee = fc.bigInt({ min: 0n, max: 80n * gwei })
    fc.assert(
      fc.property(fee, fee, fee, fc.boolean(), (maxFeePerGas, tip, baseFee, isCancel) => {
        const before = { maxFeePerGas, maxPriorityFeePerGas: tip < maxFeePerGas ? tip : maxFeePerGas }
        const after = replacementFees([before], baseFee, config, { isCancel })
        if (!after) return
        expect(after.maxFeePerGas * 10n >= before.maxFeePerGas * 11n).to.equal(true)
        expect(after.maxPriorityFeePerGas * 10n >= before.maxPriorityFeePerGas * 11n).to.equal(true)
        expect(after.maxFeePerGas > before.maxFeePerGas).to.equal(true)
        expect(after.maxPriorityFeePerGas > before.maxPriorityFeePerGas).to.equal(true)
        expect(after.maxFeePerGas >= after.maxPriorityFeePerGas).to.equal(true)
        expect(after.maxFeePerGas <= config.maxFeePerGasCap).to.equal(true)
      }),
    )
  })
})

describe('the gas limit', () => {
  it('is the estimate with a margin', () => {
    expect(gasLimit({ estimate: 100_000n, authorizations: 0 })).to.equal(155_000n)
  })

  it('has 25,000 more for each authorization', () => {
    const plain = gasLimit({ estimate: 100_000n, authorizations: 0 })
    expect(gasLimit({ estimate: 100_000n, authorizations: 2 })).to.equal(plain + 50_000n)
  })

  it('is never less than our smallest calls take, however little a node estimates', () => {
    expect(gasLimit({ estimate: 0n, authorizations: 1 })).to.equal(85_000n)
  })

  it('is not lifted over the protocol’s limit by the margin alone', () => {
    expect(gasLimit({ estimate: 16_000_000n, authorizations: 1 })).to.equal(16_777_216n)
    expect(gasLimit({ estimate: 17_000_000n, authorizations: 0 })).to.equal(22_970_000n)
  })

  it('is not lifted over what a block has by the margin alone, and tells when that is too little', () => {
    const ofBlock = 30_000_000n
    expect(gasLimit({ estimate: 20_000_000n, authorizations: 0, ofBlock })).to.equal(27_020_000n)
    expect(gasLimit({ estimate: 29_000_000n, authorizations: 1, ofBlock })).to.equal(ofBlock)
    expect(gasLimit({ estimate: 16_000_000n, authorizations: 1, ofBlock })).to.equal(16_777_216n)
    expect(gasLimit({ estimate: 29_990_000n, authorizations: 1, ofBlock }) > ofBlock).to.equal(true)
    expect(gasLimit({ estimate: 9_000_000n, authorizations: 0, ofBlock: 10_000_000n })).to.equal(10_000_000n)
  })

  it('knows what calldata costs at least (EIP-7623)', () => {
    expect(calldataFloor('0x')).to.equal(21_000n)
    expect(calldataFloor('0x000001ff')).to.equal(21_000n + 2n * 10n + 2n * 40n)
  })
})
