import { expect } from 'chai'
import { keccak256, parseTransaction, recoverTransactionAddress, type TransactionSerialized } from 'viem'
import { createSigner } from '../../server/chain/signer.js'
import { account, authorize, lower, unsignedTransaction } from './devChain.js'

describe('a signer', () => {
  const key = keccak256('0x01')
  const signer = createSigner(key)

  it('signs an EIP-1559 transaction when there is nothing to authorize', async () => {
    const raw = await signer.signTransaction(unsignedTransaction)
    const { authorizations: _none, value: _zero, ...fields } = unsignedTransaction
    expect(parseTransaction(raw)).to.include({ type: 'eip1559', ...fields })
    const from = await recoverTransactionAddress({ serializedTransaction: raw as TransactionSerialized })
    expect(lower(from)).to.equal(signer.address)
  })

  it('signs an EIP-7702 transaction that carries authorizations', async () => {
    const authorization = await authorize(account(4), lower(account(3).address), 2)
    const raw = await signer.signTransaction({ ...unsignedTransaction, authorizations: [authorization] })
    const parsed = parseTransaction(raw)
    expect(parsed.type).to.equal('eip7702')
    expect(parsed.authorizationList).to.have.length(1)
    expect(parsed.authorizationList![0]).to.include(authorization)
    const from = await recoverTransactionAddress({ serializedTransaction: raw as TransactionSerialized })
    expect(lower(from)).to.equal(signer.address)
  })

  it('signs the same bytes for the same transaction', async () => {
    expect(await signer.signTransaction(unsignedTransaction)).to.equal(
      await signer.signTransaction(unsignedTransaction),
    )
  })

  it('does not show its key', () => {
    expect(JSON.stringify(signer)).to.not.include(key.slice(2))
    expect(Object.keys(signer)).to.deep.equal(['address', 'signTransaction'])
  })
})
