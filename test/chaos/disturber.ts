import { keepDoing, pause } from '../support/pause.js'
import type { Random } from '../support/random.js'
import { killProcess, type ServiceProcess, startAgain, startProcess } from './processes.js'

/** What was done to the processes, for the timeline of a run that fails. */
export type Disturbance = { at: number; replica: number; what: 'SIGKILL' | 'SIGSTOP' }

/** Longer than MariaDB lets a transaction stand still, so that one which is thawed finds its own rolled back. */
const longMs = 12_000

export type Fleet = Awaited<ReturnType<typeof startFleet>>

/** Several processes of one service. One that was killed is started again. */
export async function startFleet(env: readonly Record<string, string>[]) {
  const slots: (ServiceProcess | null)[] = await Promise.all(env.map(startProcess))
  const disturbed = new Set<number>()
  const done: Disturbance[] = []

  return {
    done,
    /** How many are at work and left alone. */
    calm: (): number => slots.length - disturbed.size,
    /** Those that are there now; frozen ones among them, as a client can't tell. */
    urls: (): string[] => slots.flatMap((slot) => (slot ? [slot.url] : [])),
    outputs: (): string[] => slots.map((slot) => slot?.output() ?? ''),

    /** Kills a process at once or freezes it for a while. Resolves once it is at work again. */
    async disturb(random: Random): Promise<void> {
      const replica = random.pick(slots.flatMap((_, index) => (disturbed.has(index) ? [] : [index])))
      const what = random.chance(0.5) ? 'SIGKILL' : 'SIGSTOP'
      const frozenMs = random.chance(0.25) ? longMs : 200 + random.below(6_000)
      const slot = slots[replica]!
      done.push({ at: Date.now(), replica, what })
      disturbed.add(replica)
      if (what === 'SIGKILL') {
        slots[replica] = null
        await killProcess(slot)
        slots[replica] = await startAgain(env[replica]!)
      } else {
        slot.child.kill('SIGSTOP')
        await pause(frozenMs)
        slot.child.kill('SIGCONT')
      }
      disturbed.delete(replica)
    },

    async stop(): Promise<void> {
      await Promise.all(slots.map((slot) => slot && killProcess(slot)))
    },
  }
}

/**
 * Disturbs the fleet until told to stop, each time after `everyMs` on average, not waiting for one disturbance to be
 * over before the next. At least one process is left alone at any time.
 */
export function startDisturber(fleet: Fleet, random: Random, everyMs: number) {
  const underWay = new Set<Promise<void>>()
  const failures: unknown[] = []
  const loop = keepDoing(disturb, () => everyMs * (0.5 + random.next()))

  return {
    /** How many there have been. */
    count: () => fleet.done.length,
    async stop(): Promise<void> {
      await loop.stop()
      await Promise.all(underWay)
      if (failures.length > 0) throw failures[0]
    },
  }

  function disturb(): void {
    if (fleet.calm() < 2) return
    const disturbance = fleet.disturb(random).catch((error: unknown) => void failures.push(error))
    underWay.add(disturbance)
    void disturbance.finally(() => underWay.delete(disturbance))
  }
}
