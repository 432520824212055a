import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import { type Abi, encodeFunctionData, erc20Abi, type Hex, padHex } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { devTokenAbi } from '../../server/chain/generated/contracts.js'
import {
  executeData,
  fulfillData,
  operator,
  signedForContract,
  startTestChain,
  stranger,
  type TestChain,
} from './chain.js'

const file = join(import.meta.dirname, 'gas.json')

/**
 * Gas per step, exact: fixed keys on a fresh chain. Sender and recipient keep balances, so that no slot is made or cleared.
 * UPDATE_GAS=1 writes the file anew.
 */
describe('gas', () => {
  let chain: TestChain
  before(async () => {
    chain = await startTestChain()
  })
  after(() => chain.stop())

  it('is what the snapshot says', async () => {
    const key = (digit: string) => privateKeyToAccount(padHex(`0x${digit}`, { size: 32 }))
    const recipient = key('f1').address
    const [plain, first, again, funded] = ['f2', 'f3', 'f4', 'f5'].map(key)
    for (const holder of [recipient, plain!.address, first!.address, again!.address, funded!.address]) {
      await chain.deployer.call(chain.usd, devTokenAbi as Abi, 'mint', [holder, 1_000n])
    }
    await chain.send(stranger, { to: plain!.address, value: 10n ** 18n })
    await chain.delegateTo(again!, chain.delegate)
    await chain.delegateTo(funded!, chain.delegate)
    const data = encodeFunctionData({ abi: erc20Abi, functionName: 'transfer', args: [recipient, 10n] })
    const batch = [{ chainId: 31337, tokenTransfers: [], calls: [{ to: chain.usd, value: 0n, data }] }]
    const sign = async (account: typeof plain) =>
      (await signedForContract(account!, batch, { signatureType: 'eip712' })).intent
    const authorization = await first!.signAuthorization({ contractAddress: chain.delegate, chainId: 31337, nonce: 0 })
    const stepKey = (digit: string): Hex => padHex(`0x${digit}`, { size: 32 })
    const transfer = (to: typeof recipient) => [{ to, token: chain.usd, amount: 5n }]

    const receipts = {
      'the user’s own plain transfer': await chain.send(plain!, { to: chain.usd, data }),
      'sponsored transfer, first time (type 4)': await chain.send(operator, {
        to: first!.address,
        data: executeData(await sign(first)),
        authorizationList: [authorization],
      }),
      'sponsored transfer, delegated already': await chain.send(operator, {
        to: again!.address,
        data: executeData(await sign(again)),
      }),
      'sponsored transfer with a solver transfer': await chain.send(operator, {
        to: chain.vault,
        data: fulfillData(stepKey('01'), transfer(funded!.address), funded!.address, await sign(funded)),
      }),
      'solver transfer alone': await chain.send(operator, {
        to: chain.vault,
        data: fulfillData(stepKey('02'), transfer(recipient)),
      }),
    }
    for (const [what, receipt] of Object.entries(receipts)) expect(receipt.status, what).to.equal('success')
    const measured = Object.fromEntries(Object.entries(receipts).map(([what, { gasUsed }]) => [what, Number(gasUsed)]))
    if (process.env.UPDATE_GAS) writeFileSync(file, `${JSON.stringify(measured, null, 2)}\n`)
    expect(measured).to.deep.equal(JSON.parse(readFileSync(file, 'utf8')))
  })
})
