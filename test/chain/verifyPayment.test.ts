import { expect } from 'chai'
import { type Address, getAddress, type Hash, pad, toEventSelector, toHex } from 'viem'
import type { ChainTransaction, Log, Receipt } from '../../server/chain/chain.js'
import {
  matchTransfers,
  nativeLogAddress,
  transfersOf,
  vaultArrivals,
  vaultWithdrawals,
} from '../../server/chain/transfers.js'
import { paymentMismatch, verifyPayment } from '../../server/chain/verifyPayment.js'
import { type Call, nativeToken, type TokenTransfer } from '../../server/domain/action.js'

const address = (byte: string): Address => `0x${byte.repeat(20)}`
const [user, vault, token, other] = [address('aa'), address('bb'), address('cc'), address('dd')]
const hash: Hash = `0x${'11'.repeat(32)}`

let nextLog = 0
function transferLog(fields: Partial<{ token: Address; from: Address; to: Address; amount: bigint }> = {}): Log {
  const { token: emitter = token, from = user, to = vault, amount = 100n } = fields
  const topics = [toEventSelector('Transfer(address,address,uint256)'), pad(from), pad(to)]
  return { address: emitter, topics, data: toHex(amount, { size: 32 }), logIndex: nextLog++ }
}

const wanted = (fields: Partial<TokenTransfer> = {}): TokenTransfer => ({
  from: user,
  to: vault,
  token,
  amount: 100n,
  ...fields,
})

describe('transfers in logs', () => {
  it('are read with their token, parties and amount', () => {
    const log = transferLog({ amount: 7n })
    expect(transfersOf({ logs: [log] })).to.deep.equal([
      { token, from: user, to: vault, amount: 7n, logIndex: log.logIndex },
    ])
  })

  it('are not those of NFTs, nor other events', () => {
    const nft = transferLog()
    const logs = [
      { ...nft, topics: [...nft.topics, toHex(1, { size: 32 })], data: '0x' as const },
      { ...nft, topics: [hash] },
    ]
    expect(transfersOf({ logs })).to.deep.equal([])
  })

  it('of a simulation include the native currency', () => {
    expect(transfersOf({ logs: [transferLog({ token: nativeLogAddress })] })[0]!.token).to.equal(nativeToken)
  })
})

describe('what the vault’s owner takes out', () => {
  const withdrawn = (emitter: Address, name = 'Withdrawn'): Log => ({
    address: emitter,
    topics: [toEventSelector(`${name}(address,address,uint256)`), pad(nativeToken), pad(user)],
    data: toHex(7n, { size: 32 }),
    logIndex: 4,
  })

  it('is what the vault itself says, native currency included', () => {
    const logs = [withdrawn(vault)]
    expect(vaultWithdrawals({ status: 'success', logs }, vault)).to.deep.equal([
      { token: nativeToken, to: user, amount: 7n, logIndex: 4 },
    ])
  })

  it('is nothing that others say, that the vault says of other things, or that was undone', () => {
    const logs = [withdrawn(user), withdrawn(vault, 'Transfer')]
    expect(vaultWithdrawals({ status: 'success', logs }, vault)).to.deep.equal([])
    expect(vaultWithdrawals({ status: 'reverted', logs: [withdrawn(vault)] }, vault)).to.deep.equal([])
  })
})

describe('what arrives in the vault', () => {
  const config = { vault, tokens: [{ address: token }, { address: nativeToken }] } as unknown as Parameters<
    typeof vaultArrivals
  >[1]
  const received = (from: Address, amount: bigint, emitter = vault): Log => ({
    address: emitter,
    topics: [toEventSelector('NativeReceived(address,uint256)'), pad(from)],
    data: toHex(amount, { size: 32 }),
    logIndex: nextLog++,
  })

  it('is configured tokens and native currency, in the order of the logs', () => {
    const logs = [received(user, 5n), transferLog({ amount: 6n })]
    expect(vaultArrivals({ status: 'success', logs }, config)).to.deep.equal([
      { token: nativeToken, from: user, to: vault, amount: 5n, logIndex: logs[0]!.logIndex },
      { token, from: user, to: vault, amount: 6n, logIndex: logs[1]!.logIndex },
    ])
  })

  it('is nothing else: no unknown token, no other recipient, no forged event, no nothing, no reverted transaction', () => {
    const logs = [
      transferLog({ token: other }),
      transferLog({ to: other }),
      transferLog({ from: vault }),
      transferLog({ amount: 0n }),
      transferLog({ token: nativeLogAddress }),
      received(user, 5n, other),
      received(user, 0n),
    ]
    expect(vaultArrivals({ status: 'success', logs }, config)).to.deep.equal([])
    expect(vaultArrivals({ status: 'reverted', logs: [transferLog()] }, config)).to.deep.equal([])
  })
})

describe('a batch’s transfers', () => {
  const match = (tokenTransfers: TokenTransfer[], ...logs: Log[]) => matchTransfers({ tokenTransfers }, logs)

  it('are matched by logs of that token, those parties and at least that amount', () => {
    expect(match([wanted()], transferLog())).to.equal(null)
    expect(match([wanted()], transferLog({ amount: 101n }))).to.equal(null)
    expect(match([wanted()], transferLog({ amount: 99n }))).to.match(/only 99 arrive/)
    for (const wrong of [{ token: other }, { from: other }, { to: other }]) {
      expect(match([wanted()], transferLog(wrong))).to.match(/does not happen/)
    }
  })

  it('need a log each, also for the same token and parties', () => {
    expect(match([wanted(), wanted()], transferLog({ amount: 200n }))).to.match(/does not happen/)
    expect(match([wanted({ amount: 50n }), wanted()], transferLog(), transferLog({ amount: 60n }))).to.equal(null)
    expect(match([wanted({ amount: 70n }), wanted()], transferLog(), transferLog({ amount: 60n }))).to.match(/only 60/)
  })

  it('from the solver are not the calls’ business, nor is nothing at all', () => {
    expect(match([wanted({ from: 'solver' }), wanted({ amount: 0n })])).to.equal(null)
  })

  it('of native currency are matched by a simulation’s logs', () => {
    const native = wanted({ token: nativeToken })
    expect(match([native], transferLog({ token: nativeLogAddress }))).to.equal(null)
    expect(match([native], transferLog())).to.match(/of the native currency from .* does not happen/)
  })
})

describe('a payment', () => {
  const transaction: ChainTransaction = {
    hash,
    from: user,
    to: token,
    value: 0n,
    input: '0x',
    blockNumber: 10n,
  }
  const receipt: Receipt = {
    hash,
    blockNumber: 10n,
    blockHash: hash,
    status: 'success',
    from: user,
    to: token,
    gasUsed: 50_000n,
    logs: [transferLog()],
  }
  type Options = Parameters<typeof verifyPayment>[0]
  const check = (fields: Partial<Options> = {}, batch: { tokenTransfers?: TokenTransfer[]; calls?: Call[] } = {}) =>
    verifyPayment({
      transaction,
      receipt,
      head: { number: 12n },
      user,
      confirmations: 3,
      batch: { tokenTransfers: [wanted()], calls: [], ...batch },
      ...fields,
    })

  it('is verified once it has its confirmations', () => {
    const mined = { transaction, receipt }
    expect(check()).to.deep.equal({ outcome: 'verified', ...mined, confirmations: 3 })
    expect(check({ head: { number: 11n } })).to.deep.equal({ outcome: 'waiting', ...mined, confirmations: 2 })
    expect(check({ head: { number: 8n } })).to.deep.equal({ outcome: 'waiting', ...mined, confirmations: 0 })
  })

  const mismatch = (message: RegExp, ...given: Parameters<typeof check>) => {
    const found = check(...given)
    expect(found.outcome).to.equal('mismatch')
    expect((found as { message: string }).message).to.match(message)
  }

  it('of someone else does not count, mined or not', () => {
    mismatch(new RegExp(`sent by ${getAddress(other)}, not by ${getAddress(user)}`), {
      transaction: { ...transaction, from: other },
    })
    const batch = { tokenTransfers: [wanted()], calls: [] }
    expect(paymentMismatch(transaction, batch, user)).to.equal(null)
    expect(paymentMismatch({ ...transaction, from: other }, batch, user)).to.match(/sent by/)
  })

  it('that reverted or moved something else does not count, once that is as deep as what counts has to be', () => {
    const receipts: [RegExp, Receipt][] = [
      [/reverted/, { ...receipt, status: 'reverted', logs: [] }],
      [/only 99 arrive/, { ...receipt, logs: [transferLog({ amount: 99n })] }],
      [/does not happen/, { ...receipt, logs: [] }],
    ]
    for (const [message, failing] of receipts) {
      const found = check({ receipt: failing })
      expect(found).to.include({ outcome: 'failed', transaction, receipt: failing, confirmations: 3 })
      expect((found as { message: string }).message).to.match(message)
      expect(check({ receipt: failing, head: { number: 11n } }).outcome).to.equal('waiting')
    }
  })

  it('in native currency needs the transaction’s own value and recipient', () => {
    const batch = { tokenTransfers: [wanted({ token: nativeToken })] }
    const paying = { ...transaction, to: vault, value: 100n }
    expect(check({ transaction: paying }, batch).outcome).to.equal('verified')
    mismatch(/value is 99; 100 is needed/, { transaction: { ...paying, value: 99n } }, batch)
    mismatch(
      new RegExp(`pays ${getAddress(other)}, not ${getAddress(vault)}`),
      { transaction: { ...paying, to: other } },
      batch,
    )
    mismatch(/pays a new contract/, { transaction: { ...paying, to: null } }, batch)
    const twice = { tokenTransfers: [...batch.tokenTransfers, ...batch.tokenTransfers] }
    mismatch(/value is 100; 200 is needed/, { transaction: paying }, twice)
  })

  it('for a batch of nothing is a bare transaction to where its call goes', () => {
    const batch = { tokenTransfers: [], calls: [{ to: other, value: 0n, data: '0x' }] satisfies Call[] }
    const bare = { ...transaction, to: other }
    expect(check({ transaction: bare }, batch).outcome).to.equal('verified')
    mismatch(/goes to/, {}, batch)
    mismatch(/value is 1, not 0/, { transaction: { ...bare, value: 1n } }, batch)
    mismatch(/data of the transaction/, { transaction: { ...bare, input: '0x12' } }, batch)
  })

  it('by a call needs exactly that call', () => {
    const calls: Call[] = [{ to: other, value: 5n, data: '0x1234' }]
    const calling = { ...transaction, to: other, value: 5n, input: '0x1234' as const }
    const batch = { tokenTransfers: [], calls }
    expect(check({ transaction: calling }, batch).outcome).to.equal('verified')
    mismatch(
      new RegExp(`goes to ${getAddress(token)}, not to ${getAddress(other)}`),
      { transaction: { ...calling, to: token } },
      batch,
    )
    mismatch(/value is 6, not 5/, { transaction: { ...calling, value: 6n } }, batch)
    mismatch(/data of the transaction/, { transaction: { ...calling, input: '0x1235' } }, batch)
  })

  it('is not bound to a call without value and data', () => {
    expect(check({}, { calls: [{ to: other, value: 0n, data: '0x' }] }).outcome).to.equal('verified')
  })
})
