import { randomBytes } from 'node:crypto'
import {
  type Abi,
  type Address,
  createPublicClient,
  createWalletClient,
  encodeFunctionData,
  erc20Abi,
  type Hash,
  type Hex,
  http,
  type PrivateKeyAccount,
  toHex,
} from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { batchHash, type ChainBatch, intentDigest, intentTypedData, type SignatureType } from '../../sdk/src/signing.js'
import { devTokenAbi } from '../../server/chain/generated/contracts.js'
import { devAccount } from '../../server/devnet/accounts.js'
import { createDeployer } from '../../server/devnet/deployContracts.js'
import type { ChainConfig } from '../../server/domain/chainConfig.js'
import { minedReceipt } from '../../server/devnet/minedReceipt.js'

/** Users of the tests, their tokens and their signatures. */

export function newUser(): PrivateKeyAccount {
  return privateKeyToAccount(toHex(randomBytes(32)))
}

export function reader(chain: ChainConfig) {
  return createPublicClient({ transport: http(chain.rpcUrls[0]) })
}

export function tokenOf(chain: ChainConfig, id: string) {
  const token = chain.tokens.find((entry) => entry.id === id)
  if (!token) throw new Error(`No token ${id}`)
  return token
}

export async function balanceOf(chain: ChainConfig, token: Address, holder: Address): Promise<bigint> {
  return reader(chain).readContract({ address: token, abi: erc20Abi, functionName: 'balanceOf', args: [holder] })
}

const lastFunded = new Map<number, Promise<unknown>>()

/**
 * Gives a user tokens out of nothing, and native currency for gas if asked. One user after the other on a chain: two
 * transactions that anvil numbers at the same time for one account may get the same nonce.
 */
export async function fund(chain: ChainConfig, ...given: [user: Address, amounts: Amounts]): Promise<void> {
  const turn = (lastFunded.get(chain.chainId) ?? Promise.resolve()).then(() => fundNow(chain, ...given))
  lastFunded.set(
    chain.chainId,
    turn.catch(() => undefined),
  )
  return turn
}

type Amounts = { usd?: bigint; weth?: bigint; native?: bigint }

async function fundNow(chain: ChainConfig, user: Address, amounts: Amounts): Promise<void> {
  for (const id of ['usd', 'weth'] as const) {
    const amount = amounts[id]
    if (amount === undefined) continue
    const owner = createDeployer(chain.rpcUrls[0]!, devAccount(0))
    await owner.call(tokenOf(chain, id).address, devTokenAbi as Abi, 'mint', [user, amount])
  }
  if (amounts.native !== undefined) {
    await createDeployer(chain.rpcUrls[0]!, devAccount(9)).sendAll([{ to: user, value: amounts.native }])
  }
}

/** A user's own transaction, mined. */
export async function sendFrom(
  chain: ChainConfig,
  account: PrivateKeyAccount | ReturnType<typeof devAccount>,
  transaction: {
    to: Address
    value?: bigint
    data?: Hex
    nonce?: number
    maxFeePerGas?: bigint
    maxPriorityFeePerGas?: bigint
  },
  timeoutMs = 60_000,
): Promise<Hash> {
  const wallet = createWalletClient({ account, transport: http(chain.rpcUrls[0], { batch: true }) })
  const hash = await wallet.sendTransaction({ chain: null, ...transaction })
  await minedReceipt(reader(chain), hash, { withinMs: timeoutMs })
  return hash
}

export function transferData(to: Address, amount: bigint): Hex {
  return encodeFunctionData({ abi: erc20Abi, functionName: 'transfer', args: [to, amount] })
}

/** A signed 7702 intent as the API takes it. */
export async function signedIntent(
  account: PrivateKeyAccount,
  chainBatches: ChainBatch[],
  options: { signatureType?: SignatureType; nbf?: number; exp?: number } = {},
) {
  const signatureType = options.signatureType ?? 'eip712'
  const nbf = options.nbf ?? 0
  const exp = options.exp ?? Math.floor(Date.now() / 1000) + 3600
  const unsigned = { signatureType, nbf, exp, chainBatches }
  const signature =
    signatureType === 'ecdsa'
      ? await account.signMessage({ message: { raw: intentDigest(unsigned) } })
      : await account.signTypedData(intentTypedData(unsigned))
  return {
    mode: '7702',
    signatureType,
    signature,
    nbf,
    exp,
    chainBatches: chainBatches.map((batch) => ({
      hash: batchHash(signatureType, batch),
      chainId: batch.chainId,
      tokenTransfers: batch.tokenTransfers.map((transfer) => ({ ...transfer, amount: transfer.amount.toString() })),
      calls: batch.calls.map((call) => ({ ...call, value: call.value.toString() })),
    })),
  }
}

/** The EIP-7702 tuple that lets the user's account borrow the service's delegate. */
export async function authorization(account: PrivateKeyAccount, chain: ChainConfig, nonce = 0) {
  const signed = await account.signAuthorization({
    contractAddress: chain.delegates[0]!,
    chainId: chain.chainId,
    nonce,
  })
  return {
    address: signed.address,
    chainId: signed.chainId,
    nonce: signed.nonce,
    r: signed.r,
    s: signed.s,
    yParity: signed.yParity,
  }
}

/** The body of `POST /actions` in which a user who is not delegated yet has his account do some calls on one chain. */
export async function actionOf(
  user: PrivateKeyAccount,
  chain: ChainConfig,
  calls: ChainBatch['calls'],
  options: Parameters<typeof signedIntent>[2] = {},
) {
  return {
    user: user.address,
    chainAuthorizations: [await authorization(user, chain)],
    intents: [await signedIntent(user, [{ chainId: chain.chainId, tokenTransfers: [], calls }], options)],
  }
}

/** An on-demand intent as the API takes it. */
export function onDemandIntent(
  chainBatches: {
    chainId: number
    tokenTransfers: { from: string; to: string; token: string; amount: bigint }[]
    call?: { to: Address; value: bigint; data: Hex }
  }[],
) {
  const nothing = { to: '0x0000000000000000000000000000000000000000', value: 0n, data: '0x' }
  return {
    mode: 'non-7702:on-demand',
    chainBatches: chainBatches.map(({ chainId, tokenTransfers, call = nothing }) => ({
      chainId,
      tokenTransfers: tokenTransfers.map((transfer) => ({ ...transfer, amount: transfer.amount.toString() })),
      call: { ...call, value: call.value.toString() },
    })),
  }
}
