import { expect } from 'chai'
import {
  acknowledgedCause,
  acknowledgedIn,
  airdropCause,
  arrivalCause,
  arrivalIn,
  coverCause,
  isWithdrawal,
  logOfArrival,
  lostCause,
  nameOfSource,
  payoutCause,
  payoutsOfAttempt,
  postedAgain,
  returnCause,
  returnFor,
  sourceOf,
  stepMoveCause,
  takenBy,
  undone,
  undoneIn,
  undoneRecord,
  walletCause,
  withdrawalCause,
  withdrawalsOf,
} from '../../../server/store/money/causes.js'
import { beginningWith } from '../../../server/store/rows.js'
import { randomAddress, randomHash } from '../../support/builders.js'

describe('the causes of the ledger’s entries', () => {
  const [token, wallet] = [randomAddress(), randomAddress()]
  const hash = randomHash()
  const ref = { actionId: 'act_1', intentIndex: 2, stepIndex: 3 }
  const round = { chainId: 7, token, wallet, round: 4 }
  const log = { chain_id: 7, transaction_hash: hash, log_index: 5 }
  const record = { id: 8, chain_id: 7, transaction_hash: hash, reopenings: 0 }
  const payout = { chainId: 7, token, transactionHash: hash, user: null }

  const payoutOfStep = payoutCause(ref, '1.2', 0)
  const payoutOfAirdrop = airdropCause(round)
  const acknowledged = acknowledgedCause(payout)
  const acknowledgedOfUser = acknowledgedCause({ ...payout, user: wallet })
  const arrival = arrivalCause(log, 0)
  const withdrawal = withdrawalCause(record, 5, 9)
  const moved = stepMoveCause('return', ref, '1', 9)
  const inLedger = {
    [payoutOfStep]: 'payout:act_1/2/3:1.2:0',
    [payoutOfAirdrop]: `airdrop:7:${token}:${wallet}:4`,
    [acknowledged]: `acknowledged:7:${hash}:${token}`,
    [acknowledgedOfUser]: `acknowledged:7:${hash}:${token}:${wallet}`,
    [arrival]: `arrival:7:${hash}:5`,
    [arrivalCause(log, 2)]: `arrival:7:${hash}:5:2`,
    [coverCause(arrival)]: `cover:arrival:7:${hash}:5`,
    [lostCause(arrival, 'available')]: `lost:arrival:7:${hash}:5:available`,
    [lostCause(arrival, 'exposed')]: `lost:arrival:7:${hash}:5:exposed`,
    [stepMoveCause('reserve', ref, '1.2', 9)]: 'reserve:act_1/2/3:1.2:9',
    [returnFor(moved, 6)]: 'return:act_1/2/3:1:9:6',
    [withdrawal]: `withdrawal:7:${hash}:5:record8:9`,
    [withdrawalCause({ ...record, reopenings: 1 }, 5, null)]: `withdrawal:7:${hash}:5:record8:again1:none`,
    [walletCause('in', record, 5)]: `wallet-in:7:${hash}:5:record8`,
    [walletCause('out', record, 5)]: `wallet-out:7:${hash}:5:record8`,
    [undone(withdrawal)]: `undone:withdrawal:7:${hash}:5:record8:9`,
    [undoneRecord({ id: 8, reopenings: 1 })]: 'undone:record:8:1',
    [returnFor(returnCause(undone(withdrawal), 10), 9)]: `return:undone:withdrawal:7:${hash}:5:record8:9:10:9`,
    [postedAgain(payoutOfAirdrop, 0)]: `airdrop:7:${token}:${wallet}:4`,
    [postedAgain(payoutOfAirdrop, 2)]: `airdrop:7:${token}:${wallet}:4:2`,
  }
  const all = Object.keys(inLedger)
  const those = (is: (cause: string) => boolean) => all.filter(is).sort()

  it('are written as the ledgers of earlier versions have them', () => {
    for (const [made, written] of Object.entries(inLedger)) expect(made).to.equal(written)
  })

  it('tell which step or airdrop has paid, in whichever attempt and however often undone', () => {
    const ofStep = { kind: 'step', name: nameOfSource(ref), actionId: 'act_1' }
    const ofAirdrop = { kind: 'airdrop', name: nameOfSource(round), wallet }
    expect(sourceOf(payoutOfStep)).to.deep.equal(ofStep)
    expect(sourceOf(payoutCause(ref, '3', 1))).to.deep.equal(ofStep)
    for (const times of [0, 1]) expect(sourceOf(postedAgain(payoutOfAirdrop, times))).to.deep.equal(ofAirdrop)
    expect(sourceOf(payoutCause({ ...ref, stepIndex: 30 }, '1', 0))?.name).not.to.equal(ofStep.name)
    expect(those((cause) => sourceOf(cause) !== null)).to.deep.equal(
      [payoutOfStep, payoutOfAirdrop, postedAgain(payoutOfAirdrop, 2)].sort(),
    )
  })

  it('tell the arrival that came, was lost or made an exposure good, and its log', () => {
    const telling = [
      ...[arrival, arrivalCause(log, 2), coverCause(arrival)],
      ...(['available', 'exposed'] as const).map((part) => lostCause(arrival, part)),
    ]
    expect(those((cause) => arrivalIn(cause) !== null)).to.deep.equal(telling.sort())
    for (const cause of telling) expect(arrivalIn(cause)).to.equal(arrival)
    expect(logOfArrival(arrival)).to.deep.equal({ hash, logIndex: 5 })
    const lost = arrivalCause({ ...log, log_index: -6 }, 0)
    expect(logOfArrival(arrivalIn(lost)!)).to.deep.equal({ hash, logIndex: -6 })
  })

  it('tell a withdrawal, made or undone, and the credit that it has taken from', () => {
    const again = { ...record, reopenings: 1 }
    const withoutCredit = withdrawalCause(again, 5, null)
    expect(those(isWithdrawal)).to.deep.equal([withdrawal, undone(withdrawal), withoutCredit].sort())
    expect(takenBy(withdrawal, withdrawalsOf(record, 5))).to.deep.equal({ creditId: 9 })
    expect(takenBy(withoutCredit, withdrawalsOf(again, 5))).to.deep.equal({ creditId: null })
    // A later record of the same log begins like the first one.
    expect(withoutCredit.startsWith(withdrawalsOf(record, 5))).to.equal(true)
    expect(takenBy(withoutCredit, withdrawalsOf(record, 5))).to.equal(null)
  })

  it('tell the transaction of an acknowledged payout', () => {
    expect(acknowledgedIn(acknowledged)).to.equal(hash)
    expect(acknowledgedIn(postedAgain(acknowledgedOfUser, 1))).to.equal(hash)
    expect(those((cause) => acknowledgedIn(cause) !== null)).to.deep.equal([acknowledged, acknowledgedOfUser].sort())
  })

  it('tell what was undone', () => {
    for (const cause of all) expect(undoneIn(undone(undoneIn(cause)))).to.equal(undoneIn(cause))
  })

  it('are found by how they begin, and no others', () => {
    const [, [from, to]] = beginningWith('cause', payoutsOfAttempt(ref, '1.2'))
    expect(those((cause) => from <= cause && cause <= to)).to.deep.equal([payoutOfStep])
    expect(from <= payoutCause(ref, '1', 0) && payoutCause(ref, '1', 0) <= to).to.equal(false)
    const [, [first, last]] = beginningWith('cause', acknowledged)
    expect(those((cause) => first <= cause && cause <= last)).to.deep.equal([acknowledged, acknowledgedOfUser].sort())
  })
})
