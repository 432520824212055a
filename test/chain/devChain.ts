import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createRequire } from 'node:module'
import { createInterface } from 'node:readline'
import {
  type Address,
  encodeDeployData,
  encodeFunctionData,
  type Hash,
  type Hex,
  keccak256,
  type PrivateKeyAccount,
} from 'viem'
import type { Chain, Receipt } from '../../server/chain/chain.js'
import { createChain } from '../../server/chain/createChain.js'
import {
  delegateAbi,
  delegateBytecode,
  devTokenAbi,
  devTokenBytecode,
  solverVaultAbi,
  solverVaultBytecode,
} from '../../server/chain/generated/contracts.js'
import type { RoundTrip } from '../../server/chain/nodes/rpcNode.js'
import { devAccount } from '../../server/devnet/accounts.js'
import { type ChainAuthorization, type ChainBatch, nativeToken, type SignedIntent } from '../../server/domain/action.js'
import type { ChainConfig } from '../../server/domain/chainConfig.js'
import { batchHash, intentDigest, intentTypedData } from '../../sdk/src/signing.js'
import { until } from '../support/until.js'

export const chainId = 31337
const binary = createRequire(import.meta.url).resolve('@foundry-rs/anvil-linux-amd64/bin/anvil')

/** A real anvil with the contracts, a token, an operator and inventory in the vault. */
export async function startDevChain(...options: string[]) {
  const anvil = spawn(binary, ['--port', '0', '--hardfork', 'prague', ...options], {
    stdio: ['ignore', 'pipe', 'ignore'],
  })
  const url = `http://${await listeningAt(anvil)}`
  const trips: RoundTrip[] = []
  const [owner, operator] = [account(0), account(1)]

  const contracts = { delegate: nativeToken, vault: nativeToken, token: nativeToken }
  const setup = connect({})
  contracts.delegate = await deploy(encodeDeployData({ abi: delegateAbi, bytecode: delegateBytecode }))
  contracts.vault = await deploy(
    encodeDeployData({ abi: solverVaultAbi, bytecode: solverVaultBytecode, args: [owner.address] }),
  )
  contracts.token = await deploy(
    encodeDeployData({ abi: devTokenAbi, bytecode: devTokenBytecode, args: ['US Dollar', 'USD', 6, owner.address] }),
  )
  await transact(owner, {
    to: contracts.vault,
    data: encodeFunctionData({ abi: solverVaultAbi, functionName: 'setOperator', args: [operator.address, true] }),
  })
  await mint(contracts.vault, 1_000_000n)
  const config = configOf([url])

  return {
    url,
    config,
    chain: connect({}),
    /** What `chain` has asked of the node, one entry per HTTP request. */
    trips,
    owner,
    operator,
    ...contracts,
    /** The same chain through other addresses. */
    connect,
    transact,
    mint,
    rpc,
    async stop(): Promise<void> {
      anvil.kill('SIGKILL')
      await once(anvil, 'exit')
    },
  }

  function connect({
    urls = [url],
    agreement = 1,
    ...timeouts
  }: {
    urls?: string[]
    agreement?: number
    readTimeoutMs?: number
    sendTimeoutMs?: number
  }): Chain {
    return createChain({ ...configOf(urls), agreement }, { onRoundTrip: (trip) => trips.push(trip), ...timeouts })
  }

  function configOf(rpcUrls: string[]): ChainConfig {
    const common = {
      group: null,
      airdrop: null,
      openCapPerDay: null,
      confirmations: [],
      minInventory: 0n,
    }
    return {
      chainId,
      name: 'Dev',
      testnet: true,
      nativeCurrency: { name: 'Ether', symbol: 'ETH', decimals: 18 },
      rpcUrls,
      publicRpcUrl: null,
      explorerUrl: null,
      confirmations: 1,
      reorganisationBlocks: 128,
      agreement: 1,
      delegates: [contracts.delegate],
      vault: contracts.vault,
      pollIntervalMs: 50,
      maxFeePerGasCap: 10n ** 12n,
      priorityFeePerGas: 1n,
      replaceAfterMs: 1_000,
      tokens: [
        { ...common, id: 'usd', symbol: 'USD', name: 'US Dollar', address: contracts.token, decimals: 6 },
        { ...common, id: 'eth', symbol: 'ETH', name: 'Ether', address: nativeToken, decimals: 18 },
      ],
    }
  }

  /** Sends from one of anvil's accounts and waits for the receipt. */
  async function transact(
    from: PrivateKeyAccount,
    fields: { to?: Address; data?: Hex; value?: bigint; gas?: bigint; authorizations?: ChainAuthorization[] },
  ): Promise<Receipt> {
    const { authorizations = [], ...rest } = fields
    const nonce = Number(await rpc('eth_getTransactionCount', from.address, 'pending'))
    const plain = { chainId, nonce, gas: 5_000_000n, maxFeePerGas: 10n ** 11n, maxPriorityFeePerGas: 1n, ...rest }
    const raw = authorizations.length
      ? await from.signTransaction({ ...plain, type: 'eip7702', authorizationList: authorizations })
      : await from.signTransaction({ ...plain, type: 'eip1559' })
    await rpc('eth_sendRawTransaction', raw)
    return until(async () => (await setup.receipts([keccak256(raw)]))[0], 'the receipt of a transaction of the tests')
  }

  async function deploy(data: Hex): Promise<Address> {
    const { hash } = await transact(owner, { data })
    const receipt = (await rpc('eth_getTransactionReceipt', hash)) as { contractAddress: Address }
    return receipt.contractAddress
  }

  async function mint(to: Address, amount: bigint): Promise<void> {
    const data = encodeFunctionData({ abi: devTokenAbi, functionName: 'mint', args: [to, amount] })
    await transact(owner, { to: contracts.token, data })
  }

  async function rpc(method: string, ...params: unknown[]): Promise<unknown> {
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params })
    const response = await fetch(url, { method: 'POST', headers: { 'content-type': 'application/json' }, body })
    const { result, error } = (await response.json()) as { result?: unknown; error?: { message: string } }
    if (error) throw new Error(error.message)
    return result
  }
}

export type DevChain = Awaited<ReturnType<typeof startDevChain>>

/** One of anvil's funded accounts. */
export const account = devAccount

export function lower(address: Address): Address {
  return address.toLowerCase() as Address
}

/** An intent signed by `user`, as the domain has it. */
export async function signIntent(
  user: PrivateKeyAccount,
  batches: Omit<ChainBatch, 'hash'>[],
  fields: { signatureType?: 'ecdsa' | 'eip712'; nbf?: number; exp?: number } = {},
): Promise<SignedIntent> {
  const unsigned = { signatureType: 'ecdsa' as const, nbf: 0, exp: 4_000_000_000, ...fields, chainBatches: batches }
  const digest = intentDigest(unsigned)
  const signature =
    unsigned.signatureType === 'ecdsa'
      ? await user.signMessage({ message: { raw: digest } })
      : await user.signTypedData(intentTypedData(unsigned))
  const chainBatches = batches.map((batch) => ({ ...batch, hash: batchHash(unsigned.signatureType, batch) }))
  return { mode: '7702', ...unsigned, signature, digest, chainBatches }
}

/** A transaction of the service's, for signers to sign. */
export const unsignedTransaction = {
  chainId,
  nonce: 7,
  to: lower(account(3).address),
  data: '0x1234',
  value: 0n,
  gas: 90_000n,
  maxFeePerGas: 5n,
  maxPriorityFeePerGas: 2n,
  authorizations: [],
} as const

/** The user's permission to borrow the delegate's code. */
export async function authorize(user: PrivateKeyAccount, delegate: Address, nonce = 0): Promise<ChainAuthorization> {
  const { r, s, yParity } = await user.signAuthorization({ contractAddress: delegate, chainId, nonce })
  return { address: delegate, chainId, nonce, r, s, yParity: yParity! }
}

/** A batch in which the user transfers tokens. */
export function transferBatch(user: Address, token: Address, to: Address, amount: bigint): Omit<ChainBatch, 'hash'> {
  const data = encodeFunctionData({ abi: devTokenAbi, functionName: 'transfer', args: [to, amount] })
  return {
    chainId,
    tokenTransfers: [{ from: lower(user), to, token, amount }],
    calls: [{ to: token, value: 0n, data }],
  }
}

async function listeningAt(anvil: ChildProcess): Promise<string> {
  for await (const line of createInterface({ input: anvil.stdout! })) {
    const address = /Listening on (\S+)/.exec(line)?.[1]
    if (address) {
      anvil.stdout!.resume()
      return address
    }
  }
  throw new Error('anvil did not start')
}

export function randomKey(seed: string): Hash {
  return keccak256(`0x${Buffer.from(seed).toString('hex')}`)
}
