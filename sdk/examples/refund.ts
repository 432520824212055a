/**
 * Money back after a failed action: the user has paid on the first chain, the call on the second one reverts; what he
 * paid is his credit, which the solver pays back. Usage: BASE_URL=http://127.0.0.1:3000 npx tsx refund.ts
 */
import { type Chain, createIntentClient, StepFailedError } from '@crosschain-intents/sdk'
import { encodeFunctionData, erc20Abi, parseUnits } from 'viem'
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts'

const client = createIntentClient({ baseUrl: process.env.BASE_URL ?? 'http://127.0.0.1:3000' })
const account = privateKeyToAccount(generatePrivateKey())
const [a, b] = (await client.getChains()) as [Chain, Chain]
const usd = (chain: Chain) => chain.tokens.find((token) => token.id === 'usd')!
await client.requestAirdrop({ chainId: a.chainId, tokenId: 'usd', wallet: account.address })

const transfer = (to: Chain['solver'], amount: bigint) =>
  encodeFunctionData({ abi: erc20Abi, functionName: 'transfer', args: [to, amount] })
const amount = parseUnits('5', usd(a).decimals)
const pays = { from: account.address, to: a.solver, token: usd(a).address, amount }
const pay = { to: usd(a).address, value: 0n, data: transfer(a.solver, amount) }
const tooMuch = { to: usd(b).address, value: 0n, data: transfer(a.solver, parseUnits('1000000', 18)) }
const chainBatches = [
  { chainId: a.chainId, tokenTransfers: [pays], calls: [pay] },
  { chainId: b.chainId, tokenTransfers: [], calls: [tooMuch] },
]
const failure = await client.send({ account, intents: [{ chainBatches }] }).catch((error: unknown) => error)
if (!(failure instanceof StepFailedError)) throw failure
console.log(failure.step.status, failure.step.error?.message)

const [credit] = await client.getBalances(account.address)
// The solver keeps its fee of a refund too.
const refunded = (credit!.available * 10_000n) / (10_000n + BigInt(usd(a).feeBps))
const back = { from: 'solver', to: account.address, token: usd(a).address, amount: refunded } as const
const refund = [{ chainId: a.chainId, tokenTransfers: [back], calls: [] }]
const action = await client.send({ account, intents: [{ chainBatches: refund }] })
console.log(action.status, refunded)
