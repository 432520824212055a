import {
  type Address,
  concat,
  encodeAbiParameters,
  encodeFunctionData,
  hashStruct,
  hashTypedData,
  type Hex,
  keccak256,
  parseAbiParameters,
  type PrivateKeyAccount,
  toEventSelector,
  toFunctionSelector,
  zeroAddress,
} from 'viem'
import { delegateAbi, solverVaultAbi } from '../../server/chain/generated/contracts.js'

/**
 * Signed intents as the contracts take them. The encodings are written out here from the interface's own words, apart
 * from the SDK's, so that a mistake there cannot hide one in the contracts.
 */
export type Call = { to: Address; value: bigint; data: Hex }
export type Batch = {
  chainId: bigint
  calls: Call[]
  tokenTransfers: { from: Address; to: Address; token: Address; amount: bigint }[]
}
export type SignatureType = 'ecdsa' | 'eip712'

const domain = { name: 'CrossChainIntents', version: '1' } as const
const types = {
  Intent: [
    { name: 'nbf', type: 'uint256' },
    { name: 'exp', type: 'uint256' },
    { name: 'chainBatches', type: 'ChainBatch[]' },
  ],
  ChainBatch: [
    { name: 'chainId', type: 'uint256' },
    { name: 'tokenTransfers', type: 'TokenTransfer[]' },
    { name: 'calls', type: 'Call[]' },
  ],
  TokenTransfer: [
    { name: 'from', type: 'address' },
    { name: 'to', type: 'address' },
    { name: 'token', type: 'address' },
    { name: 'amount', type: 'uint256' },
  ],
  Call: [
    { name: 'to', type: 'address' },
    { name: 'value', type: 'uint256' },
    { name: 'data', type: 'bytes' },
  ],
} as const

export type SignOptions = {
  signatureType?: SignatureType
  nbf?: bigint
  exp?: bigint
  /** The batches whose calls go along; all by default. Of the others only the hash does. */
  carried?: number[]
}

/** Far off, and still before the year 2106. */
const distantExp = 4_000_000_000n

/** A signed intent as `execute` takes it, and its digest. */
export async function signIntent(account: PrivateKeyAccount, batches: Batch[], options: SignOptions = {}) {
  const { signatureType = 'ecdsa', nbf = 0n, exp = distantExp, carried = batches.map((_, index) => index) } = options
  const hashes = batches.map((batch) => batchHash(signatureType, batch))
  let digest: Hex
  let signature: Hex
  if (signatureType === 'ecdsa') {
    digest = keccak256(
      encodeAbiParameters(parseAbiParameters('string, uint256, uint256, bytes32[]'), ['ecdsa', nbf, exp, hashes]),
    )
    signature = await account.signMessage({ message: { raw: digest } })
  } else {
    const typed = { domain, types, primaryType: 'Intent', message: { nbf, exp, chainBatches: batches } } as const
    digest = hashTypedData(typed)
    const words = carried.map((index) => transfersWord(batches[index]!))
    signature = concat([await account.signTypedData(typed), ...words])
  }
  const chainBatches = batches.map(({ chainId, calls }, index) => ({
    hash: hashes[index]!,
    chainId,
    calls: carried.includes(index) ? calls : [],
  }))
  return { digest, intent: { signatureType: signatureType as string, signature, nbf, exp, chainBatches } }
}

export type ContractIntent = Awaited<ReturnType<typeof signIntent>>['intent']

export const noIntent: ContractIntent = { signatureType: '', signature: '0x', nbf: 0n, exp: 0n, chainBatches: [] }

function batchHash(signatureType: SignatureType, batch: Batch): Hex {
  if (signatureType === 'eip712') return hashStruct({ types, primaryType: 'ChainBatch', data: batch })
  const parameters = parseAbiParameters('uint256, (address to, uint256 value, bytes data)[]')
  return keccak256(encodeAbiParameters(parameters, [batch.chainId, batch.calls]))
}

/** EIP-712's encoding of an array of structs: the hash of their hashes. */
function transfersWord({ tokenTransfers }: Batch): Hex {
  return keccak256(concat(tokenTransfers.map((data) => hashStruct({ types, primaryType: 'TokenTransfer', data }))))
}

/** What the delegate remembers a batch by. */
export function batchId(digest: Hex, index: number): Hex {
  return keccak256(encodeAbiParameters(parseAbiParameters('bytes32, uint256'), [digest, BigInt(index)]))
}

export function executeData(intent: ContractIntent): Hex {
  return encodeFunctionData({ abi: delegateAbi, functionName: 'execute', args: [intent] })
}

export function fulfillData(
  stepKey: Hex,
  transfers: { to: Address; token: Address; amount: bigint }[],
  account: Address = zeroAddress,
  intent: ContractIntent = noIntent,
): Hex {
  return encodeFunctionData({
    abi: solverVaultAbi,
    functionName: 'fulfill',
    args: [stepKey, transfers, account, intent],
  })
}

/** Steps in one transaction; `data` is what each would be sent with by itself. */
export function fulfillManyData(steps: { to: Address; data: Hex; gasLimit?: bigint }[]): Hex {
  return encodeFunctionData({
    abi: solverVaultAbi,
    functionName: 'fulfillMany',
    args: [
      steps.map(({ to, data, gasLimit = 500_000n }) => ({ to, gasLimit, arguments: `0x${data.slice(10)}` as const })),
    ],
  })
}

/** What the vault logs of a bundle's steps without effect. */
export const failedTopic = toEventSelector('StepFailed(uint256,bytes)')
export const skippedTopic = toEventSelector('StepSkipped(uint256)')
/** How the vault calls itself for a step in which it pays. */
export const fulfillStepSelector = toFunctionSelector(
  solverVaultAbi.find((item) => item.type === 'function' && item.name === 'fulfillStep')!,
)
