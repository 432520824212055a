import { expect } from 'chai'
import { type Address, hashTypedData, recoverAddress, zeroAddress } from 'viem'
import { writeAmounts } from '../../server/domain/amountsJson.js'
import { type OnDemandBatch, type Payment, sendOnDemand } from '../../sdk/src/sendOnDemand.js'
import { signIntent } from '../../sdk/src/sign.js'
import {
  type ChainBatch,
  chainBatchStructHash,
  eip712IntentDigest,
  intentTypedData,
  tokenTransfersHash,
} from '../../sdk/src/signing.js'
import { parseIntent } from '../../server/api/requests/parseIntent.js'
import { checkAction } from '../../server/services/checkAction.js'
import { newUser } from '../support/wallets.js'

const vault: Address = '0xe7f1725E7734CE288F8367e1Bb143E90bb3F0512'

/** What the spec takes for the native currency besides the zero address. */
const otherNames: Address[] = [
  '0x0',
  '0xEeeeeEeeeEeEeeEeEeEeeEEEeeeeEeeeeeeeEEeE',
  '0xeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeee',
]

describe('the native currency under another name', () => {
  const account = newUser()

  const batchOf = (token: Address): ChainBatch => ({
    chainId: 1,
    tokenTransfers: [{ from: 'solver', to: account.address, token, amount: 5n }],
    calls: [],
  })

  for (const token of otherNames) {
    it(`is hashed and shown as the zero address: ${token}`, () => {
      const [named, plain] = [batchOf(token), batchOf(zeroAddress)]
      expect(chainBatchStructHash(named)).to.equal(chainBatchStructHash(plain))
      expect(tokenTransfersHash(named.tokenTransfers)).to.equal(tokenTransfersHash(plain.tokenTransfers))
      const typedData = intentTypedData({ nbf: 0, exp: 9, chainBatches: [named] })
      expect(typedData.message.chainBatches[0]?.tokenTransfers[0]?.token).to.equal(zeroAddress)
      expect(hashTypedData(typedData)).to.equal(eip712IntentDigest({ nbf: 0, exp: 9, chainBatches: [plain] }))
    })

    it(`is signed as the service reads it: ${token}`, async () => {
      const intent = await signIntent({ account, chainBatches: [batchOf(token)] })
      const chain = { chainId: 1, vault: vault.toLowerCase(), delegates: [], tokens: [{ address: zeroAddress }] }
      const { issues } = await checkAction(
        {
          user: account.address.toLowerCase() as Address,
          chainAuthorizations: [],
          intents: [parseIntent(JSON.parse(writeAmounts(intent)))],
        },
        { chains: new Map([[1, chain]]), operators: [], funders: new Set() } as never,
        1,
        ({ hash, signature }) => recoverAddress({ hash, signature: signature as never }),
      )
      expect(issues).to.deep.equal([])
    })

    it(`is paid by the transaction’s value: ${token}`, async () => {
      const transfer = { from: account.address, to: vault, token, amount: 5n }
      expect(await paidFor({ chainId: 1, tokenTransfers: [transfer] })).to.deep.equal([
        { chainId: 1, to: vault, value: 5n, data: '0x' },
      ])
    })
  }

  /** What the user is asked to pay for a batch by a client whose service takes everything. */
  async function paidFor(batch: OnDemandBatch): Promise<Payment[]> {
    const step = { actionId: 'a', intentIndex: 0, stepIndex: 0, status: 'created' }
    const paid: Payment[] = []
    const client = {
      checkChains: async () => [],
      createAction: async () => ({ actionId: 'a', intentIds: ['a/0'] }),
      getAction: async () => ({ intents: [{ steps: [step] }] }),
      executeStep: async () => ({ ...step, status: 'success' }),
      runAction: async () => ({}),
    }
    const pay = async (payment: Payment) => (paid.push(payment), `0x${'11'.repeat(32)}` as const)
    await sendOnDemand(client as never, { user: account.address, intents: [{ chainBatches: [batch] }], pay })
    return paid
  }
})
