import { type Address, concat, type Hex, keccak256, numberToHex, pad, size, stringToHex } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import type { ChainBatch } from '../../sdk/src/signing.js'

/** anvil's account 5; its key is public. */
export const account = privateKeyToAccount('0x8b3a350cf5c34c9194ca85829a2df0ec3153be0318b5e2d3348e872092edffba')
export const vault: Address = '0x00000000000000000000000000000000000000aa'
export const token: Address = '0x00000000000000000000000000000000000000bb'
export const friend: Address = '0x00000000000000000000000000000000000000cc'
const zero: Address = '0x0000000000000000000000000000000000000000'

/** Two batches: odd data lengths, two calls, no calls, transfers from the user and from the solver. */
export const batches = [
  {
    chainId: 31337,
    tokenTransfers: [{ from: account.address, to: vault, token, amount: 25_000_000n }],
    calls: [
      { to: token, value: 0n, data: '0xa9059cbb0102030405' },
      { to: vault, value: 7n, data: '0x' },
    ],
  },
  {
    chainId: 31338,
    tokenTransfers: [
      { from: 'solver', to: friend, token, amount: 2n ** 256n - 1n },
      { from: 'solver', to: account.address, token: zero, amount: 1n },
    ],
    calls: [],
  },
] as const satisfies ChainBatch[]
export const window = { nbf: 1_700_000_000, exp: 1_900_000_000 }

/** By hand, from the ABI and EIP-712 specifications: words, and keccak256. */
const word = (value: bigint | number | Hex) =>
  typeof value === 'string' ? pad(value, { size: 32 }) : numberToHex(value, { size: 32 })
export const words = (...values: (bigint | number | Hex)[]) => concat(values.map(word))
const bytesTail = (data: Hex) => {
  const padded = Math.ceil(size(data) / 32) * 32
  return concat([word(size(data)), padded > 0 ? pad(data, { dir: 'right', size: padded }) : '0x'])
}

export function abiOfBatch(chainId: number, calls: readonly { to: Address; value: bigint; data: Hex }[]): Hex {
  const tuples = calls.map((call) => concat([words(call.to, call.value, 0x60), bytesTail(call.data)]))
  const offsets: Hex[] = []
  let offset = calls.length * 32
  for (const tuple of tuples) {
    offsets.push(word(offset))
    offset += size(tuple)
  }
  return concat([words(chainId, 0x40, calls.length), ...offsets, ...tuples])
}

export function abiOfDigest(signatureType: string, nbf: number, exp: number, hashes: readonly Hex[]): Hex {
  const head = words(0x80, nbf, exp, 0xc0)
  const text = concat([word(signatureType.length), pad(stringToHex(signatureType), { dir: 'right', size: 32 })])
  return concat([head, text, word(hashes.length), ...hashes])
}

export const typeHash = (type: string) => keccak256(stringToHex(type))
const callType = 'Call(address to,uint256 value,bytes data)'
const transferType = 'TokenTransfer(address from,address to,address token,uint256 amount)'
const batchType = `ChainBatch(uint256 chainId,TokenTransfer[] tokenTransfers,Call[] calls)`

export function transfersByHand(transfers: (typeof batches)[number]['tokenTransfers']): Hex {
  return keccak256(
    concat(
      transfers.map(({ from, to, token: ofToken, amount }) =>
        keccak256(words(typeHash(transferType), from === 'solver' ? zero : from, to, ofToken, amount)),
      ),
    ),
  )
}

export function structByHand(batch: (typeof batches)[number]): Hex {
  const calls = batch.calls.map(({ to, value, data }) =>
    keccak256(words(typeHash(callType), to, value, keccak256(data))),
  )
  return keccak256(
    words(
      typeHash(batchType + callType + transferType),
      batch.chainId,
      transfersByHand(batch.tokenTransfers),
      keccak256(concat(['0x', ...calls])),
    ),
  )
}

export const domainByHand = keccak256(
  words(
    typeHash('EIP712Domain(string name,string version)'),
    keccak256(stringToHex('CrossChainIntents')),
    keccak256(stringToHex('1')),
  ),
)

export function eip712ByHand(): Hex {
  // The types that the primary type refers to follow it in alphabetical order.
  const intentType = `Intent(uint256 nbf,uint256 exp,ChainBatch[] chainBatches)${callType}${batchType}${transferType}`
  const struct = keccak256(
    words(typeHash(intentType), window.nbf, window.exp, keccak256(concat(batches.map((batch) => structByHand(batch))))),
  )
  return keccak256(concat(['0x1901', domainByHand, struct]))
}
