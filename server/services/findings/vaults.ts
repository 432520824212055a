import { getAddress } from 'viem'
import type { OpenExposure } from '../../store/money/exposures.js'
import type { ChainState, Finding, UnconfiguredCredit } from './chainState.js'

/** A daily cap is low when less than a tenth of it is left. */
const lowOutflow = 10n

export function openExposures({ config }: ChainState, exposures: OpenExposure[]): Finding[] {
  return exposures
    .filter((exposure) => exposure.chainId === config.chainId)
    .map(({ id, kind, chainId, transactionHash, amount, token }) => ({
      code: 'exposure_open',
      chainId,
      message:
        kind === 'credit'
          ? `The payment ${transactionHash} is gone from the chain, and ${amount} of ${getAddress(token)} (in its smallest unit) was paid out on it.`
          : `${transactionHash} paid ${amount} of ${getAddress(token)} (in its smallest unit) after the credit for it had been given back.`,
      remedy: `${kind === 'credit' ? goneCredit : paidWithoutCredit}, then: npm run operate -- exposure settle ${id}`,
    }))
}

const goneCredit =
  'Raise the chain’s confirmations. The payment makes it good by itself where it comes again, and so does another one that the user registers for the same step. Settled, none of them does: so settle it only once no step of its action waits for a payment any more, and agree with the user who bears it'
const paidWithoutCredit =
  'The user has had this without credit for it. Agree with him who bears it (or, where his client has posted the action again, take an acknowledged payout back by payout forget)'

export function pausedVault({ config, limits }: ChainState): Finding[] {
  if (!limits?.isPaused) return []
  return [
    {
      code: 'vault_paused',
      chainId: config.chainId,
      message: `The vault ${getAddress(config.vault)} is paused, so it pays nothing.`,
      remedy:
        'Let the vault’s owner call setPaused(false) once it is safe. Steps that it is to pay for fail meanwhile.',
    },
  ]
}

export function lowInventory({ config, inventory }: ChainState): Finding[] {
  return (inventory ?? [])
    .filter(({ amount, minInventory }) => amount < minInventory)
    .map(({ id, amount, minInventory }) => ({
      code: 'vault_empty',
      chainId: config.chainId,
      message: `The vault holds ${amount} of ${id} in its smallest unit; it should hold ${minInventory} at least.`,
      remedy: `Send ${id} to the vault ${getAddress(config.vault)} from its owner, or who is in inventoryFrom. Steps that need it end as solver_liquidity and can be asked for again.`,
    }))
}

export function lowOutflowCaps({ config, head, limits }: ChainState): Finding[] {
  if (head === null || limits === null) return []
  const today = Number(head.timestamp / 86_400n)
  return config.tokens.flatMap(({ id, address }, index): Finding[] => {
    const { cap, spent, day } = limits.outflows[index]!
    const left = day === today ? cap - spent : cap
    if (cap === 0n || left * lowOutflow >= cap) return []
    return [
      {
        code: 'outflow_cap_low',
        chainId: config.chainId,
        message: `The vault pays ${left > 0n ? left : 0n} of ${id} more today, in its smallest unit; its cap is ${cap} per day (UTC).`,
        remedy: `If that is what users have asked for, raise outflowCapPerDay of ${id} (${getAddress(address)}) in the chains file and run npm run deploy, which sends setOutflowCap or prints it for the vault’s owner. Payouts above it fail until midnight UTC.`,
      },
    ]
  })
}

export function creditUnconfigured({ chainId, address, users, amount }: UnconfiguredCredit): Finding {
  const token = `the token ${getAddress(address)} of chain ${chainId}`
  return {
    code: 'credit_unconfigured',
    chainId,
    message: `${users} users have a credit of ${amount} in ${token} (in its smallest unit), which is configured no more: nothing can be paid from it.`,
    remedy: 'Put the token back into the chains file, so that they can have it paid out, or settle it with them.',
  }
}
