import { expect } from 'chai'
import { type PublicClient, type TransactionReceipt, TransactionReceiptNotFoundError } from 'viem'
import { minedReceipt } from '../../server/devnet/minedReceipt.js'
import { randomHash } from '../support/builders.js'

describe('the receipt of a local chain’s transaction', () => {
  const hash = randomHash()
  const receipt = { status: 'success' } as TransactionReceipt

  /** A node that does not have it the first times it is asked, and no other block ever comes. */
  function nodeWithout(times: number, otherwise: () => Promise<TransactionReceipt> = async () => receipt) {
    let asked = 0
    const getTransactionReceipt = async () => {
      asked += 1
      if (asked <= times) throw new TransactionReceiptNotFoundError({ hash })
      return otherwise()
    }
    return { getTransactionReceipt } as unknown as PublicClient
  }

  it('is waited for though no other block comes', async () => {
    expect(await minedReceipt(nodeWithout(3), hash)).to.equal(receipt)
  })

  it('is not waited for for ever, nor at a node that fails', async () => {
    const messageOf = (error: Error) => error.message
    expect(await minedReceipt(nodeWithout(Infinity), hash, { withinMs: 30 }).catch(messageOf)).to.equal(
      `The transaction ${hash} was not mined within 30 ms`,
    )
    const down = nodeWithout(1, () => Promise.reject(new Error('ECONNREFUSED')))
    expect(await minedReceipt(down, hash).catch(messageOf)).to.equal('ECONNREFUSED')
  })
})
