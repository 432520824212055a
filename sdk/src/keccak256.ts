import { concat, type Hex, keccak256 as keccak256ByViem, stringToHex } from 'viem'

/** keccak256 of bytes, or of those that a hex string stands for. */
export type Keccak256 = (value: Hex | Uint8Array) => Hex

let implementation: Keccak256 = keccak256ByViem

/** keccak256 as everything that is signed here uses it: viem's, unless the process has brought a faster one. */
export const keccak256: Keccak256 = (value) => implementation(value)

/** The same of bytes one after the other. */
export function hashAll(parts: readonly Hex[]): Hex {
  return keccak256(concat(parts))
}

/** The same of a text, as UTF-8. */
export function hashText(text: string): Hex {
  return keccak256(stringToHex(text))
}

/** Has the whole process hash by something else than viem; it has to give the same for all bytes and all hex. */
export function useKeccak256(faster: Keccak256): void {
  implementation = faster
}
