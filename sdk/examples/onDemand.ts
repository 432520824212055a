/**
 * Mode non-7702:on-demand in Node: the user pays by a transaction of his own, as any wallet can; the solver pays him on
 * the other chain. Usage: BASE_URL=http://127.0.0.1:3000 PRIVATE_KEY=0x… npx tsx onDemand.ts
 */
import { type Chain, createIntentClient } from '@crosschain-intents/sdk'
import { intentActions } from '@crosschain-intents/sdk/viem'
import { createWalletClient, type Hex, http, parseUnits } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'

const baseUrl = process.env.BASE_URL ?? 'http://127.0.0.1:3000'
const account = privateKeyToAccount(process.env.PRIVATE_KEY as Hex)
const [a, b] = (await createIntentClient({ baseUrl }).getChains()) as [Chain, Chain]
const wallet = createWalletClient({ account, transport: http(a.rpcUrl!) }).extend(intentActions({ baseUrl }))
const usd = (chain: Chain) => chain.tokens.find((token) => token.id === 'usd')!
// Something to pay with, and the gas for it.
for (const tokenId of ['usd', 'eth']) {
  await wallet.intents.requestAirdrop({ chainId: a.chainId, tokenId, wallet: account.address })
}

const pays = { from: account.address, to: a.solver, token: usd(a).address, amount: parseUnits('10', usd(a).decimals) }
// The solver keeps feeBps, in hundredths of a percent, of what it pays.
const amount = (parseUnits('10', usd(b).decimals) * 10_000n) / (10_000n + BigInt(usd(b).feeBps))
const gets = { from: 'solver', to: account.address, token: usd(b).address, amount } as const
const chainBatches = [
  { chainId: a.chainId, tokenTransfers: [pays] },
  { chainId: b.chainId, tokenTransfers: [gets] },
]
const action = await wallet.sendOnDemand({ intents: [{ chainBatches }] })
console.log(action.status, ...action.intents[0]!.steps.map((step) => step.transactionHash))
