import { type Address, concat, decodeFunctionData, encodeFunctionData, type Hex, parseEventLogs } from 'viem'
import type { Receipt } from './chain.js'
import { decodeFulfill, execute, fulfill, fulfillMany, isCallOf, type PaidFulfilment } from './contracts.js'
import { authorizationGas, calldataFloor } from './gas.js'
import { solverVaultAbi } from './generated/contracts.js'

/** A step of a bundle: what it would be sent as by itself, and the gas that it may use, none of it intrinsic. */
export type BundledCall = { to: Address; data: Hex; gasLimit: bigint }

/** What the vault says of a step that had no effect. */
export type BundleFault =
  /** `reason`: what the step reverted with, or the beginning of it. */
  | { kind: 'failed'; reason: Hex }
  /** The step was not called, since too little gas was left. */
  | { kind: 'skipped' }

/** Intrinsic gas of a transaction; a step of a bundle has none of its own. */
const intrinsicGas = 21_000n
/**
 * What a step adds to a bundle beside its own limit and data: six words of the bundle's encoding, the vault's loop, two
 * cold addresses, and a log of 1,024 bytes when it fails.
 */
const stepOverhead = 30_000n
const stepOverheadBytes = 256

/** The vault's call that carries out all of these, each in a frame of its own. */
export function encodeBundle(calls: readonly BundledCall[]): Hex {
  const steps = calls.map(({ to, data, gasLimit }) => ({ to, gasLimit, arguments: `0x${data.slice(10)}` as const }))
  return encodeFunctionData({ ...fulfillMany, args: [steps] })
}

/** Whether an input of the vault is a bundle. */
export function isBundle(input: Hex): boolean {
  return isCallOf(fulfillMany, input)
}

/** The steps of a bundle as `encodeBundle` was given them. Null: the input is no bundle of this vault. */
export function decodeBundle(input: Hex, vault: Address): BundledCall[] | null {
  try {
    if (!isBundle(input)) return null
    const { args } = decodeFunctionData({ abi: fulfillMany.abi, data: input })
    return args[0].map((step) => {
      const to = step.to.toLowerCase() as Address
      const { functionName: selector } = to === vault ? fulfill : execute
      return { to, data: concat([selector, step.arguments]), gasLimit: step.gasLimit }
    })
  } catch {
    return null
  }
}

/** All that a call of the vault asks it to pay, by itself or in a bundle; whether it did is in the logs. */
export function decodeFulfilments(input: Hex, vault: Address): PaidFulfilment[] {
  const calls = decodeBundle(input, vault)?.filter(({ to }) => to === vault) ?? [{ data: input }]
  return calls.flatMap(({ data }) => decodeFulfill(data) ?? [])
}

/** What the vault says of the steps without effect, by their places in the bundle. */
export function bundleFaults(receipt: Pick<Receipt, 'logs'>, vault: Address): Map<number, BundleFault> {
  const logs = receipt.logs.filter(({ address }) => address === vault)
  const events = parseEventLogs({ abi: solverVaultAbi, logs: logs as never, eventName: ['StepFailed', 'StepSkipped'] })
  return new Map(
    events.map(({ eventName, args }): [number, BundleFault] => [
      Number(args.index),
      eventName === 'StepFailed' ? { kind: 'failed', reason: args.reason } : { kind: 'skipped' },
    ]),
  )
}

/**
 * How much gas a step may use in a bundle, from the limit that it would be sent with by itself: never less than there.
 */
export function bundledGasLimit(limit: bigint): bigint {
  return limit - intrinsicGas
}

/** What a step adds to a bundle: to its gas limit, and to its size in bytes; both rather too much than too little. */
export function bundleShare({ data, gasLimit }: BundledCall, authorizations: number): { gas: bigint; bytes: number } {
  // The vault leaves out a step whose gas it can't hand on in full, of which a 64th is kept back (EIP-150). The data's
  // floor is never less than what it costs otherwise (EIP-7623).
  const gas = gasLimit + gasLimit / 63n + stepOverhead + calldataFloor(data) - intrinsicGas
  return { gas: gas + BigInt(authorizations) * authorizationGas, bytes: data.length / 2 + stepOverheadBytes }
}

/** The limit of a bundle from what its steps add. */
export function bundleGasLimit(shares: readonly { gas: bigint }[]): bigint {
  return shares.reduce((sum, { gas }) => sum + gas, intrinsicGas + stepOverhead)
}
