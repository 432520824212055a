import { join } from 'node:path'
import { expect } from 'chai'
import { type Abi, type Address, encodeFunctionData, type Hash, type Hex, parseUnits } from 'viem'
import { compareVaults } from '../../scripts/reconcile/compareVaults.js'
import { compiledOnce } from './compiledOnce.js'
import { registrationTypedData } from '../../sdk/src/signing.js'
import type { TokenBalance } from '../../server/api/generated/types.gen.js'
import { solverVaultAbi } from '../../server/chain/generated/contracts.js'
import { devAccount } from '../../server/devnet/accounts.js'
import type { ChainConfig } from '../../server/domain/chainConfig.js'
import { availableOf, creditOf } from './credit.js'
import { until } from './until.js'
import { useTestService } from './useTestService.js'
import { fund, newUser, sendFrom, signedIntent, tokenOf, transferData } from './wallets.js'

type User = ReturnType<typeof newUser>

export const native: Address = '0x0000000000000000000000000000000000000000'
export const attackers = compiledOnce(join(import.meta.dirname, '../e2e/solidity'))
export const codeOf = (name: string): Hex => `0x${attackers[name]!.evm.deployedBytecode.object}`
export const initCodeOf = (name: string): Hex => `0x${attackers[name]!.evm.bytecode.object}`

/** A service on two local chains, and what attackers and their victims do with it. Made once in a `describe`. */
export function attackScene() {
  const { service, api } = useTestService()
  const a = (): ChainConfig => service.chains[0]
  const b = (): ChainConfig => service.chains[1]
  const usdA = () => tokenOf(a(), 'usd').address
  const usdB = () => tokenOf(b(), 'usd').address
  const ten = 10_000_000n
  const tenOnB = parseUnits('10', 18)

  async function aUser(usd = ten): Promise<User> {
    const user = newUser()
    await fund(a(), user.address, { usd, native: parseUnits('5', 18) })
    return user
  }

  const pay = (user: User, amount = ten) => sendFrom(a(), user, { to: usdA(), data: transferData(a().vault, amount) })

  async function payer(): Promise<{ user: User; hash: Hash }> {
    const user = await aUser()
    return { user, hash: await pay(user) }
  }

  function report(user: Address, txHash: string, more: object = {}) {
    const base = { user, sender: user, txHash, tokenAddress: usdA(), chainId: a().chainId, amount: ten.toString() }
    return api.post('/coredeposit', { ...base, ...more })
  }

  const onA = (token: Address) => (entry: TokenBalance) =>
    entry.chainId === a().chainId && entry.tokenAddress.toLowerCase() === token
  const balance = (user: Address, token: Address = usdA()) => creditOf(api, user, onA(token))
  const available = (user: Address, token: Address = usdA()) => availableOf(api, user, onA(token))

  const payIn = (user: Address, amount = ten) => ({
    chainId: a().chainId,
    tokenTransfers: [{ from: user, to: a().vault, token: usdA(), amount }],
  })
  const payOut = (user: Address, amount = tenOnB) => ({
    chainId: b().chainId,
    tokenTransfers: [{ from: 'solver', to: user, token: usdB(), amount }],
  })

  async function create(user: Address, intents: object[], chainAuthorizations: object[] = []): Promise<string> {
    const reply = await api.post('/actions', { user, chainAuthorizations, intents })
    expect(reply.status, JSON.stringify(reply.body)).to.equal(201)
    return reply.body.actionId as string
  }

  /** The way out: everything that a credit is worth, paid to the user himself. */
  async function cashOut(user: User, amount = tenOnB, token = usdB()) {
    const transfer = { from: 'solver' as const, to: user.address, token, amount }
    const intent = await signedIntent(user, [{ chainId: b().chainId, tokenTransfers: [transfer], calls: [] }])
    return api.execute(await create(user.address, [intent]), 0, 0)
  }

  async function withdraw(token: Address, to: Address, amount: bigint): Promise<Hash> {
    const data = encodeFunctionData({
      abi: solverVaultAbi as Abi,
      functionName: 'withdraw',
      args: [token, to, amount],
    })
    return sendFrom(a(), devAccount(0), { to: a().vault, data })
  }

  const registration = (user: User, actionId: string, hash: Hash) =>
    user.signTypedData(registrationTypedData({ actionId, intentIndex: 0, stepIndex: 0, hash }))

  /**
   * What each vault holds and the ledger does not explain, before the test: one attack that succeeds hides no other.
   */
  let unexplained: Map<string, bigint>

  async function readBooks(): Promise<Map<string, bigint>> {
    const { vaults, balanceFaults } = await compareVaults(service.database, service.chains)
    expect(balanceFaults).to.deep.equal([])
    return new Map(vaults.map((vault) => [`${vault.token.id} on ${vault.chainId}`, vault.unexplained]))
  }
  /** A payment that was executed has its payouts follow by themselves, and the test need not have waited for them. */
  const isQuiet = async () => {
    const { knex } = service.database
    const [reserved, open] = await Promise.all([
      knex('reservations').where({ status: 'reserved' }).first('credit_id'),
      knex('transactions').where({ status: 'open' }).first('id'),
    ])
    return !reserved && !open
  }
  beforeEach(async () => {
    await until(isQuiet, 'the end of what the test before has begun')
    unexplained = await readBooks()
  })

  async function booksAreRight(): Promise<void> {
    expect(await readBooks()).to.deep.equal(unexplained)
  }

  return {
    database: () => service.database,
    compare: () => compareVaults(service.database, service.chains),
    a,
    b,
    usdA,
    usdB,
    ten,
    tenOnB,
    aUser,
    pay,
    payer,
    report,
    balance,
    available,
    payIn,
    payOut,
    create,
    cashOut,
    withdraw,
    registration,
    booksAreRight,
    api,
  }
}
