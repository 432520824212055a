import {
  type Abi,
  type Account,
  type Address,
  concatHex,
  createPublicClient,
  createWalletClient,
  encodeDeployData,
  getContractAddress,
  type Hex,
  http,
  padHex,
  toHex,
} from 'viem'
import { delegateAbi, delegateBytecode, solverVaultAbi, solverVaultBytecode } from '../chain/generated/contracts.js'
import { minedReceipt } from './minedReceipt.js'

/** The CREATE2 factory that stands at this address on nearly every chain, anvil's included. */
export const create2Factory: Address = '0x4e59b44847b379578588920ca78fbf26c0b4956c'

/** What makes another contract of the same code and arguments. */
const saltOf = (number: number) => padHex(toHex(number), { size: 32 })

/** What to send to the factory to deploy the code. */
export function create2Data(initCode: Hex, number = 0): Hex {
  return concatHex([saltOf(number), initCode])
}

/** The contract's address is the same on every chain, since it depends on nothing but its code, arguments and number. */
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

export type Deployer = ReturnType<typeof createDeployer>

/** Sends the transactions of one account one after the other; for setting chains up, not for the money path. */
export function createDeployer(rpcUrl: string, account: Account) {
  const transport = http(rpcUrl, { retryCount: 0 })
  const reader = createPublicClient({ transport })
  const wallet = createWalletClient({ account, transport })

  async function confirmed(hash: Hex): Promise<void> {
    const receipt = await minedReceipt(reader, hash)
    if (receipt.status !== 'success') throw new Error(`The transaction ${hash} was reverted`)
  }

  return {
    /** Deploys code unless it is there already. */
    async deploy(initCode: Hex): Promise<Address> {
      const address = create2Address(initCode)
      if (await reader.getCode({ address })) return address
      const hash = await wallet.sendTransaction({ chain: null, to: create2Factory, data: create2Data(initCode) })
      await confirmed(hash)
      return address
    },

    async call(to: Address, abi: Abi, functionName: string, args: readonly unknown[]): Promise<void> {
      await confirmed(await wallet.writeContract({ chain: null, address: to, abi, functionName, args }))
    },

    async send(to: Address, value: bigint): Promise<void> {
      await confirmed(await wallet.sendTransaction({ chain: null, to, value }))
    },
  }
}

/** Deploys the delegate and the vault and makes the operators operators. */
export async function deployContracts(
  deployer: Deployer,
  options: { owner: Address; operators: readonly Address[] },
): Promise<{ delegate: Address; vault: Address }> {
  const delegate = await deployer.deploy(delegateInitCode())
  const vault = await deployer.deploy(vaultInitCode(options.owner))
  for (const operator of options.operators) {
    await deployer.call(vault, solverVaultAbi as Abi, 'setOperator', [operator, true])
  }
  return { delegate, vault }
}
