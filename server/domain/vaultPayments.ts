import type { Address } from 'viem'
import { type ChainBatch, nativeToken } from './action.js'
import { type ChainConfig, isVault } from './chainConfig.js'

/** transfer(address,uint256) of ERC-20: the selector and two words. */
const transferSelector = '0xa9059cbb'
const transferLength = 2 + 8 + 2 * 64

/** A payment to a vault that a batch states. `where`: its place in the batch, and the field that says the token. */
type VaultPayment = {
  token: Address
  where:
    { list: 'tokenTransfers'; index: number; field: 'token' } | { list: 'calls'; index: number; field: 'to' | 'value' }
}

/**
 * The user's transfers to a vault that a batch declares, and calls that plainly are one.
 * Other calls show only on chain.
 */
export function vaultPayments(batch: ChainBatch, chain: Pick<ChainConfig, 'vault' | 'formerVaults'>): VaultPayment[] {
  const declared = batch.tokenTransfers.flatMap(({ from, to, token }, index): VaultPayment[] =>
    from === 'solver' || !isVault(to, chain)
      ? []
      : [{ token, where: { list: 'tokenTransfers', index, field: 'token' } }],
  )
  const called = batch.calls.flatMap(({ to, value, data }, index): VaultPayment[] => {
    if (value > 0n && isVault(to, chain))
      return [{ token: nativeToken, where: { list: 'calls', index, field: 'value' } }]
    const isTransfer = data.startsWith(transferSelector) && data.length === transferLength
    if (!isTransfer || !isVault(`0x${data.slice(34, 74)}`, chain)) return []
    return [{ token: to, where: { list: 'calls', index, field: 'to' } }]
  })
  // A call that carries out a declared transfer is no second payment.
  return [...declared, ...called.filter(({ token }) => declared.every((payment) => payment.token !== token))]
}
