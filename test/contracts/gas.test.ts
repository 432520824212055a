import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import { type Address, type Hex, padHex } from 'viem'
import { type PrivateKeyAccount, privateKeyToAccount } from 'viem/accounts'
import { batch, chainId, operator, startTestChain, stranger, type TestChain, tokenCall } from './chain.js'
import { deployErc4337 } from './erc4337.js'
import { executeData, fulfillData, fulfillManyData, signIntent, type SignOptions } from './intents.js'

const file = join(import.meta.dirname, 'gas.json')

/**
 * Gas per step, exact: fixed keys on a fresh chain. Sender and recipient keep balances, so that no slot is made or
 * cleared but by us. UPDATE_GAS=1 writes the file anew.
 */
describe('gas', () => {
  let chain: TestChain
  before(async () => {
    chain = await startTestChain()
  })
  after(() => chain.stop())

  it('is what the snapshot says, and below what was promised', async () => {
    const measured = await measure()
    if (process.env.UPDATE_GAS) writeFileSync(file, `${JSON.stringify(measured, null, 2)}\n`)
    expect(measured).to.deep.equal(JSON.parse(readFileSync(file, 'utf8')))
    expect(measured['sponsored transfer']).to.be.at.most(60_000)
    expect(measured['sponsored transfer, ecdsa']).to.be.at.most(60_000)
    expect(measured['sponsored transfer, first time (type 4)']).to.be.at.most(88_000)
    expect(measured['sponsored transfer, 20 in one transaction']).to.be.at.most(42_000)
    expect(measured['sponsored transfer, 20 in one transaction']).to.be.at.most(0.8 * measured['sponsored transfer'])
    for (const form of ['', ', 20 in one transaction', ', first time (type 4)'] as const) {
      expect(measured[`sponsored transfer${form}`], form).to.be.below(measured[`ERC-4337 v0.8${form}`])
    }
  })

  it('is what the README says', () => {
    const gas = JSON.parse(readFileSync(file, 'utf8')) as Record<string, number>
    const readme = readFileSync(join(import.meta.dirname, '../../README.md'), 'utf8')
    const rows = {
      'the user’s own transaction': ['the user’s own plain transfer'],
      'sponsored transfer': ['', ', 20 in one transaction', ', first time (type 4)'].map(
        (form) => `sponsored transfer${form}`,
      ),
      'sponsored transfer with a solver transfer': ['', ', 20 in one transaction'].map(
        (form) => `sponsored transfer with a solver transfer${form}`,
      ),
      'ERC-4337 v0.8, paid from the account’s own deposit': [
        '',
        ', 20 in one transaction',
        ', first time (type 4)',
      ].map((form) => `ERC-4337 v0.8${form}`),
    }
    for (const [row, names] of Object.entries(rows)) {
      const cells = readme
        .split('\n')
        .find((line) => line.startsWith(`| ${row} `))
        ?.split('|')
        .slice(2, -1)
      const told = cells?.map((cell) => cell.trim().replace(',', '')).filter((cell) => cell !== '')
      expect(told, row).to.deep.equal(names.map((name) => String(gas[name])))
    }
  })

  async function measure() {
    const recipient = keyed('f1').address
    const transfer = tokenCall(chain.usd, recipient, 10n)
    await chain.mint(recipient, 1_000n)
    const holder = async (digits: string) => {
      const account = keyed(digits)
      await chain.mint(account.address, 1_000n)
      return account
    }
    const delegated = async (digits: string) => {
      const account = await holder(digits)
      await chain.delegateTo(account, chain.delegate)
      return account
    }
    const sign = async (account: PrivateKeyAccount, nbf: bigint, options: SignOptions = {}) =>
      (await signIntent(account, [batch(transfer)], { signatureType: 'eip712', nbf, ...options })).intent
    const sponsored = async (account: PrivateKeyAccount, nbf: bigint, options?: SignOptions) =>
      used(operator, account.address, executeData(await sign(account, nbf, options)))
    const funded = async (account: PrivateKeyAccount, nbf: bigint, key: string) => {
      const intent = await sign(account, nbf)
      return used(operator, chain.vault, fulfillData(word(key), five(account.address), account.address, intent))
    }
    const five = (to: Address) => [{ to, token: chain.usd, amount: 5n }]

    const own = await holder('f2')
    await chain.send(stranger, { to: own.address, value: 10n ** 18n })
    const fresh = await holder('f3')
    const terms = { contractAddress: chain.delegate, chainId: Number(chainId), nonce: 0 }
    const [steady, endless, paid] = [await delegated('f4'), await delegated('f5'), await delegated('f6')]

    const bundled = await manySponsored(holder)
    const others = await byErc4337(holder)

    return {
      'the user’s own plain transfer': await used(own, chain.usd, transfer.data),
      'sponsored transfer, first time (type 4)': await used(
        operator,
        fresh.address,
        executeData(await sign(fresh, 1n)),
        await fresh.signAuthorization(terms),
      ),
      'sponsored transfer, first one of a delegated account': await sponsored(steady, 1n),
      'sponsored transfer': await sponsored(steady, 2n),
      'sponsored transfer, ecdsa': await sponsored(steady, 3n, { signatureType: 'ecdsa' }),
      'sponsored transfer, three others not expired yet': await sponsored(steady, 4n),
      'sponsored transfer, four others not expired yet': await sponsored(steady, 5n),
      'sponsored transfer, valid beyond 2106': await sponsored(endless, 1n, { exp: 2n ** 53n - 1n }),
      'solver transfer': await used(operator, chain.vault, fulfillData(word('01'), five(recipient))),
      'sponsored transfer with a solver transfer, first one of a delegated account': await funded(paid, 1n, '02'),
      'sponsored transfer with a solver transfer': await funded(paid, 2n, '03'),
      'two solver transfers': await used(
        operator,
        chain.vault,
        fulfillData(word('04'), [...five(recipient), ...five(own.address)]),
      ),
      ...bundled,
      ...others,
    }
  }

  /** The same transfers as user operations. */
  async function byErc4337(holder: (digits: string) => Promise<PrivateKeyAccount>) {
    const erc4337 = await deployErc4337(chain)
    const users: PrivateKeyAccount[] = []
    for (let index = 0; index < 20; index += 1) users.push(await holder(`c1${index + 10}`))
    for (const user of users) await erc4337.deposit(user.address)
    const recipients = users.map((_, index) => keyed(`c2${index + 10}`).address)
    for (const recipient of recipients) await chain.mint(recipient, 1_000n)
    const terms = { contractAddress: erc4337.account, chainId: Number(chainId), nonce: 0 }
    const of = async (some: PrivateKeyAccount[], authorizationList?: unknown) => {
      const wanted = some.map((user, index) => ({ user, to: recipients[index]!, amount: 10n }))
      const before = await chain.balanceOf(chain.usd, recipients[some.length - 1]!)
      const { to, data } = await erc4337.transfers(wanted)
      const gas = await used(operator, to, data, authorizationList, 16_000_000n)
      expect(await chain.balanceOf(chain.usd, recipients[some.length - 1]!)).to.equal(before + 10n)
      return Math.ceil(gas / some.length)
    }
    const [one, ...rest] = users
    const first = await of([one!], await one!.signAuthorization(terms))
    await of(rest, await Promise.all(rest.map((user) => user.signAuthorization(terms))))
    return {
      'ERC-4337 v0.8, first time (type 4)': first,
      'ERC-4337 v0.8': await of([one!]),
      'ERC-4337 v0.8, 20 in one transaction': await of(users),
    }
  }

  /** Twenty users, each with a recipient of his own, in one transaction: gas per step, rounded up. */
  async function manySponsored(holder: (digits: string) => Promise<PrivateKeyAccount>) {
    const users: PrivateKeyAccount[] = []
    for (let index = 0; index < 20; index += 1) users.push(await holder(`e1${index + 10}`))
    const recipients = users.map((_, index) => keyed(`e2${index + 10}`).address)
    for (const recipient of recipients) await chain.mint(recipient, 1_000n)
    const terms = { contractAddress: chain.delegate, chainId: Number(chainId), nonce: 0 }
    const authorizations = await Promise.all(users.map((user) => user.signAuthorization(terms)))
    const steps = (nbf: bigint, key?: string) =>
      Promise.all(
        users.map(async (user, index) => {
          const calls = batch(tokenCall(chain.usd, recipients[index]!, 10n))
          const { intent } = await signIntent(user, [calls], { signatureType: 'eip712', nbf })
          if (key === undefined) return { to: user.address, data: executeData(intent) }
          const transfers = [{ to: user.address, token: chain.usd, amount: 5n }]
          return { to: chain.vault, data: fulfillData(word(`${key}${index + 10}`), transfers, user.address, intent) }
        }),
      )
    const each = async (nbf: bigint, key?: string, authorizationList?: unknown) => {
      const data = fulfillManyData(await steps(nbf, key))
      const gas = await used(operator, chain.vault, data, authorizationList, 16_000_000n)
      expect(await chain.balanceOf(chain.usd, recipients[19]!)).to.equal(1_000n + 10n * nbf)
      return Math.ceil(gas / 20)
    }
    return {
      'sponsored transfer, 20 in one transaction, first time (type 4)': await each(1n, undefined, authorizations),
      'sponsored transfer, 20 in one transaction': await each(2n),
      'sponsored transfer with a solver transfer, 20 in one transaction': await each(3n, 'a'),
    }
  }

  async function used(
    from: typeof operator | PrivateKeyAccount,
    to: Address,
    data: Hex,
    authorization?: unknown,
    gas = 1_500_000n,
  ): Promise<number> {
    const receipt = await chain.send(from, {
      to,
      data,
      gas,
      ...(authorization ? { authorizationList: [authorization].flat() } : {}),
    })
    expect(receipt.status).to.equal('success')
    return Number(receipt.gasUsed)
  }
})

const word = (digits: string): Hex => padHex(`0x${digits}`, { size: 32 })
const keyed = (digits: string) => privateKeyToAccount(word(digits))
