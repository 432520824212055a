/**
 * Mode 7702 in Node: the user signs once; on the first chain his account pays the vault, on the second the solver pays
 * him. He needs no gas. Usage: BASE_URL=http://127.0.0.1:3000 npx tsx signed.ts
 */
import { type Chain, createIntentClient } from '@crosschain-intents/sdk'
import { encodeFunctionData, erc20Abi, parseUnits } from 'viem'
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts'

const client = createIntentClient({ baseUrl: process.env.BASE_URL ?? 'http://127.0.0.1:3000' })
const account = privateKeyToAccount(generatePrivateKey())
const [a, b] = (await client.getChains()) as [Chain, Chain]
const usd = (chain: Chain) => chain.tokens.find((token) => token.id === 'usd')!
await client.requestAirdrop({ chainId: a.chainId, tokenId: 'usd', wallet: account.address })

const pays = { from: account.address, to: a.solver, token: usd(a).address, amount: parseUnits('25', usd(a).decimals) }
// The solver keeps feeBps, in hundredths of a percent, of what it pays.
const amount = (parseUnits('25', usd(b).decimals) * 10_000n) / (10_000n + BigInt(usd(b).feeBps))
const gets = { from: 'solver', to: account.address, token: usd(b).address, amount } as const
const data = encodeFunctionData({ abi: erc20Abi, functionName: 'transfer', args: [a.solver, pays.amount] })
const chainBatches = [
  { chainId: a.chainId, tokenTransfers: [pays], calls: [{ to: usd(a).address, value: 0n, data }] },
  { chainId: b.chainId, tokenTransfers: [gets], calls: [] },
]
const action = await client.send({ account, intents: [{ chainBatches }] })
console.log(action.status, ...action.intents[0]!.steps.map((step) => step.transactionHash))
