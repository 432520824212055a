import { join } from 'node:path'
import { type Address, encodeDeployData, encodeFunctionData, getAddress, type Hex, toHex } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { compiledOnce } from '../support/compiledOnce.js'
import {
  delegateBytecode,
  devTokenAbi,
  devTokenBytecode,
  solverVaultAbi,
  solverVaultBytecode,
} from '../../server/chain/generated/contracts.js'
import { chainId } from './chain.js'
import { createEvm } from './evm.js'

const testContracts = compiledOnce(join(import.meta.dirname, 'solidity'))
const keyed = (index: number) => privateKeyToAccount(toHex(0x5eed00n + BigInt(index), { size: 32 }))

/** What an account may have borrowed: ours, the same again at another address as its next version, or another's. */
export const delegateKinds = ['ours', 'next', 'none', 'other', 'empty', 'boasting', 'mute'] as const
export type DelegateKind = (typeof delegateKinds)[number]

export const tokenKinds = [
  'native',
  'good',
  'silent',
  'talkative',
  'reentrant',
  'fee',
  'taking',
  'refusing',
  'odd',
  'mute',
  'noToken',
] as const
export type TokenKind = (typeof tokenKinds)[number]

export type World = Awaited<ReturnType<typeof createWorld>>

const wealth = 10n ** 24n

/** Both contracts, users, hostile tokens and accounts in an EVM; `reset` brings back the beginning. */
export async function createWorld() {
  const evm = await createEvm()
  const [owner, heir, operator, secondOperator, stranger] = [0, 1, 2, 3, 4].map((index) => keyed(index).address) as [
    Address,
    Address,
    Address,
    Address,
    Address,
  ]
  const users = [keyed(10), keyed(11)] as const
  const plainRecipients = [keyed(20).address, keyed(21).address] as const
  const rich = [owner, heir, operator, secondOperator, stranger, ...users.map(({ address }) => address)]
  for (const address of rich) await evm.fund(address, wealth)

  async function deploy(data: Hex): Promise<Address> {
    const { success, created } = await evm.send({ from: stranger, data })
    if (!success || created === null) throw new Error('A contract of the test could not be deployed.')
    return created
  }
  const deployNamed = (name: string) => deploy(`0x${testContracts[name]!.evm.bytecode.object}`)
  const abiOf = (name: string) => testContracts[name]!.abi as readonly unknown[]
  async function must(from: Address, to: Address, data: Hex): Promise<void> {
    const { success } = await evm.send({ from, to, data })
    if (!success) throw new Error('A call that sets the test up failed.')
  }

  const vault = await deploy(encodeDeployData({ abi: solverVaultAbi, bytecode: solverVaultBytecode, args: [owner] }))
  const delegates: Record<DelegateKind, Address> = {
    ours: await deploy(delegateBytecode),
    next: await deploy(delegateBytecode),
    none: '0x0000000000000000000000000000000000000000',
    other: await deployNamed('OtherDelegate'),
    empty: await deployNamed('EmptyDelegate'),
    boasting: await deployNamed('BoastingDelegate'),
    mute: await deployNamed('MuteDelegate'),
  }
  const probe = await deployNamed('InvariantProbe')
  const reentrantRecipient = await deployNamed('ReentrantRecipient')
  const proudRecipient = await deployNamed('ProudRecipient')
  const tokens: Record<TokenKind, Address> = {
    native: '0x0000000000000000000000000000000000000000',
    good: await deploy(
      encodeDeployData({ abi: devTokenAbi, bytecode: devTokenBytecode, args: ['Dollar', 'USD', 6, owner] }),
    ),
    silent: await deployNamed('SilentToken'),
    talkative: await deployNamed('TalkativeToken'),
    reentrant: await deployNamed('ReentrantToken'),
    fee: await deployNamed('FeeToken'),
    taking: await deployNamed('TakingToken'),
    refusing: await deployNamed('RefusingToken'),
    odd: await deployNamed('OddToken'),
    mute: await deployNamed('MuteToken'),
    noToken: delegates.empty,
  }
  const stock = 100_000n
  for (const [kind, token] of Object.entries(tokens)) {
    if (kind === 'native' || kind === 'noToken') continue
    const mint = (to: Address, amount: bigint) =>
      must(owner, token, encodeFunctionData({ abi: devTokenAbi, functionName: 'mint', args: [to, amount] }))
    await mint(vault, stock)
    for (const { address } of users) await mint(address, wealth)
  }
  await evm.fund(vault, stock)
  for (const by of [operator, secondOperator, reentrantRecipient, tokens.reentrant]) {
    await must(owner, vault, encodeFunctionData({ abi: solverVaultAbi, functionName: 'setOperator', args: [by, true] }))
  }

  /** Sets an account's delegate; the authorization may be one that the protocol skips. */
  async function delegate(user: (typeof users)[number], kind: DelegateKind, isSkipped = false) {
    const nonce = (await evm.nonceOf(user.address)) + (isSkipped ? 7 : 0)
    const authorization = await user.signAuthorization({
      contractAddress: delegates[kind],
      chainId: Number(chainId),
      nonce,
    })
    return evm.send({ from: stranger, to: stranger, authorizations: [authorization] })
  }
  for (const user of users) await delegate(user, 'ours')
  await evm.checkpoint()

  return {
    evm,
    owner,
    heir,
    operator,
    secondOperator,
    stranger,
    users,
    vault,
    probe,
    tokens,
    stock,
    recipients: [...plainRecipients, reentrantRecipient, proudRecipient] as readonly Address[],
    reentrantRecipient,
    proudRecipient,
    /** Who may pay out at the beginning; two of them are contracts that try to do it again while they are paid. */
    operators: [operator, secondOperator, reentrantRecipient, tokens.reentrant] as readonly Address[],
    abiOf,
    deployNamed,
    delegate,
    kindOf: (token: Address): TokenKind =>
      (Object.entries(tokens).find(([, address]) => address === getAddress(token))?.[0] ?? 'noToken') as TokenKind,

    async reset(): Promise<void> {
      await evm.revert()
      await evm.checkpoint()
    },
  }
}
