import { expect } from 'chai'
import type { Hex } from 'viem'
import { encodeExecute } from '../../server/chain/contracts.js'
import {
  batchHash,
  chainBatchId,
  intentDigest,
  intentTypedData,
  type SignatureType,
  type TokenTransfer,
} from '../../sdk/src/signing.js'
import type { SignedIntent } from '../../server/domain/action.js'
import { chainId, newRecipient, startTestChain, stranger, type TestChain, tokenCall } from './chain.js'
import { batchId, signIntent } from './intents.js'

describe('what the SDK signs and the service encodes', () => {
  let chain: TestChain
  before(async () => {
    chain = await startTestChain()
  })
  after(() => chain.stop())

  for (const signatureType of ['ecdsa', 'eip712'] as SignatureType[]) {
    it(`is what the delegate runs (${signatureType})`, async () => {
      const account = await chain.newDelegated()
      const to = newRecipient()
      const solver: TokenTransfer = { from: 'solver', to, token: chain.usd, amount: 4n }
      const chainBatches = [
        { chainId: 5, tokenTransfers: [solver], calls: [tokenCall(chain.usd, to, 9n)] },
        {
          chainId: Number(chainId),
          tokenTransfers: [solver, { ...solver, from: to }],
          calls: [tokenCall(chain.usd, to, 3n)],
        },
      ]
      const unsigned = { signatureType, nbf: 3, exp: 4_000_000_000, chainBatches }
      const digest = intentDigest(unsigned)
      const signature: Hex =
        signatureType === 'ecdsa'
          ? await account.signMessage({ message: { raw: digest } })
          : await account.signTypedData(intentTypedData(unsigned))
      const intent: SignedIntent = {
        ...unsigned,
        mode: '7702',
        digest,
        signature,
        chainBatches: chainBatches.map((batch) => ({ ...batch, hash: batchHash(signatureType, batch) })),
      }
      const data = encodeExecute(intent, 1)
      const receipt = await chain.send(stranger, { to: account.address, data })
      expect(receipt.status).to.equal('success')
      expect(await chain.balanceOf(chain.usd, to)).to.equal(3n)
      expect(await chain.isProcessed(account.address, chainBatchId(digest, 1))).to.equal(true)

      // And the encodings that these tests write out by themselves are the same.
      const zero = '0x0000000000000000000000000000000000000000' as const
      const batches = chainBatches.map((batch) => ({
        ...batch,
        chainId: BigInt(batch.chainId),
        tokenTransfers: batch.tokenTransfers.map((transfer) => ({
          ...transfer,
          from: transfer.from === 'solver' ? zero : transfer.from,
        })),
      }))
      const ours = await signIntent(account, batches, { signatureType, nbf: 3n, exp: 4_000_000_000n })
      expect([ours.digest, batchId(ours.digest, 1)]).to.deep.equal([digest, chainBatchId(digest, 1)])
      expect(ours.intent.signature.slice(0, 132)).to.equal(signature)
    })
  }
})
