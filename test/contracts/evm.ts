import { createBlock } from '@ethereumjs/block'
import { Common, Hardfork, Mainnet } from '@ethereumjs/common'
import { createEOACode7702Tx, createLegacyTx } from '@ethereumjs/tx'
import { bytesToHex, createAddressFromString, hexToBytes } from '@ethereumjs/util'
import { SimpleStateManager } from '@ethereumjs/statemanager'
import { createVM, runTx } from '@ethereumjs/vm'
import { type Address, encodeAbiParameters, getAddress, type Hex, keccak256, type PrivateKeyAccount, toHex } from 'viem'
import { chainId } from './chain.js'

/** A call that one account made of another while a transaction ran, whether it was undone later or not. */
export type Message = {
  from: Address
  to: Address | null
  value: bigint
  data: Hex
  isStatic: boolean
  isDelegateCall: boolean
}
export type Log = { address: Address; topics: Hex[]; data: Hex }
export type Outcome = { success: boolean; output: Hex; logs: Log[]; messages: Message[]; created: Address | null }
export type Transaction = {
  from: Address
  to?: Address
  data?: Hex
  value?: bigint
  gasLimit?: bigint
  authorizations?: Awaited<ReturnType<PrivateKeyAccount['signAuthorization']>>[]
}

const start = 1_800_000_000n

export type Evm = Awaited<ReturnType<typeof createEvm>>

/**
 * A chain of its own inside this process: the EVM alone, without a node, so that it runs a million times what one does.
 */
export async function createEvm() {
  const common = new Common({ chain: { ...Mainnet, chainId: Number(chainId) }, hardfork: Hardfork.Prague })
  const vm = await createVM({ common, stateManager: new SimpleStateManager({ common }) })
  const state = vm.stateManager
  let time = start
  let messages: Message[] = []
  // Codes and slots are asked for by addresses that are made again and again.
  const addresses = new Map<Address, ReturnType<typeof createAddressFromString>>()
  const addressOf = (address: Address) => {
    const known = addresses.get(address) ?? createAddressFromString(address)
    addresses.set(address, known)
    return known
  }

  vm.evm.events!.on('beforeMessage', (message, resume) => {
    if (message.depth > 0) {
      messages.push({
        from: getAddress(message.caller.toString()),
        to: message.to === undefined ? null : getAddress(message.to.toString()),
        value: message.value,
        data: bytesToHex(message.data),
        isStatic: message.isStatic,
        isDelegateCall: message.delegatecall,
      })
    }
    resume?.()
  })

  const block = () =>
    createBlock(
      { header: { number: 1n, timestamp: time, gasLimit: 100_000_000n, baseFeePerGas: 1n } },
      { common, skipConsensusFormatValidation: true },
    )

  return {
    now: () => time,
    passTime(seconds: bigint): void {
      time += seconds
    },

    /** Runs a transaction as if its sender had signed it; authorizations are really signed. */
    async send({
      from,
      to,
      data = '0x',
      value = 0n,
      // Storing a long intent for a later call costs 22,100 a word.
      gasLimit = 60_000_000n,
      authorizations,
    }: Transaction): Promise<Outcome> {
      const fields = { gasLimit, data, value, ...(to && { to: addressOf(to) }) }
      const options = { common, freeze: false }
      const tx =
        authorizations === undefined
          ? createLegacyTx({ ...fields, gasPrice: 1n }, options)
          : createEOACode7702Tx(
              {
                ...fields,
                chainId,
                maxFeePerGas: 1n,
                maxPriorityFeePerGas: 0n,
                authorizationList: authorizations.map((signed) => ({
                  chainId: toHex(signed.chainId),
                  address: signed.address as Hex,
                  nonce: signed.nonce === 0 ? '0x' : toHex(signed.nonce),
                  yParity: signed.yParity === 1 ? ('0x1' as const) : ('0x' as const),
                  r: signed.r,
                  s: signed.s,
                })),
              },
              options,
            )
      tx.isSigned = () => true
      tx.getSenderAddress = () => addressOf(from)
      messages = []
      const result = await runTx(vm, {
        tx,
        block: block(),
        skipNonce: true,
        skipBalance: true,
        skipHardForkValidation: true,
      })
      const { exceptionError, logs = [], returnValue } = result.execResult
      return {
        success: exceptionError === undefined,
        output: bytesToHex(returnValue),
        logs: logs.map(([address, topics, bytes]) => ({
          address: getAddress(bytesToHex(address)),
          topics: topics.map(bytesToHex),
          data: bytesToHex(bytes),
        })),
        messages,
        created: result.createdAddress ? getAddress(result.createdAddress.toString()) : null,
      }
    },

    /** What a call answers; nothing of it stays. */
    async call(to: Address, data: Hex): Promise<Hex> {
      await vm.evm.journal.checkpoint()
      const { execResult } = await vm.evm.runCall({ to: addressOf(to), data: hexToBytes(data), block: block() })
      await vm.evm.journal.revert()
      return bytesToHex(execResult.returnValue)
    },

    async nonceOf(address: Address): Promise<number> {
      return Number((await state.getAccount(addressOf(address)))?.nonce ?? 0n)
    },
    async nativeOf(address: Address): Promise<bigint> {
      return (await state.getAccount(addressOf(address)))?.balance ?? 0n
    },
    async fund(address: Address, balance: bigint): Promise<void> {
      await state.modifyAccountFields(addressOf(address), { balance })
    },

    /** A balance in a token that keeps its balances first, as all tokens of the tests do. */
    async tokenOf(token: Address, holder: Address): Promise<bigint> {
      const bytes = await state.getStorage(addressOf(token), slotOf(holder))
      return bytes.length === 0 ? 0n : BigInt(bytesToHex(bytes))
    },

    /** From here on everything can be undone. */
    checkpoint: () => state.checkpoint(),
    async revert(): Promise<void> {
      time = start
      await state.revert()
    },
  }
}

const slots = new Map<Address, Uint8Array>()
function slotOf(holder: Address): Uint8Array {
  const known =
    slots.get(holder) ??
    hexToBytes(keccak256(encodeAbiParameters([{ type: 'address' }, { type: 'uint256' }], [holder, 0n])))
  slots.set(holder, known)
  return known
}
