/**
 * A page with a wallet for tests: it signs in the browser, and the service carries the action out on two chains.
 *
 *   npx tsdown --config sdk/examples/browser/tsdown.config.ts && npx serve sdk/examples/browser/dist
 *
 * Open it with `?service=http://127.0.0.1:3000`. Never keep a key for real money like this.
 */
import { type Chain, createIntentClient, IntentError } from '@crosschain-intents/sdk'
import { encodeFunctionData, erc20Abi, formatUnits, type Hex, parseUnits } from 'viem'
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts'

const baseUrl = new URLSearchParams(location.search).get('service') ?? 'http://127.0.0.1:3000'
const client = createIntentClient({ baseUrl })

const key = (localStorage.getItem('test-wallet') as Hex | null) ?? generatePrivateKey()
localStorage.setItem('test-wallet', key)
const account = privateKeyToAccount(key)

const part = <T extends HTMLElement>(id: string) => document.getElementById(id) as T
const button = part<HTMLButtonElement>('pay')
part('address').textContent = account.address

const usd = (chain: Chain) => chain.tokens.find((token) => token.id === 'usd')!
const [a, b] = (await client.getChains()) as [Chain, Chain]
const airdrop = await client
  .requestAirdrop({ chainId: a.chainId, tokenId: 'usd', wallet: account.address })
  .catch(() => null)
part('balances').textContent = airdrop
  ? `It has got ${formatUnits(airdrop.amount, usd(a).decimals)} USD on ${a.name}.`
  : `It got its test tokens on ${a.name} before.`
button.disabled = false

part('payment').addEventListener('submit', (event) => {
  event.preventDefault()
  button.disabled = true
  part('progress').replaceChildren()
  part('outcome').textContent = ''
  void pay(part<HTMLInputElement>('amount').value)
    .catch((error: unknown) => {
      part('outcome').textContent = error instanceof IntentError ? error.message : String(error)
    })
    .finally(() => (button.disabled = false))
})

/** On the first chain the account pays the solver's vault; on the second the solver pays the account. */
async function pay(amount: string): Promise<void> {
  const user = account.address
  const pays = { from: user, to: a.solver, token: usd(a).address, amount: parseUnits(amount, usd(a).decimals) }
  // The solver keeps feeBps, in hundredths of a percent, of what it pays.
  const paid = (parseUnits(amount, usd(b).decimals) * 10_000n) / (10_000n + BigInt(usd(b).feeBps))
  const gets = { from: 'solver', to: user, token: usd(b).address, amount: paid } as const
  const data = encodeFunctionData({ abi: erc20Abi, functionName: 'transfer', args: [a.solver, pays.amount] })
  const chainBatches = [
    { chainId: a.chainId, tokenTransfers: [pays], calls: [{ to: usd(a).address, value: 0n, data }] },
    { chainId: b.chainId, tokenTransfers: [gets], calls: [] },
  ]
  const action = await client.send({
    account,
    intents: [{ chainBatches }],
    onProgress: (progress) => {
      if (progress.type === 'created') tell('Action stored: ', `${baseUrl}/explorer/${progress.actionId}`)
      if (progress.type === 'step') {
        const { stepIndex, status, transactionHash } = progress.step
        tell(`Step ${stepIndex + 1}: ${status}${transactionHash ? `, ${transactionHash}` : ''}`)
      }
    },
  })
  part('outcome').textContent =
    `The action is ${action.status}: ${formatUnits(paid, usd(b).decimals)} USD are on ${b.name}.`
}

function tell(text: string, address?: string): void {
  const item = document.createElement('li')
  item.append(text)
  if (address) {
    const link = document.createElement('a')
    link.href = address
    link.textContent = 'watch it in the explorer'
    item.append(link)
  }
  part('progress').append(item)
}
