import { expect } from 'chai'
import { classifySend, combineOutcomes, type NodeOutcome, sendAnswers } from '../../server/chain/sendOutcome.js'

/** Whole answers as the clients send them, one for every row of the table. */
const answers: [ReturnType<typeof classifySend>, client: string, text: string][] = [
  ['known', 'geth', 'already known'],
  ['known', 'nethermind', 'AlreadyKnown'],
  ['known', 'anvil', 'transaction already imported'],
  ['known', 'reth', '[0x59a09b4793a297c48b8fafbf8b1aaed4b1c52a70ddd8ba54465ee15ef03ca953]: already imported'],
  ['known', 'parity', 'Transaction with the same hash was already imported.'],
  ['known', 'besu', 'Known transaction'],
  ['known', 'geth', 'known transaction: 59a09b4793a297c48b8fafbf8b1aaed4b1c52a70ddd8ba54465ee15ef03ca953'],
  ['known', 'erigon', 'existing txn with same hash'],
  ['known', 'erigon', 'INTERNAL_ERROR: existing tx with same hash'],

  ['consumed', 'geth', 'nonce too low: next nonce 5, tx nonce 3'],
  ['consumed', 'geth', 'nonce too low: address 0x71562b71999873DB5b286dF957af199Ec94617F7, tx: 0 state: 1'],
  ['consumed', 'besu', 'Nonce too low'],
  ['consumed', 'erigon', 'INTERNAL_ERROR: nonce too low'],
  ['consumed', 'anvil', 'nonce too low'],
  ['consumed', 'nethermind', 'OldNonce, Current nonce: 5, nonce of rejected tx: 3.'],
  ['consumed', 'parity', 'Transaction nonce is too low. Try incrementing the nonce.'],
  ['consumed', 'a gateway', 'transaction already mined'],

  ['slotTaken', 'geth', 'replacement transaction underpriced'],
  [
    'slotTaken',
    'geth',
    'replacement transaction underpriced: new tx gas fee cap 10 <= 10 queued + 10% replacement penalty',
  ],
  ['slotTaken', 'besu', 'Replacement transaction underpriced'],
  ['slotTaken', 'anvil', 'replacement transaction underpriced'],
  ['slotTaken', 'reth', '[0x59a0]: insufficient gas price to replace existing transaction'],
  ['slotTaken', 'erigon', 'INTERNAL_ERROR: could not replace existing tx'],
  ['slotTaken', 'erigon', 'replaced by transaction with higher tip'],
  ['slotTaken', 'nethermind', 'ReplacementNotAllowed'],
  [
    'slotTaken',
    'parity',
    'Transaction gas price supplied is too low. There is another transaction with same nonce in the queue. Try increasing the gas price or incrementing the nonce.',
  ],

  ['unfunded', 'geth', 'insufficient funds for gas * price + value: balance 1, tx cost 2, overshot 1'],
  ['unfunded', 'anvil', 'Insufficient funds for gas * price + value'],
  ['unfunded', 'reth', 'insufficient funds for gas * price + value: have 1 want 2'],
  ['unfunded', 'nethermind', 'InsufficientFunds, Account balance: 0, cumulative cost: 210000000000'],
  [
    'unfunded',
    'besu',
    'Upfront cost exceeds account balance (transaction up-front cost 0x2 exceeds transaction sender account balance 0x1)',
  ],
  ['unfunded', 'reth', 'transaction overdraws from account'],
  ['notPooled', 'anvil', 'max fee per gas less than block base fee'],
  ['notPooled', 'geth', 'max fee per gas less than block base fee: address 0x71, maxFeePerGas: 1, baseFee: 875000000'],
  ['notPooled', 'geth', 'transaction underpriced'],
  ['notPooled', 'geth', 'transaction underpriced: gas tip cap 0, minimum needed 1'],
  ['notPooled', 'erigon', 'underpriced'],
  ['notPooled', 'geth', 'transaction gas price below minimum: gas tip cap 0, minimum needed 1'],
  ['notPooled', 'besu', 'Gas price below configured minimum gas price'],
  ['notPooled', 'besu', 'Gas price below current base fee'],
  ['notPooled', 'reth', 'transaction feeCap 6 below chain minimum'],
  ['notPooled', 'reth', 'transaction priority fee below minimum required priority fee 1000000000'],
  ['notPooled', 'erigon', 'fee too low'],
  ['notPooled', 'nethermind', 'FeeTooLow, MaxFeePerGas too low. MaxFeePerGas: 1, BaseFee: 7'],
  ['notPooled', 'nethermind', 'FeeTooLowToCompete'],
  ['overFeeCap', 'geth', 'tx fee (1.20 ether) exceeds the configured cap (1.00 ether)'],
  ['overFeeCap', 'besu', 'Transaction fee cap exceeded'],
  ['notPooled', 'geth', 'txpool is full'],
  ['notPooled', 'erigon', 'pending sub-pool is full'],
  ['notPooled', 'erigon', 'baseFee sub-pool is full'],
  ['notPooled', 'reth', 'transaction discarded outright due to pool size constraints'],
  [
    'notPooled',
    'parity',
    'There are too many transactions in the queue. Your transaction was dropped due to limit. Try increasing the fee.',
  ],
  ['notPooled', 'erigon', 'spammer'],
  ['notPooled', 'reth', 'rejected due to 0x71562b71999873DB5b286dF957af199Ec94617F7 being identified as a spammer'],
  ['notPooled', 'geth', 'account limit exceeded: pooled 16 txs'],
  ['notPooled', 'geth', 'future transaction tries to replace pending'],
  ['notPooled', 'geth', 'in-flight transaction limit reached for delegated accounts'],
  ['notPooled', 'geth', 'gapped-nonce tx from delegated accounts'],
  ['authorityBusy', 'geth', 'authority already reserved'],
  ['authorityBusy', 'erigon', 'EIP-7702 transaction with authority already reserved'],
  ['notPooled', 'reth', 'address already reserved'],
  ['notPooled', 'nethermind', 'delegation nonce gap'],
  ['notPooled', 'nethermind', 'NotCurrentNonceForDelegation'],
  ['authorityBusy', 'nethermind', 'delegation authority has pending transaction'],
  ['authorityBusy', 'nethermind', 'DelegatorHasPendingTx'],
  ['notPooled', 'nethermind', 'pending transaction type conflict'],
  ['notPooled', 'geth', 'nonce too high: tx nonce 7, gapped nonce 5'],
  ['notPooled', 'besu', 'Nonce too high'],
  ['notPooled', 'nethermind', 'NonceGap, Future nonce. Expected nonce: 5'],
  ['notPooled', 'nethermind', 'nonce too far in future'],
  ['notPooled', 'nethermind', 'NonceTooFarInFuture'],
  ['notPooled', 'besu', 'Transaction nonce is too distant from current sender nonce'],
  ['notPooled', 'besu', 'An invalid transaction with a lower nonce exists'],
  ['notPooled', 'nethermind', 'node is syncing'],
  ['notPooled', 'besu', 'Initial sync is still in progress'],
  ['notPooled', 'besu', 'Transaction pool not enabled. (Either txpool explicitly disabled, or node not yet in sync).'],
  ['notPooled', 'besu', 'Sender account not authorized to send transactions'],

  ['dead', 'geth', 'authority nonce too low'],
  ['dead', 'geth', 'intrinsic gas too low: gas 20000, minimum needed 21000'],
  ['dead', 'anvil', 'intrinsic gas too low'],
  ['dead', 'anvil', 'intrinsic gas too high -- tx.gas_limit > env.block.gas_limit'],
  ['dead', 'besu', 'Intrinsic gas exceeds gas limit (intrinsic gas cost 21000 exceeds gas limit 20000)'],
  ['dead', 'erigon', 'IntrinsicGas'],
  ['dead', 'geth', 'insufficient gas for floor data gas cost: gas 40000, minimum needed 61000'],
  ['dead', 'geth', 'exceeds block gas limit'],
  [
    'dead',
    'besu',
    'Transaction gas limit exceeds block gas limit (transaction gas limit 40 exceeds block gas limit of 30)',
  ],
  ['dead', 'reth', 'exceeds max transaction gas limit'],
  ['dead', 'anvil', 'Transaction gas limit is greater than the block gas limit, gas_limit: 20000000, cap: 16777216'],
  ['dead', 'geth', 'transaction gas limit too high (cap: 16777216, tx: 20000000)'],
  ['dead', 'erigon', 'gas limit is too high'],
  ['dead', 'nethermind', 'gas limit reached'],
  ['dead', 'nethermind', 'GasLimitExceeded, Gas limit: 30000000, gas limit of rejected tx: 40000000'],
  ['dead', 'nethermind', 'TxGasLimitCapExceeded: Gas limit 20000000 exceeded cap of 16777216.'],
  ['dead', 'geth', 'oversized data: transaction size 140000, limit 131072'],
  ['dead', 'reth', 'input data too large'],
  ['dead', 'nethermind', 'transaction too large'],
  ['dead', 'nethermind', 'MaxTxSizeExceeded'],
  ['dead', 'erigon', 'RLPTooLong'],
  ['dead', 'geth', 'max initcode size exceeded: code size 50000, limit 49152'],
  ['dead', 'erigon', 'initcode too large'],
  ['otherChain', 'geth', 'invalid sender: invalid chain id for signer: have 1 want 31337'],
  ['otherChain', 'anvil', 'invalid chain id for signer'],
  ['otherChain', 'reth', 'invalid chain ID'],
  ['otherChain', 'besu', 'Wrong chainId'],
  ['otherChain', 'nethermind', 'Invalid, InvalidTxChainId: Expected 1, got 31337.'],
  ['dead', 'geth', 'invalid sender'],
  ['dead', 'besu', 'Invalid signature'],
  ['dead', 'reth', 'invalid transaction signature'],
  ['dead', 'nethermind', 'Invalid, InvalidTxSignature: Signature is invalid.'],
  ['dead', 'nethermind', 'failed to recover sender'],
  ['dead', 'geth', 'transaction type not supported: type 4 rejected, pool not yet in Prague'],
  ['dead', 'besu', 'Invalid transaction type'],
  ['dead', 'nethermind', 'unsupported transaction type'],
  ['dead', 'anvil', 'Unknown transaction type not supported'],
  ['dead', 'erigon', 'fork supporting this transaction type is not activated yet'],
  ['dead', 'geth', 'max priority fee per gas higher than max fee per gas'],
  ['dead', 'besu', 'Max priority fee per gas exceeds max fee per gas'],
  ['dead', 'nethermind', 'InvalidMaxPriorityFeePerGas: Cannot be higher than maxFeePerGas.'],
  ['dead', 'geth', 'set code tx must have at least one authorization tuple'],
  ['dead', 'erigon', 'EIP-7702 transactions with an empty authorization list are invalid'],
  ['dead', 'reth', 'no items in authorization list for EIP7702 transaction'],
  ['dead', 'nethermind', 'MissingAuthorizationList: Must be set.'],
  ['dead', 'geth', 'gas uint64 overflow'],
  ['dead', 'erigon', 'GasUintOverflow'],
  ['dead', 'anvil', 'Failed to decode transaction'],
  ['dead', 'reth', 'failed to decode signed transaction'],

  ['ambiguous', 'a gateway', 'Internal error'],
  ['ambiguous', 'a gateway', 'request timed out'],
  ['ambiguous', 'a gateway', 'Too Many Requests'],
  ['ambiguous', 'a gateway', 'unknown transaction'],
  ['ambiguous', 'a gateway', ''],
]

/** What several nodes say together. */
const of = (...kinds: NodeOutcome['kind'][]) => combineOutcomes(kinds.map((kind) => ({ kind, text: kind }))).kind

describe('what a node answers to a raw transaction', () => {
  for (const [kind, client, text] of answers) {
    it(`is ${kind} when ${client} says "${text.slice(0, 60)}"`, () => {
      expect(classifySend(text)).to.equal(kind)
    })
  }

  it('has an example for every row of the table', () => {
    const unproven = sendAnswers.filter(
      (row) => !answers.some(([kind, , text]) => kind === row.kind && text.toLowerCase().includes(row.text)),
    )
    expect(unproven.map((row) => row.text)).to.deep.equal([])
  })

  it('tells what each row says by the row’s own text', () => {
    expect(sendAnswers.map(({ text }) => classifySend(text))).to.deep.equal(sendAnswers.map(({ kind }) => kind))
  })

  it('tells that a signer cannot pay, that a node has a cap for it, and that it is of another chain, from all else', () => {
    const of = (kind: string) => sendAnswers.filter((row) => row.kind === kind).map(({ text }) => text)
    expect(of('unfunded')).to.deep.equal([
      'insufficient funds',
      'insufficientfunds',
      'upfront cost exceeds account balance',
      'overdraws from account',
    ])
    expect(of('otherChain')).to.deep.equal(['invalid chain id', 'wrong chainid', 'invalidtxchainid'])
    expect(of('overFeeCap')).to.deep.equal(['exceeds the configured cap', 'transaction fee cap exceeded'])
    expect(classifySend('invalid sender: invalid chain id for signer: have 1 want 5')).to.equal('otherChain')
    expect(classifySend('insufficient gas for floor data gas cost')).to.equal('dead')
  })

  it('counts as sent when any of several nodes may have it', () => {
    expect(of('dead', 'accepted')).to.equal('accepted')
    expect(of('ambiguous', 'consumed')).to.equal('consumed')
    expect(of('dead', 'ambiguous', 'notPooled')).to.equal('ambiguous')
    expect(of('dead', 'notPooled')).to.equal('notPooled')
    expect(of('dead', 'ambiguous', 'unfunded')).to.equal('ambiguous')
    expect(of('dead', 'unfunded')).to.equal('unfunded')
    expect(of('notPooled', 'authorityBusy')).to.equal('authorityBusy')
    expect(of('unfunded', 'authorityBusy')).to.equal('authorityBusy')
    expect(of('dead', 'dead')).to.equal('dead')
    expect(of()).to.equal('ambiguous')
  })

  it('hears the first of two nodes that refuse for now', () => {
    expect(of('notPooled', 'unfunded')).to.equal('notPooled')
    expect(of('dead', 'unfunded', 'notPooled')).to.equal('unfunded')
  })

  it('hears a node that refuses what it may cost before those that refuse for now', () => {
    for (const kind of ['unfunded', 'notPooled', 'dead'] as const) {
      expect(of(kind, 'overFeeCap')).to.equal('overFeeCap')
    }
    for (const kind of ['accepted', 'authorityBusy'] as const) {
      expect(of('overFeeCap', kind)).to.equal(kind)
    }
  })

  it('tells of a node that refuses what it may cost though another node may have it', () => {
    expect(of('overFeeCap', 'ambiguous')).to.equal('perhapsOverFeeCap')
    expect(of('ambiguous', 'unreached', 'overFeeCap')).to.equal('perhapsOverFeeCap')
    for (const kind of ['accepted', 'known', 'consumed', 'slotTaken'] as const) {
      expect(of('overFeeCap', 'ambiguous', kind)).to.equal(kind)
    }
  })

  it('counts as it does for the others where a node was not reached, which cannot have it', () => {
    const refusals = ['authorityBusy', 'unfunded', 'overFeeCap', 'notPooled', 'dead'] as const
    for (const kind of refusals) expect(of('unreached', kind)).to.equal(kind)
    expect(of('unreached', 'ambiguous', 'dead')).to.equal('ambiguous')
    expect(of('unreached', 'accepted')).to.equal('accepted')
    expect(of('unreached', 'unreached')).to.equal('ambiguous')
  })

  it('tells of a user’s own transactions though another node may have it, which is then never taken for refused', () => {
    expect(of('authorityBusy', 'ambiguous')).to.equal('perhapsBusy')
    expect(of('ambiguous', 'unreached', 'authorityBusy')).to.equal('perhapsBusy')
    for (const kind of ['accepted', 'known', 'consumed', 'slotTaken'] as const) {
      expect(of('authorityBusy', 'ambiguous', kind)).to.equal(kind)
    }
  })
})
