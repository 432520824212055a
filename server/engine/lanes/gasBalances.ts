import type { Address } from 'viem'
import type { Chain } from '../../chain/chain.js'
import { elapsedMs } from '../../domain/elapsed.js'
import { settledOrAfter } from '../../concurrency/settledOrAfter.js'

/** How long a balance is believed. */
const refreshMs = 15_000
/** For how long a signer is passed over whom a node has refused for want of funds, unless he gets more before. */
const refusedMs = 30_000
/**
 * How long the first who ask wait for the first reading, before which nothing is known;
 * later readings keep nobody waiting.
 */
const firstMs = 500

/**
 * What one signer holds on one chain. `balance`, in wei: null until it is read; that of a
 * refusal is the lowest known since.
 */
type Funds = { balance: bigint | null; refused: { at: number; balance: bigint | null } | null }

const unknown: Funds = { balance: null, refused: null }

/**
 * What the signers of each chain hold for gas, so that steps go to those who can pay for them. It is read now and then,
 * and not for each step: what a step costs shows in the next reading, or by a node that refuses it.
 */
export function createGasBalances({ signers, now }: { signers: ReadonlyMap<Address, unknown>; now: () => number }) {
  const chains = new Map<number, { readAt: number; reading: Promise<void> | null; bySigner: Map<Address, Funds> }>()

  return {
    /** Those that can pay so much, in wei; all of them where none can. */
    async thatCanPay<Lane extends { signer: Address }>(chain: Chain, lanes: Lane[], cost: bigint): Promise<Lane[]> {
      if (lanes.length < 2) return lanes
      const known = knownOf(chain)
      if (elapsedMs(known.readAt, now()) >= refreshMs) void read(chain)
      if (known.bySigner.size === 0 && known.reading) await settledOrAfter(known.reading, firstMs)
      const able = lanes.filter(({ signer }) => {
        const { balance, refused } = known.bySigner.get(signer) ?? unknown
        return (balance === null || balance >= cost) && (refused === null || elapsedMs(refused.at, now()) >= refusedMs)
      })
      return able.length > 0 ? able : lanes
    },

    /** A node has said that the signer can't pay. */
    refused(chain: Chain, signer: Address): void {
      const known = knownOf(chain)
      const { balance } = known.bySigner.get(signer) ?? unknown
      known.bySigner.set(signer, { balance, refused: { at: now(), balance } })
      void read(chain)
    },
  }

  function knownOf({ config }: Chain) {
    const before = chains.get(config.chainId)
    if (before) return before
    const known = { readAt: -Infinity, reading: null, bySigner: new Map<Address, Funds>() }
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
          const { refused } = known.bySigner.get(signer) ?? unknown
          known.bySigner.set(signer, { balance, refused: refused && stillRefused(refused, balance) })
        }
      })
      // What was known before is as good as any guess; after `refreshMs` it is asked again.
      .catch(() => undefined)
      .finally(() => (known.reading = null))
    return known.reading
  }
}

/**
 * A signer has got more only if he has more than he was refused with. One who spends meanwhile
 * is measured by what he has left.
 */
function stillRefused({ at, balance: before }: NonNullable<Funds['refused']>, balance: bigint): Funds['refused'] {
  if (before !== null && balance > before) return null
  return { at, balance }
}

export type GasBalances = ReturnType<typeof createGasBalances>
