import {
  type Abi,
  type Address,
  concatHex,
  encodeDeployData,
  encodeFunctionData,
  getContractAddress,
  type Hex,
  padHex,
  toHex,
} from 'viem'
import { delegateAbi, delegateBytecode, solverVaultAbi, solverVaultBytecode } from '../chain/generated/contracts.js'
import { rpc, rpcTogether } from './anvil.js'

/** The CREATE2 factory that stands at this address on nearly every chain, anvil's included. */
export const create2Factory: Address = '0x4e59b44847b379578588920ca78fbf26c0b4956c'

/** What makes another contract of the same code and arguments. */
const saltOf = (number: number) => padHex(toHex(number), { size: 32 })

/** What to send to the factory to deploy the code. */
export function create2Data(initCode: Hex, number = 0): Hex {
  return concatHex([saltOf(number), initCode])
}

/**
 * The contract's address is the same on every chain, since it depends on nothing but its code, arguments and number.
 */
export function create2Address(initCode: Hex, number = 0): Address {
  return getContractAddress({
    opcode: 'CREATE2',
    from: create2Factory,
    salt: saltOf(number),
    bytecode: initCode,
  }).toLowerCase() as Address
}

export function delegateInitCode(): Hex {
  return encodeDeployData({ abi: delegateAbi, bytecode: delegateBytecode })
}

export function vaultInitCode(owner: Address): Hex {
  return encodeDeployData({ abi: solverVaultAbi, bytecode: solverVaultBytecode, args: [owner] })
}

/** A transaction that sets a chain up. */
type SetUp = { to: Address; data?: Hex; value?: bigint }

/** A call of a contract, which nobody is paid by. */
export function setUpCall(to: Address, abi: Abi, functionName: string, args: readonly unknown[]): SetUp {
  return { to, data: encodeFunctionData({ abi, functionName, args }) }
}

type Deployer = ReturnType<typeof createDeployer>

const minedWithinMs = 60_000
const againMs = 10

/**
 * Sends the transactions of one of anvil's own accounts, which anvil signs for, and waits for them at the end; for
 * setting chains up, not for the money path.
 */
export function createDeployer(rpcUrl: string, { address: from }: { address: Address }) {
  async function sendAll(transactions: readonly SetUp[]): Promise<void> {
    if (transactions.length === 0) return
    const hashes: unknown[] = []
    for (const { to, data = '0x', value = 0n } of transactions) {
      const transaction = { from, to, data, value: toHex(value), gas: toHex(gasFor(data)) }
      hashes.push(await rpc(rpcUrl, 'eth_sendTransaction', [transaction]))
    }
    for (const deadline = performance.now() + minedWithinMs; ;) {
      const receipts = await rpcTogether(
        rpcUrl,
        hashes.map((hash) => ['eth_getTransactionReceipt', [hash]]),
      )
      const reverted = receipts.findIndex((receipt) => (receipt as { status: string } | null)?.status === '0x0')
      if (reverted >= 0) throw new Error(`The transaction ${String(hashes[reverted])} was reverted`)
      if (receipts.every((receipt) => receipt !== null)) return
      if (performance.now() > deadline) throw new Error(`${rpcUrl} has not mined ${String(hashes.at(-1))}`)
      await new Promise((resolve) => setTimeout(resolve, againMs))
    }
  }

  /** Deploys what is not there already. */
  async function deployAll(initCodes: readonly Hex[]): Promise<Address[]> {
    const addresses = initCodes.map((initCode) => create2Address(initCode))
    const codes = await rpcTogether(
      rpcUrl,
      addresses.map((address) => ['eth_getCode', [address, 'latest']]),
    )
    const missing = initCodes.filter((_initCode, index) => codes[index] === '0x')
    await sendAll(missing.map((initCode) => ({ to: create2Factory, data: create2Data(initCode) })))
    return addresses
  }

  return {
    sendAll,
    deployAll,
    deploy: async (initCode: Hex): Promise<Address> => (await deployAll([initCode]))[0]!,
    call: (...call: Parameters<typeof setUpCall>): Promise<void> => sendAll([setUpCall(...call)]),
  }
}

/**
 * More than what they take: 200 for each byte of code that stays (EIP-170), and what its constructor or a call does.
 */
function gasFor(data: Hex): bigint {
  return 300_000n + 300n * BigInt(data.length / 2)
}

/** What makes the operators the vault's. */
export function setOperators(vault: Address, operators: readonly Address[]): SetUp[] {
  return operators.map((operator) => setUpCall(vault, solverVaultAbi as Abi, 'setOperator', [operator, true]))
}

/** Deploys the delegate and the vault and makes the operators operators. */
export async function deployContracts(
  deployer: Deployer,
  options: { owner: Address; operators: readonly Address[] },
): Promise<{ delegate: Address; vault: Address }> {
  const [delegate, vault] = await deployer.deployAll([delegateInitCode(), vaultInitCode(options.owner)])
  await deployer.sendAll(setOperators(vault!, options.operators))
  return { delegate: delegate!, vault: vault! }
}
