import {
  type Abi,
  type Address,
  createPublicClient,
  createWalletClient,
  decodeErrorResult,
  encodeDeployData,
  encodeFunctionData,
  type Hex,
  http,
  type PrivateKeyAccount,
  type TransactionReceipt,
} from 'viem'
import { join } from 'node:path'
import { compile } from '../../scripts/contracts.js'
import { delegateAbi, devTokenAbi, devTokenBytecode, solverVaultAbi } from '../../server/chain/generated/contracts.js'
import { type Anvil, startAnvil } from '../../server/devnet/anvil.js'
import { createDeployer, deployContracts } from '../../server/devnet/deployContracts.js'
import { devAccount } from '../../server/devnet/devnet.js'
import {
  type ChainBatch,
  intentDigest,
  intentTypedData,
  type SignatureType,
  tokenTransfersHash,
  batchHash,
} from '../../sdk/src/signing.js'

export const owner = devAccount(0)
export const operator = devAccount(1)
export const stranger = devAccount(2)

const hostile = compile(join(import.meta.dirname, 'tokens'))

export type TestChain = Awaited<ReturnType<typeof startTestChain>>

/** A real chain with both contracts, and calls that tell the custom error they revert with. */
export async function startTestChain() {
  const anvil: Anvil = await startAnvil({ chainId: 31337 })
  const transport = http(anvil.url)
  const reader = createPublicClient({ transport, pollingInterval: 20 })
  const deployer = createDeployer(anvil.url, owner)
  const { delegate, vault } = await deployContracts(deployer, { owner: owner.address, operators: [operator.address] })
  const usd = await deployer.deploy(
    encodeDeployData({ abi: devTokenAbi, bytecode: devTokenBytecode, args: ['Dollar', 'USD', 6, owner.address] }),
  )
  await deployer.call(usd, devTokenAbi as Abi, 'mint', [vault, 1_000_000n])

  type Sender = PrivateKeyAccount | typeof owner

  async function send(
    account: Sender,
    transaction: { to: Address; data?: Hex; value?: bigint; authorizationList?: unknown; gas?: bigint },
  ): Promise<TransactionReceipt> {
    const wallet = createWalletClient({ account, transport })
    // A limit of our own, so that a revert is mined instead of refused by the estimate.
    const hash = await wallet.sendTransaction({ chain: null, gas: 1_500_000n, ...transaction } as never)
    return reader.waitForTransactionReceipt({ hash })
  }

  return {
    anvil,
    reader,
    delegate,
    vault,
    usd,
    deployer,
    send,
    stop: () => anvil.stop(),

    deployHostile: (name: string): Promise<Address> => deployer.deploy(`0x${hostile[name]!.evm.bytecode.object}`),
    hostileAbi: (name: string): Abi => hostile[name]!.abi as Abi,

    /** The name and arguments of the custom error that a call reverts with; null when it does not. */
    async revertOf(
      from: Address,
      to: Address,
      data: Hex,
      value = 0n,
    ): Promise<{ name: string; args: readonly unknown[] } | null> {
      const outcome = await reader
        .request({
          method: 'eth_call' as never,
          params: [{ from, to, data, value: `0x${value.toString(16)}` }, 'latest'] as never,
        })
        .then(
          () => null,
          (error: { walk?: (match: (e: unknown) => boolean) => { data?: Hex } | null; data?: Hex }) =>
            (error.walk?.((cause) => typeof (cause as { data?: unknown }).data === 'string')?.data ??
              error.data ??
              '0x') as Hex,
        )
      if (outcome === null) return null
      const { errorName, args } = decodeErrorResult({
        abi: [...delegateAbi, ...solverVaultAbi, ...devTokenAbi],
        data: outcome,
      })
      return { name: errorName, args: args ?? [] }
    },

    /** Makes an account borrow a delegate, by its own signature, with a stranger paying. */
    async delegateTo(account: PrivateKeyAccount, contract: Address): Promise<TransactionReceipt> {
      const nonce = await reader.getTransactionCount({ address: account.address })
      const authorization = await account.signAuthorization({ contractAddress: contract, chainId: 31337, nonce })
      return send(stranger, { to: stranger.address, authorizationList: [authorization] })
    },

    balanceOf: (token: Address, holder: Address) =>
      reader.readContract({ address: token, abi: devTokenAbi, functionName: 'balanceOf', args: [holder] }),
  }
}

/** A signed intent as `execute` takes it: the calls of the batches in `carried`, only hashes of the others. */
export async function signedForContract(
  account: PrivateKeyAccount,
  chainBatches: ChainBatch[],
  options: { signatureType?: SignatureType; nbf?: number; exp?: number; carried?: number[] } = {},
) {
  const {
    signatureType = 'ecdsa',
    nbf = 0,
    exp = 4_000_000_000,
    carried = chainBatches.map((_, index) => index),
  } = options
  const unsigned = { signatureType, nbf, exp, chainBatches }
  const digest = intentDigest(unsigned)
  const signature =
    signatureType === 'ecdsa'
      ? await account.signMessage({ message: { raw: digest } })
      : await account.signTypedData(intentTypedData(unsigned))
  const words =
    signatureType === 'eip712'
      ? carried.map((index) => tokenTransfersHash(chainBatches[index]!.tokenTransfers).slice(2))
      : []
  return {
    digest,
    intent: {
      signatureType,
      signature: `${signature}${words.join('')}` as Hex,
      nbf: BigInt(nbf),
      exp: BigInt(exp),
      chainBatches: chainBatches.map((batch, index) => ({
        hash: batchHash(signatureType, batch),
        chainId: BigInt(batch.chainId),
        calls: carried.includes(index) ? [...batch.calls] : [],
      })),
    },
  }
}

export type ContractIntent = Awaited<ReturnType<typeof signedForContract>>['intent']

export const noIntent: ContractIntent = {
  signatureType: '' as SignatureType,
  signature: '0x',
  nbf: 0n,
  exp: 0n,
  chainBatches: [],
}

export function executeData(intent: ContractIntent): Hex {
  return encodeFunctionData({ abi: delegateAbi, functionName: 'execute', args: [intent] })
}

export function fulfillData(
  stepKey: Hex,
  transfers: { to: Address; token: Address; amount: bigint }[],
  account?: Address,
  intent: ContractIntent = noIntent,
): Hex {
  const args = [stepKey, transfers, account ?? '0x0000000000000000000000000000000000000000', intent] as const
  return encodeFunctionData({ abi: solverVaultAbi, functionName: 'fulfill', args })
}
