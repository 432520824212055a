import { createAccounts } from './steps/accounts.js'
import { type BundleSettings, createBundles } from './steps/bundles.js'
import { grouped } from '../concurrency/grouped.js'
import { createKeyedMutex } from '../concurrency/keyedMutex.js'
import { settledOrAfter } from '../concurrency/settledOrAfter.js'
import { createUpkeep } from './upkeep.js'
import type { EngineGiven, EngineTools, QueueName } from './tools.js'
import { createChainWatcher } from './receipts/watchChain.js'
import { airdropQueue } from './airdropQueue.js'
import { depositQueue } from './depositQueue.js'
import { createSeldomLog } from './seldomLog.js'
import { createLanesChecked } from './lanes/lanesChecked.js'
import { createGasBalances } from './lanes/gasBalances.js'
import { createSendWindow } from './lanes/sendWindow.js'
import { createUnknownTransactions } from './outcomes/unknownTransactions.js'
import { createLateSimulations } from './steps/lateSimulations.js'
import { stepQueue } from './steps/stepQueue.js'
import { createTips } from './lanes/tips.js'
import { createWorker } from './worker.js'

/**
 * How long a visit waits for its turn at a lane. With the signature that follows, that is less than the lease of a
 * step.
 */
const turnMs = 4_000

/** How many accounts are taken in one transaction, so that none of their rows is locked for long. */
const mostAccounts = 32

/** Carries out what the store says was asked for: a worker for each kind of row, a watcher for each chain. */
export function createEngine(given: EngineGiven, bundling: BundleSettings) {
  const tools: EngineTools = {
    ...given,
    heads: new Map(),
    refusedOperators: new Map(),
    lanesChecked: createLanesChecked(),
    bundles: createBundles(bundling, () => tools),
    accounts: createAccounts({
      take: grouped(given.store.takeAccounts, mostAccounts),
      giveBack: given.store.giveAccountBack,
      async hurry(ref) {
        const isThere = await given.store.hurryStep(ref)
        if (isThere) workers.steps.wake()
        return isThere
      },
      // A clock that is never set back: by one that is, a step that is late would not count as late until it has caught
      // up.
      now: () => performance.now(),
    }),
    lateSimulations: createLateSimulations(),
    unknownTransactions: createUnknownTransactions(() => performance.now()),
    tellSeldom: createSeldomLog(given),
    laneMutex: createKeyedMutex(turnMs),
    sendWindow: createSendWindow(given.store.unminedNonces),
    tips: createTips(given.now),
    gasBalances: createGasBalances(given),
    wake: (kind) => (kind ? [workers[kind]] : Object.values(workers)).forEach((worker) => worker.wake()),
    look: (chainId, sent) => watchers.get(chainId)?.look(sent),
  }
  const workers = {
    steps: createWorker(stepQueue(tools), tools.log),
    deposits: createWorker(depositQueue(tools), tools.log),
    airdrops: createWorker(airdropQueue(tools), tools.log),
  }
  const watchers = new Map([...tools.chains].map(([chainId, chain]) => [chainId, createChainWatcher(chain, tools)]))

  const upkeep = createUpkeep(tools)

  return {
    start(): void {
      upkeep.start()
      for (const watcher of watchers.values()) watcher.start()
      for (const worker of Object.values(workers)) worker.start()
    },
    /** Has a kind of row looked at at once. */
    wake: (kind: QueueName) => workers[kind].wake(),
    /** Room for a step that is about to be asked for, so that nobody has to find it. Null: there is no room here. */
    takeSeat: workers.steps.takeSeat,
    /**
     * Whether other steps wait here for the account of a step that is about to be asked for, and that must not pass
     * them by.
     */
    isAccountAwaited: tools.accounts.isAwaited,
    /**
     * Takes up nothing new and returns when the work under way has come to a safe point, or after so long: a node may
     * take longer than anyone waits for the end of a process, and work that is cut off is found again, as after
     * SIGKILL.
     */
    async stop(withinMs: number): Promise<void> {
      const stopped = Object.values(workers).map((worker) => worker.stop())
      tools.bundles.stop()
      const watched = [...watchers.values()].map((watcher) => watcher.stop())
      await settledOrAfter(Promise.all([upkeep.stop(), ...stopped, ...watched]), withinMs)
    },
  }
}
