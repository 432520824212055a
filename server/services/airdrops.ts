import { type Address, zeroAddress } from 'viem'
import type { Airdrop } from '../domain/airdrop.js'
import { vaultsOf } from '../domain/chainConfig.js'
import { ServiceError } from '../domain/errors.js'
import { issueAt } from '../domain/issueAt.js'
import type { Settings } from '../domain/settings.js'
import { airdropTopic } from '../domain/topics.js'
import type { Store } from '../store/store.js'
import { awaitEnd } from './awaitEnd.js'
import type { NextChange } from './changes.js'
import { refuseIssue } from './refuseIssue.js'

/** How long a request is held open for its airdrop to be mined, unless its client says how long. */
const defaultWaitMs = 10_000

export type AirdropsService = ReturnType<typeof createAirdrops>

export function createAirdrops(deps: {
  store: Store
  settings: Settings
  wake: () => void
  nextChange: NextChange
  now: () => number
}) {
  const { store, settings } = deps

  return {
    /**
     * Gives a wallet test tokens, once per period. Answers with the status `executing` when that takes longer than the
     * request is held open: `waitMs`, null for the default.
     */
    async request(
      wanted: { chainId: number; tokenId: string; wallet: Address; amount: bigint | null },
      waitMs: number | null,
      signal: AbortSignal,
    ): Promise<Airdrop> {
      const { chain, token, terms } = findTerms(wanted.chainId, wanted.tokenId)
      const amount = wanted.amount ?? terms.amount
      if ([zeroAddress, ...vaultsOf(chain), ...chain.delegates].includes(wanted.wallet)) {
        const rule = 'may not be the vault, a delegate or the zero address'
        throw refuseIssue(issueAt('/wallet', rule, 'user_not_allowed'))
      }
      if (amount === 0n || amount > terms.amount) {
        const code = amount === 0n ? 'minimum' : 'maximum'
        throw refuseIssue(issueAt('/amount', `must be from 1 to ${terms.amount}`, code))
      }
      const key = { chainId: wanted.chainId, token: token.address, wallet: wanted.wallet }
      const now = deps.now()
      const asked = await store.requestAirdrop({ ...key, amount, periodMs: terms.periodSeconds * 1000 }, now)
      if (asked.outcome === 'cooldown') {
        const retryAfter = Math.ceil((asked.nextAt - now) / 1000)
        // It names the transaction, since the answer that told it may have been lost on its way.
        const message = `This wallet has had its airdrop, in transaction ${asked.transactionHash}; the next is due in ${retryAfter} seconds.`
        throw new ServiceError('airdrop_cooldown', message, { retryAfter })
      }
      deps.wake()
      const { round } = asked.airdrop
      const awaited = {
        first: asked.airdrop,
        hasEnded: ({ status }: Airdrop) => status !== 'executing',
        nextChange: (timeoutMs: number, until: AbortSignal) => deps.nextChange(airdropTopic(key), timeoutMs, until),
        // This round and not the newest one, which may have been asked for since.
        look: () => store.readAirdropRound({ ...key, round }),
      }
      const airdrop = await awaitEnd(awaited, { waitMs: waitMs ?? defaultWaitMs, signal, now: deps.now })
      if (airdrop.status !== 'error') return airdrop
      throw new ServiceError('airdrop_unavailable', `The airdrop could not be paid: ${airdrop.message}`)
    },
  }

  function findTerms(chainId: number, tokenId: string) {
    const chain = settings.chains.get(chainId)
    const wanted = tokenId.toLowerCase()
    const token = chain?.tokens.find((entry) => entry.id === wanted || entry.address === wanted)
    if (chain?.testnet && token?.airdrop) return { chain, token, terms: token.airdrop }
    const problem = chain
      ? `tokenId: there is no airdrop of this token on chain ${chainId}.`
      : `chainId: this service does not work on chain ${chainId}.`
    throw new ServiceError('airdrop_unavailable', problem)
  }
}
