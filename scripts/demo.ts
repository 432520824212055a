/**
 * Carries real actions across both local chains of a running service and checks every promise on the way:
 * a signed (7702) action, an on-demand action, and a refund of what an action left unspent.
 * Usage: npm run demo (BASE_URL names the service, http://127.0.0.1:3000 by default). Ends with 1 if anything is off.
 */
import { randomBytes } from 'node:crypto'
import { formatUnits, type PrivateKeyAccount, toHex } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { type ChainBatch, intentDigest, intentTypedData, batchHash } from '../sdk/src/signing.js'
import { connect, type DemoChain, transferData } from './demo/chain.js'
import { createReport } from './demo/report.js'

const baseUrl = process.env.BASE_URL ?? 'http://127.0.0.1:3000'
const report = createReport()

type Step = {
  status: string
  chainId: number
  transactionHash: `0x${string}` | null
  error: { code: string; message: string } | null
}

async function api<T>(method: string, path: string, body?: unknown): Promise<T> {
  const response = await fetch(baseUrl + path, {
    method,
    headers: { 'content-type': 'application/json', prefer: 'wait=0' },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  }).catch((): never => {
    process.stderr.write(`No service answers at ${baseUrl}; start one with "npm start", or name it in BASE_URL.\n`)
    process.exit(1)
  })
  const answer = (await response.json()) as T
  if (response.status >= 400) throw new Error(`${method} ${path}: ${response.status} ${JSON.stringify(answer)}`)
  return answer
}

const [a, b] = await connect(await api('GET', '/chains'))

await signedAction()
await onDemandAction()
await refund()
report.finish()

/** The user pays the vault on A inside his signed calls; on B the solver pays him, and he passes a part on at once. */
async function signedAction(): Promise<void> {
  report.title('A signed action (mode 7702): one signature, two chains, no gas for the user')
  const user = privateKeyToAccount(toHex(randomBytes(32)))
  const friend = privateKeyToAccount(toHex(randomBytes(32))).address
  await a.mint(user.address, '25')
  const before = await balances(user, friend)
  const actionId = await createSigned(user, [
    {
      chainId: a.chainId,
      tokenTransfers: [{ from: user.address, to: a.vault, token: a.usd.address, amount: a.units('25') }],
      calls: [{ to: a.usd.address, value: 0n, data: transferData(a.vault, a.units('25')) }],
    },
    {
      chainId: b.chainId,
      tokenTransfers: [{ from: 'solver', to: user.address, token: b.usd.address, amount: b.units('20') }],
      calls: [{ to: b.usd.address, value: 0n, data: transferData(friend, b.units('15')) }],
    },
  ])
  await execute(actionId, 0)
  await execute(actionId, 1)
  const after = await balances(user, friend)
  report.balances(before, after)
  report.expect('the user has paid 25 on chain A', before.userA - after.userA, a.units('25'))
  report.expect('the vault on A has them', after.vaultA - before.vaultA, a.units('25'))
  report.expect('the vault on B has paid 20', before.vaultB - after.vaultB, b.units('20'))
  report.expect('the friend on B got 15', after.friendB - before.friendB, b.units('15'))
  report.expect('the user on B kept 5', after.userB - before.userB, b.units('5'))
  report.expect('the user paid no gas (he has no native currency)', await a.nativeOf(user.address), 0n)
}

/** The user sends a transaction on A and registers its hash; the solver pays him on B without a further request. */
async function onDemandAction(): Promise<void> {
  report.title('An on-demand action: the user pays first, the solver fulfils')
  const user = privateKeyToAccount(toHex(randomBytes(32)))
  await a.mint(user.address, '10')
  await a.fundGas(user.address)
  const before = await balances(user)
  const nothing = { to: user.address, value: '0', data: '0x' }
  const { actionId } = await api<{ actionId: string }>('POST', '/actions', {
    user: user.address,
    intents: [
      {
        mode: 'non-7702:on-demand',
        chainBatches: [
          {
            chainId: a.chainId,
            tokenTransfers: [{ from: user.address, to: a.vault, token: a.usd.address, amount: String(a.units('10')) }],
            call: nothing,
          },
          {
            chainId: b.chainId,
            tokenTransfers: [{ from: 'solver', to: user.address, token: b.usd.address, amount: String(b.units('10')) }],
            call: nothing,
          },
        ],
      },
    ],
  })
  report.line(`action ${actionId} accepted`)
  const hash = await a.send(user, { to: a.usd.address, data: transferData(a.vault, a.units('10')) })
  report.line(`the user sent ${hash} on chain ${a.chainId}`)
  await execute(actionId, 0, { action: 'execute', hash })
  await execute(actionId, 1)
  const after = await balances(user)
  report.balances(before, after)
  report.expect('the user has paid 10 on chain A', before.userA - after.userA, a.units('10'))
  report.expect('the vault on A has them', after.vaultA - before.vaultA, a.units('10'))
  report.expect('the user got 10 on chain B', after.userB - before.userB, b.units('10'))
}

/** The way out: what an action left as credit goes back by a signed intent without calls, delegation or gas. */
async function refund(): Promise<void> {
  report.title('A refund: credit that an action left goes back to the user')
  const user = privateKeyToAccount(toHex(randomBytes(32)))
  await a.mint(user.address, '7')
  const pay = {
    chainId: a.chainId,
    tokenTransfers: [],
    calls: [{ to: a.usd.address, value: 0n, data: transferData(a.vault, a.units('7')) }],
  }
  await execute(await createSigned(user, [pay]), 0)
  const before = await balances(user)
  const back = { from: 'solver' as const, to: user.address, token: a.usd.address, amount: a.units('7') }
  await execute(await createSigned(user, [{ chainId: a.chainId, tokenTransfers: [back], calls: [] }], []), 0)
  const after = await balances(user)
  report.balances(before, after)
  report.expect('the user has his 7 back on chain A', after.userA - before.userA, a.units('7'))
}

async function createSigned(user: PrivateKeyAccount, chainBatches: ChainBatch[], authorized = [a, b]): Promise<string> {
  const intent = { signatureType: 'eip712' as const, nbf: 0, exp: Math.floor(Date.now() / 1000) + 600, chainBatches }
  const { actionId } = await api<{ actionId: string }>('POST', '/actions', {
    user: user.address,
    chainAuthorizations: await Promise.all(authorized.map((chain) => authorize(user, chain))),
    intents: [
      {
        ...intent,
        mode: '7702',
        signature: await user.signTypedData(intentTypedData(intent)),
        chainBatches: chainBatches.map((batch) => ({
          hash: batchHash('eip712', batch),
          chainId: batch.chainId,
          tokenTransfers: batch.tokenTransfers.map((transfer) => ({ ...transfer, amount: String(transfer.amount) })),
          calls: batch.calls.map((call) => ({ ...call, value: String(call.value) })),
        })),
      },
    ],
  })
  report.line(`action ${actionId} accepted; the user signed ${intentDigest(intent)}`)
  return actionId
}

async function authorize(user: PrivateKeyAccount, chain: DemoChain) {
  const { address, chainId, nonce, r, s, yParity } = await user.signAuthorization({
    contractAddress: chain.delegate,
    chainId: chain.chainId,
    nonce: await chain.nonceOf(user.address),
  })
  return { address, chainId, nonce, r, s, yParity }
}

/** Asks for a step and follows it to its end: accepted, sent, confirmed. */
async function execute(actionId: string, stepIndex: number, body: unknown = {}): Promise<void> {
  const started = Date.now()
  const elapsed = () => `${Date.now() - started} ms`
  const path = `/actions/${actionId}/intents/0/steps/${stepIndex}`
  let step = await api<Step>('POST', path, body)
  report.line(`step ${stepIndex} accepted`)
  let shown: string | null = null
  while (step.status === 'executing' || step.transactionHash !== shown) {
    if (step.transactionHash && step.transactionHash !== shown) {
      shown = step.transactionHash
      report.line(`step ${stepIndex} sent on chain ${step.chainId} after ${elapsed()}: ${shown}`)
    }
    if (step.status !== 'executing') break
    await new Promise((resolve) => setTimeout(resolve, 10))
    step = await api<Step>('GET', path)
  }
  if (step.status !== 'success' || !step.transactionHash) {
    throw new Error(`step ${stepIndex} ended as "${step.status}": ${JSON.stringify(step.error)}`)
  }
  const gas = await (step.chainId === a.chainId ? a : b).gasOf(step.transactionHash)
  report.line(`step ${stepIndex} confirmed after ${elapsed()}, gas ${gas}`)
}

async function balances(user: PrivateKeyAccount, friend = user.address) {
  const [userA, vaultA, userB, vaultB, friendB] = await Promise.all([
    a.usdOf(user.address),
    a.usdOf(a.vault),
    b.usdOf(user.address),
    b.usdOf(b.vault),
    b.usdOf(friend),
  ])
  const shown = {
    [`user on ${a.chainId}`]: formatUnits(userA, a.usd.decimals),
    [`vault on ${a.chainId}`]: formatUnits(vaultA, a.usd.decimals),
    [`user on ${b.chainId}`]: formatUnits(userB, b.usd.decimals),
    [`vault on ${b.chainId}`]: formatUnits(vaultB, b.usd.decimals),
  }
  return { userA, vaultA, userB, vaultB, friendB, shown }
}
