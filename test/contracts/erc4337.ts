import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { type Address, concatHex, encodeFunctionData, getContractAddress, type Hex, keccak256 } from 'viem'
import {
  entryPoint08Abi,
  entryPoint08Address,
  getUserOperationHash,
  toPackedUserOperation,
  type UserOperation,
} from 'viem/account-abstraction'
import type { PrivateKeyAccount } from 'viem/accounts'
import { chainId, operator, stranger, type TestChain, tokenCall } from './chain.js'

/**
 * What our gas is compared with: the EntryPoint of ERC-4337 v0.8 and its account for EIP-7702, both as they
 * are published. The account pays for itself from its deposit, which is the cheapest way that the
 * EntryPoint has; a paymaster's is on top.
 */
export type Erc4337 = Awaited<ReturnType<typeof deployErc4337>>

/** The factory at one address on every chain (EIP-1014, "deterministic deployment proxy"), and the published salt. */
const factory: Address = '0x4e59b44847b379578588920cA78FbF26c0B4956C'
const salt: Hex = '0x0a59dbff790c23c976a548690c27297883cc66b4c67024f9117b0238995e35e9'

const gasPrice = 10n ** 10n

export async function deployErc4337(chain: TestChain) {
  const bytecode = artifact('EntryPoint')
  const expected = getContractAddress({ opcode: 'CREATE2', from: factory, salt, bytecodeHash: keccak256(bytecode) })
  // The account accepts this EntryPoint only, so it has to be the very one.
  if (expected !== entryPoint08Address) throw new Error(`The EntryPoint would be at ${expected}`)
  await chain.send(stranger, { to: factory, data: concatHex([salt, bytecode]), gas: 8_000_000n })
  const account = await chain.deployer.deploy(artifact('Simple7702Account'))

  return {
    /** What users delegate to. */
    account,

    async deposit(user: Address): Promise<void> {
      const data = encodeFunctionData({ abi: entryPoint08Abi, functionName: 'depositTo', args: [user] })
      await chain.send(stranger, { to: entryPoint08Address, data, value: 10n ** 18n })
    },

    /** The call of the EntryPoint in which each user transfers some of the token, signed by himself. */
    async transfers(wanted: { user: PrivateKeyAccount; to: Address; amount: bigint }[]) {
      const operations = await Promise.all(wanted.map((entry) => signTransfer(chain, entry)))
      const packed = operations.map((operation) => toPackedUserOperation(operation))
      const args = [packed, operator.address] as const
      return {
        to: entryPoint08Address,
        data: encodeFunctionData({ abi: entryPoint08Abi, functionName: 'handleOps', args }),
      }
    },
  }
}

async function signTransfer(
  chain: TestChain,
  { user, to, amount }: { user: PrivateKeyAccount; to: Address; amount: bigint },
): Promise<UserOperation<'0.8'>> {
  const nonce = await chain.reader.readContract({
    address: entryPoint08Address,
    abi: entryPoint08Abi,
    functionName: 'getNonce',
    args: [user.address, 0n],
  })
  const call = tokenCall(chain.usd, to, amount)
  const unsigned: UserOperation<'0.8'> = {
    sender: user.address,
    nonce,
    callData: encodeFunctionData({
      abi: executeAbi,
      functionName: 'execute',
      args: [call.to, call.value, call.data],
    }),
    callGasLimit: 60_000n,
    verificationGasLimit: 60_000n,
    preVerificationGas: 50_000n,
    maxFeePerGas: gasPrice,
    maxPriorityFeePerGas: gasPrice,
    signature: '0x',
  }
  const hash = getUserOperationHash({
    chainId: Number(chainId),
    entryPointAddress: entryPoint08Address,
    entryPointVersion: '0.8',
    userOperation: unsigned,
  })
  return { ...unsigned, signature: await user.sign({ hash }) }
}

const executeAbi = [
  {
    type: 'function',
    name: 'execute',
    stateMutability: 'nonpayable',
    inputs: [
      { name: 'target', type: 'address' },
      { name: 'value', type: 'uint256' },
      { name: 'data', type: 'bytes' },
    ],
    outputs: [],
  },
] as const

function artifact(name: string): Hex {
  const path = createRequire(import.meta.url).resolve(`@account-abstraction/contracts/artifacts/${name}.json`)
  return (JSON.parse(readFileSync(path, 'utf8')) as { bytecode: Hex }).bytecode
}
