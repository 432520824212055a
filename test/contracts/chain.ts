import { randomBytes } from 'node:crypto'
import { join } from 'node:path'
import {
  type Abi,
  type Account,
  type Address,
  createPublicClient,
  createWalletClient,
  decodeErrorResult,
  encodeDeployData,
  encodeFunctionData,
  erc20Abi,
  type Hex,
  http,
  type PrivateKeyAccount,
  toHex,
  type TransactionReceipt,
} from 'viem'
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts'
import { compiledOnce } from '../support/compiledOnce.js'
import { delegateAbi, devTokenAbi, devTokenBytecode, solverVaultAbi } from '../../server/chain/generated/contracts.js'
import { startAnvil } from '../../server/devnet/anvil.js'
import { createDeployer, deployContracts } from '../../server/devnet/deployContracts.js'
import { devAccount } from '../../server/devnet/accounts.js'
import type { Batch, Call } from './intents.js'
import { minedReceipt } from '../../server/devnet/minedReceipt.js'

export const owner = devAccount(0)
export const operator = devAccount(1)
export const stranger = devAccount(2)
export const chainId = 31337n
export const native: Address = '0x0000000000000000000000000000000000000000'

export const newKey = (): Hex => toHex(randomBytes(32))
export const newAccount = () => privateKeyToAccount(generatePrivateKey())
export const newRecipient = (): Address => newAccount().address

/** A batch of this chain with the given calls. */
export const batch = (...calls: Call[]): Batch => ({ chainId, tokenTransfers: [], calls })

/** The call that transfers a token. */
export const tokenCall = (token: Address, to: Address, amount: bigint): Call => ({
  to: token,
  value: 0n,
  data: encodeFunctionData({ abi: erc20Abi, functionName: 'transfer', args: [to, amount] }),
})

/** The custom error that a call reverts with. An empty name: it reverts without one. */
export type Revert = { name: string; args: readonly unknown[] }

const testContracts = compiledOnce(join(import.meta.dirname, 'solidity'))

/** How many calls go to the node in one request. */
const callsPerRequest = 100

export type TestChain = Awaited<ReturnType<typeof startTestChain>>

/** A real chain with both contracts. */
export async function startTestChain() {
  const anvil = await startAnvil({ chainId: Number(chainId) })
  const transport = http(anvil.url)
  const reader = createPublicClient({ transport })
  const deployer = createDeployer(anvil.url, owner)
  const { delegate, vault } = await deployContracts(deployer, { owner: owner.address, operators: [operator.address] })
  const usd = await deployer.deploy(
    encodeDeployData({ abi: devTokenAbi, bytecode: devTokenBytecode, args: ['Dollar', 'USD', 6, owner.address] }),
  )
  await deployer.call(usd, devTokenAbi as Abi, 'mint', [vault, 1_000_000n])

  async function send(
    account: Account,
    transaction: { to: Address; data?: Hex; value?: bigint; gas?: bigint; authorizationList?: unknown },
  ): Promise<TransactionReceipt> {
    const wallet = createWalletClient({ account, transport })
    // A limit of our own, so that a revert is mined instead of refused by the estimate.
    const hash = await wallet.sendTransaction({ chain: null, gas: 1_500_000n, ...transaction } as never)
    return minedReceipt(reader, hash)
  }

  /** What each call reverts with; null when it does not. */
  async function revertsOf(from: Address, to: Address, calls: Hex[]): Promise<(Revert | null)[]> {
    const reverts: (Revert | null)[] = []
    for (let start = 0; start < calls.length; start += callsPerRequest) {
      const requests = calls.slice(start, start + callsPerRequest).map((data, id) => ({
        jsonrpc: '2.0',
        id,
        method: 'eth_call',
        params: [{ from, to, data }, 'latest'],
      }))
      const headers = { 'content-type': 'application/json' }
      const response = await fetch(anvil.url, { method: 'POST', headers, body: JSON.stringify(requests) })
      const answers = (await response.json()) as { id: number; result?: Hex; error?: { data?: Hex; message: string } }[]
      answers.sort((a, b) => a.id - b.id)
      reverts.push(...answers.map(({ result, error }) => (result === undefined ? readRevert(error!) : null)))
    }
    return reverts
  }

  async function delegateTo(account: PrivateKeyAccount, contract: Address): Promise<TransactionReceipt> {
    const nonce = await reader.getTransactionCount({ address: account.address })
    const authorization = await account.signAuthorization({
      contractAddress: contract,
      chainId: Number(chainId),
      nonce,
    })
    return send(stranger, { to: stranger.address, authorizationList: [authorization] })
  }

  const mint = (to: Address, amount: bigint) => deployer.call(usd, devTokenAbi as Abi, 'mint', [to, amount])

  return {
    anvil,
    reader,
    delegate,
    vault,
    usd,
    deployer,
    send,
    revertsOf,
    delegateTo,
    mint,
    stop: () => anvil.stop(),

    async revertOf(from: Address, to: Address, data: Hex): Promise<Revert | null> {
      return (await revertsOf(from, to, [data]))[0]!
    },

    /** An account that has the delegate and some of the token. */
    async newDelegated(): Promise<PrivateKeyAccount> {
      const account = newAccount()
      await delegateTo(account, delegate)
      await mint(account.address, 100n)
      return account
    },

    deploy: (name: string): Promise<Address> => deployer.deploy(`0x${testContracts[name]!.evm.bytecode.object}`),
    abiOf: (name: string): Abi => testContracts[name]!.abi as Abi,

    ownerCall: (functionName: string, args: readonly unknown[]) =>
      deployer.call(vault, solverVaultAbi as Abi, functionName, args),

    balanceOf: (token: Address, holder: Address) =>
      reader.readContract({ address: token, abi: devTokenAbi, functionName: 'balanceOf', args: [holder] }),

    isProcessed: (account: Address, id: Hex) =>
      reader.readContract({ address: account, abi: delegateAbi, functionName: 'isChainBatchProcessed', args: [id] }),

    isFulfilled: (key: Hex) =>
      reader.readContract({ address: vault, abi: solverVaultAbi, functionName: 'isFulfilled', args: [key] }),

    async now(): Promise<bigint> {
      return (await reader.getBlock()).timestamp
    },

    /** Mines a block so many seconds later. */
    async passTime(seconds: bigint): Promise<void> {
      await reader.request({ method: 'evm_increaseTime' as never, params: [Number(seconds)] as never })
      await reader.request({ method: 'evm_mine' as never, params: [] as never })
    },
  }
}

const knownErrors = [
  ...delegateAbi,
  ...solverVaultAbi,
  ...devTokenAbi,
  ...Object.values(testContracts).flatMap(({ abi }) => abi as Abi),
].filter((item) => item.type === 'error')

function readRevert({ data, message }: { data?: Hex; message: string }): Revert {
  if (data === undefined) throw new Error(`The node did not run the call: ${message}`)
  return decodeRevert(data)
}

/** Reads revert data, such as what a failed call of an account is said to have returned. */
export function decodeRevert(data: Hex): Revert {
  if (data === '0x') return { name: '', args: [] }
  const { errorName, args } = decodeErrorResult({ abi: knownErrors as Abi, data })
  return { name: errorName, args: args ?? [] }
}
