import type { Address } from 'viem'
import type { Chain } from '../../chain/chain.js'
import { elapsedMs } from '../../domain/elapsed.js'
import { settledOrAfter } from '../../concurrency/settledOrAfter.js'

/** How long a balance is believed. */
const refreshMs = 15_000
/** Whom a node has refused for want of funds is passed over for as long, unless he gets more before. */
const refusedMs = 30_000
/** The first time nothing is known yet, and all wait for it; later it is read beside. */
const firstMs = 500

/** A balance is null until it is read; of a refusal it is the lowest one known since. */
type Purse = { balance: bigint | null; refused: { at: number; balance: bigint | null } | null }

const unknown: Purse = { balance: null, refused: null }

/**
 * What the signers of each chain hold for gas, so that steps go to those who can pay for them. It is read now and then,
 * and not for each step: what a step costs shows in the next reading, or by a node that refuses it.
 */
export function createPurses({ signers, now }: { signers: ReadonlyMap<Address, unknown>; now: () => number }) {
  const chains = new Map<number, { readAt: number; reading: Promise<void> | null; purses: Map<Address, Purse> }>()

  return {
    /** Those that can pay so much, in wei; all of them where none can. */
    async thatCanPay<Lane extends { signer: Address }>(chain: Chain, lanes: Lane[], cost: bigint): Promise<Lane[]> {
      if (lanes.length < 2) return lanes
      const known = knownOf(chain)
      if (elapsedMs(known.readAt, now()) >= refreshMs) void read(chain)
      if (known.purses.size === 0 && known.reading) await settledOrAfter(known.reading, firstMs)
      const able = lanes.filter(({ signer }) => {
        const { balance, refused } = known.purses.get(signer) ?? unknown
        return (balance === null || balance >= cost) && (refused === null || elapsedMs(refused.at, now()) >= refusedMs)
      })
      return able.length > 0 ? able : lanes
    },

    /** A node has said that the signer can't pay. */
    refused(chain: Chain, signer: Address): void {
      const known = knownOf(chain)
      const { balance } = known.purses.get(signer) ?? unknown
      known.purses.set(signer, { balance, refused: { at: now(), balance } })
      void read(chain)
    },
  }

  function knownOf({ config }: Chain) {
    const before = chains.get(config.chainId)
    if (before) return before
    const known = { readAt: -Infinity, reading: null, purses: new Map<Address, Purse>() }
    chains.set(config.chainId, known)
    return known
  }

  function read(chain: Chain): Promise<void> {
    const known = knownOf(chain)
    const asked = [...signers.keys()]
    known.readAt = now()
    known.reading ??= chain
      .accounts(asked, 'latest')
      .then((accounts) => {
        for (const [index, signer] of asked.entries()) {
          const { balance } = accounts[index]!
          const { refused } = known.purses.get(signer) ?? unknown
          known.purses.set(signer, { balance, refused: refused && stillRefused(refused, balance) })
        }
      })
      // What was known before is as good as any guess; the next step asks again.
      .catch(() => undefined)
      .finally(() => (known.reading = null))
    return known.reading
  }
}

/** He has got more only if he has more than he was refused with; whoever spends meanwhile is measured by what is left. */
function stillRefused({ at, balance: before }: NonNullable<Purse['refused']>, balance: bigint): Purse['refused'] {
  if (before !== null && balance > before) return null
  return { at, balance }
}

export type Purses = ReturnType<typeof createPurses>
