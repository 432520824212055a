import {
  type Address,
  concat,
  decodeFunctionData,
  encodeFunctionData,
  erc20Abi,
  type Hash,
  type Hex,
  prepareEncodeFunctionData,
  toEventSelector,
  zeroAddress,
} from 'viem'
import { tokenTransfersHash } from '../../sdk/src/signing.js'
import type { SignedIntent, TokenTransfer } from '../domain/action.js'
import type { Receipt } from './chain.js'
import { delegateAbi, solverVaultAbi } from './generated/contracts.js'

/** The functions that are called, with their selectors, which viem would compute anew for each call. */
export const execute = prepareEncodeFunctionData({ abi: delegateAbi, functionName: 'execute' })
export const fulfill = prepareEncodeFunctionData({ abi: solverVaultAbi, functionName: 'fulfill' })
export const fulfillMany = prepareEncodeFunctionData({ abi: solverVaultAbi, functionName: 'fulfillMany' })

export function isCallOf({ functionName: selector }: { functionName: Hex }, input: Hex): boolean {
  return input.slice(0, 10).toLowerCase() === selector
}

/** The Delegate logs this with the batch's id as its only topic when it has run a batch. */
export const executedTopic = toEventSelector('ChainBatchExecuted(bytes32)')
/** The SolverVault logs this with the step key as its only topic when it has paid. */
export const fulfilledTopic = toEventSelector('Fulfilled(bytes32)')
/** The SolverVault logs this with an account whenever its owner gives or takes that account's right to pay. */
export const operatorSetTopic = toEventSelector('OperatorSet(address,bool)')

export type Fulfilment = {
  /** The key by which the vault remembers the payout; it pays once under each. */
  stepKey: Hash
  transfers: readonly Pick<TokenTransfer, 'to' | 'token' | 'amount'>[]
  /** Whose batch runs after the transfers. Null: nobody's. */
  account: Address | null
  intent: SignedIntent | null
  /** Which batch of the intent. */
  stepIndex: number
}

/** The call of a user's delegated account that runs one batch of his intent. */
export function encodeExecute(intent: SignedIntent, stepIndex: number): Hex {
  return encodeFunctionData({ ...execute, args: [contractIntent(intent, stepIndex)] })
}

/** The call of the vault that pays a step's transfers and then runs its batch, if it has one. */
export function encodeFulfill({ stepKey, transfers, account, intent, stepIndex }: Fulfilment): Hex {
  return encodeFunctionData({
    ...fulfill,
    args: [
      stepKey,
      transfers.map(({ to, token, amount }) => ({ to, token, amount })),
      account ?? zeroAddress,
      intent ? contractIntent(intent, stepIndex) : noIntent,
    ],
  })
}

/** What a step's call asks the vault to pay. */
export type PaidFulfilment = {
  stepKey: Hash
  transfers: Pick<TokenTransfer, 'to' | 'token' | 'amount'>[]
}

/** What a call of the vault for one step asks it to pay. Null for any other call. */
export function decodeFulfill(input: Hex): PaidFulfilment | null {
  try {
    if (!isCallOf(fulfill, input)) return null
    const { args } = decodeFunctionData({ abi: fulfill.abi, data: input })
    const [stepKey, transfers] = args
    return {
      stepKey,
      transfers: transfers.map(({ to, token, amount }) => ({ to: lower(to), token: lower(token), amount })),
    }
  } catch {
    return null
  }
}

/** The ids of the batches that the account's delegate ran in a transaction. */
export function executedBatchIds(receipt: Pick<Receipt, 'logs'>, account: Address): Hash[] {
  return keysLogged(receipt, account, executedTopic)
}

/** The keys under which a vault paid in a transaction. */
export function fulfilledKeys(receipt: Pick<Receipt, 'logs'>, ...vaults: readonly Address[]): Hash[] {
  return vaults.flatMap((vault) => keysLogged(receipt, vault, fulfilledTopic))
}

export function encodeIsFulfilled(stepKey: Hash): Hex {
  return encodeFunctionData({ abi: solverVaultAbi, functionName: 'isFulfilled', args: [stepKey] })
}

export function encodeIsOperator(signer: Address): Hex {
  return encodeFunctionData({ abi: solverVaultAbi, functionName: 'isOperator', args: [signer] })
}

export function encodeIsChainBatchProcessed(chainBatchId: Hash): Hex {
  return encodeFunctionData({ abi: delegateAbi, functionName: 'isChainBatchProcessed', args: [chainBatchId] })
}

export function encodeBalanceOf(holder: Address): Hex {
  return encodeFunctionData({ abi: erc20Abi, functionName: 'balanceOf', args: [holder] })
}

export function encodeDecimals(): Hex {
  return encodeFunctionData({ abi: erc20Abi, functionName: 'decimals' })
}

export function encodeTransfer(to: Address, amount: bigint): Hex {
  return encodeFunctionData({ abi: erc20Abi, functionName: 'transfer', args: [to, amount] })
}

const noIntent = { signatureType: '', signature: '0x', nbf: 0n, exp: 0n, chainBatches: [] } as const

/**
 * The intent as the Delegate takes it, with the calls of one batch and only the hashes of all others: each batch is a
 * step of its own. An `eip712` batch also covers its token transfers, which the call does not carry; their hash follows
 * the signature, one word for each batch that carries calls.
 */
function contractIntent(intent: SignedIntent, stepIndex: number) {
  const step = intent.chainBatches[stepIndex]
  if (!step) throw new Error(`The intent has no batch ${stepIndex}`)
  const withWords = intent.signatureType === 'eip712' && step.calls.length > 0
  return {
    signatureType: intent.signatureType,
    signature: withWords ? concat([intent.signature, tokenTransfersHash(step.tokenTransfers)]) : intent.signature,
    nbf: BigInt(intent.nbf),
    exp: BigInt(intent.exp),
    chainBatches: intent.chainBatches.map(({ hash, chainId, calls }, index) => {
      if (!hash) throw new Error('A batch of a signed intent has a hash')
      return { hash, chainId: BigInt(chainId), calls: index === stepIndex ? calls : [] }
    }),
  }
}

function keysLogged(receipt: Pick<Receipt, 'logs'>, address: Address, topic: Hash): Hash[] {
  return receipt.logs.flatMap((log) => {
    const key = log.topics[1]
    return log.address === address && log.topics[0] === topic && key ? [key] : []
  })
}

function lower(address: Address): Address {
  return address.toLowerCase() as Address
}
