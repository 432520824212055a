import { randomBytes } from 'node:crypto'
import { expect } from 'chai'
import { keccak256, parseTransaction, recoverTransactionAddress, toHex, type TransactionSerialized } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { createSigner } from '../../server/chain/keys/signer.js'
import { chooseSigning } from '../../server/chain/keys/signHash.js'
import { toSerializable } from '../support/serializable.js'
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

  it('signs byte for byte what viem does, whatever it signs with', async () => {
    expect(chooseSigning().by, 'this machine has a binary of libsecp256k1').to.equal('libsecp256k1')
    const missing = chooseSigning(() => {
      throw new Error('no binary')
    })
    expect(missing.by).to.equal('viem')
    const authorization = await authorize(account(4), lower(account(3).address), 2)
    for (let nonce = 0; nonce < 100; nonce++) {
      const authorizations = nonce % 2 === 0 ? [] : [authorization]
      const transaction = { ...unsignedTransaction, nonce, data: toHex(randomBytes(nonce * 3)), authorizations }
      const secret = toHex(randomBytes(32))
      const expected = await privateKeyToAccount(secret).signTransaction(toSerializable(transaction))
      expect(await createSigner(secret).signTransaction(transaction)).to.equal(expected)
      expect(await createSigner(secret, missing).signTransaction(transaction)).to.equal(expected)
    }
  })

  it('signs nothing with a binary that answers wrong', () => {
    const wrong = chooseSigning(() => ({ ecdsaSign: () => ({ signature: new Uint8Array(64).fill(1), recid: 0 }) }))
    expect(wrong.by).to.equal('viem')
  })

  it('does not show its key', () => {
    expect(JSON.stringify(signer)).to.not.include(key.slice(2))
    expect(Object.keys(signer)).to.deep.equal(['address', 'signTransaction'])
  })
})
