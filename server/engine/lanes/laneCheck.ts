import type { Address } from 'viem'
import { elapsedMs } from '../../domain/elapsed.js'
import type { Chain } from '../../chain/chain.js'
import type { Unopened } from '../../domain/toldNonce.js'
import { createDriftCheck } from './drift.js'
import { openLanes } from './openLanes.js'
import { checkOperators } from './operators.js'
import type { EngineTools } from '../tools.js'

/** How often the lanes are checked: after so many looks at the chain's head, and at least every half minute. */
const checkEveryPolls = 30
const checkAtLeastMs = 30_000
/** How long at most until lanes that could not be opened are tried again; the first times come sooner. */
const openAgainMs = 5_000

/**
 * Opens the lanes of a chain, and checks them when the process starts, before anything is signed, and now and then: who
 * may pay, as the vault has it (`operators.ts`), and whether their nonces are those of the chain (`drift.ts`).
 */
export function createLaneCheck(chain: Chain, tools: EngineTools) {
  const { chainId } = chain.config
  let hasBegun = false
  let isOpen = false
  let isChecked = false
  /** Keys whose lanes are not open yet, as the log has been told. */
  let waiting: ReadonlyMap<Address, Unopened> = new Map()
  let triedAt = -Infinity
  let againMs = chain.config.pollIntervalMs
  let opening: Promise<void> | null = null
  let checkedAt = -Infinity
  const drift = createDriftCheck(chain, tools)

  return {
    /**
     * A key that the journal does not know yet gets a lane that begins at the chain's nonce, once enough nodes tell it.
     * The first attempt is waited for; what it leaves unopened is tried again now and then, beside all else.
     */
    async open(): Promise<void> {
      if (hasBegun) return tryAgain()
      await tools.store.noteEmptyLedger([...tools.chains.keys()], tools.now())
      await openAll()
      await checkNow()
      hasBegun = true
    },

    async check(): Promise<void> {
      const everyMs = Math.min(checkEveryPolls * chain.config.pollIntervalMs, checkAtLeastMs)
      if (!isChecked || elapsedMs(checkedAt, tools.now()) >= everyMs) await checkNow()
    },

    async stop(): Promise<void> {
      await Promise.all([opening, drift.stop()])
    },
  }

  function tryAgain(): void {
    if (isOpen || opening || elapsedMs(triedAt, tools.now()) < againMs) return
    opening = openAll()
      .catch((error: unknown) => tools.log.warn({ err: error, chainId }, 'lanes could not be opened'))
      .finally(() => (opening = null))
  }

  async function openAll(): Promise<void> {
    triedAt = tools.now()
    againMs = Math.min(againMs * 2, openAgainMs)
    const unopened = await openLanes(chain, tools)
    sayUnopened(unopened)
    if (unopened.size !== waiting.size) isChecked = false
    waiting = unopened
    tools.unopenedLanes.set(chainId, unopened)
    if (unopened.size > 0) return
    await tools.store.noteLanesOpen(chainId)
    isOpen = true
  }

  async function checkNow(): Promise<void> {
    const wasChecked = isChecked
    // Set before the check and not after it: a lane that is opened meanwhile is to be checked as well.
    isChecked = true
    try {
      checkedAt = tools.now()
      await checkOperators(chain, tools)
      await drift.check()
    } catch (error) {
      isChecked &&= wasChecked
      throw error
    }
    if (wasChecked) return
    // While no lane is open nothing is signed, and credit waits for what the chain may yet tell of the lanes.
    if (waiting.size === 0 || waiting.size < tools.signers.size) tools.lanesChecked.add(chainId)
    tools.wake()
  }

  function sayUnopened(unopened: ReadonlyMap<Address, Unopened>): void {
    const { agreement } = chain.config
    for (const [signer, { why, nodes }] of unopened) {
      if (!waiting.has(signer)) tools.log.warn({ chainId, signer, agreement, nodes }, `lane not opened yet: ${why}`)
    }
  }
}
