import type { Address, Hex } from 'viem'
import type { Rpc } from './nodes/rpc.js'
import { call, readHex, resultOf } from './nodes/rpcFormat.js'

/** The code of contracts that never change, asked for once each. */
export function createContractCodes(rpc: Rpc) {
  const codes = new Map<Address, Hex>()

  return async function codeOf(contract: Address): Promise<Hex> {
    const known = codes.get(contract)
    if (known) return known
    const code = await rpc.read([call('eth_getCode', contract, 'latest')], ([answer]) => {
      const told = readHex(resultOf(answer))
      // A node that is still syncing has no code of any contract.
      if (told === '0x') throw new Error('the node has no code of a contract that is there')
      return told
    })
    codes.set(contract, code)
    return code
  }
}
