/**
 * From `POST /transaction/submit` to actions: the same signed content, sent the old way and the new way.
 * Usage: BASE_URL=http://127.0.0.1:3000 npx tsx legacy.ts
 */
import { type Chain, createIntentClient, signAuthorization, signIntent } from '@crosschain-intents/sdk'
import { encodeFunctionData, erc20Abi } from 'viem'
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts'

const client = createIntentClient({ baseUrl: process.env.BASE_URL ?? 'http://127.0.0.1:3000' })
const account = privateKeyToAccount(generatePrivateKey())
const [{ chainId, delegate, solver, tokens }] = (await client.getChains()) as [Chain]
const usd = tokens.find((token) => token.id === 'usd')!
await client.requestAirdrop({ chainId, tokenId: 'usd', wallet: account.address })
const data = encodeFunctionData({ abi: erc20Abi, functionName: 'transfer', args: [solver, 1_000_000n] })
const calls = [{ to: usd.address, value: 0n, data }]

// Before: signed as ecdsa with an authorization of one's own, submitted, and looked at until done.
const authorization = [await signAuthorization({ account, delegate, chainId, nonce: 0 })]
const chainBatches = [{ chainId, tokenTransfers: [], calls }]
const { mode: _mode, ...intentAuthorization } = await signIntent({ account, chainBatches, signatureType: 'ecdsa' })
const old = { address: account.address, authorization, intentAuthorization }
const { actionId, intentId } = await client.submitTransaction(old)
await client.waitForAction(actionId)
const before = await client.getTransactionStepStatus({ intentId, stepId: 0 })
console.log('before', before.status, before.transactionHash)

// After: one call, which knows that the account is delegated by now; the wallet shows the transfer too.
const pays = { from: account.address, to: solver, token: usd.address, amount: 1_000_000n }
const after = await client.send({ account, intents: [{ chainBatches: [{ chainId, tokenTransfers: [pays], calls }] }] })
console.log('after', after.status, after.intents[0]!.steps[0]!.transactionHash)
