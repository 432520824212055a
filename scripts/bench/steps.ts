import type { ChainConfig } from '../../server/domain/chainConfig.js'
import type { Load } from './load.js'
import type { LoadGenerator } from './generateLoad.js'
import type { ServiceProcess } from './environment.js'
import { signBodies } from './signedBodies.js'

const connections = 50
const settleWithinMs = 600_000
const lookEachMs = 200
const heatingSteps = 3_000

/** Stores the actions and answers the paths of their first steps. */
export async function createActions(url: string, bodies: readonly string[]): Promise<string[]> {
  const paths: string[] = []
  for (let at = 0; at < bodies.length; at += connections) {
    const part = bodies.slice(at, at + connections).map(async (body) => {
      const response = await fetch(`${url}/actions`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body,
      })
      if (response.status !== 201) throw new Error(`POST /actions: ${response.status} ${await response.text()}`)
      const { actionId } = (await response.json()) as { actionId: string }
      return `/actions/${actionId}/intents/0/steps/0`
    })
    paths.push(...(await Promise.all(part)))
  }
  return paths
}

/** Stores actions of as many users with a step on the chain and answers the steps' paths. */
export async function createOn(chain: ChainConfig, actions: number, url: string): Promise<string[]> {
  const signed = await signBodies([chain], { bodies: actions, users: actions })
  return createActions(
    url,
    signed.map(({ body }) => body),
  )
}

/**
 * Has a service that was just started carry out steps, and tells how many: code just loaded is slow, and is
 * compiled for a second and more of both cores. On a chain that is not measured, since a chain is the slower the
 * more accounts and blocks it has.
 */
export async function heatUp(
  load: LoadGenerator,
  service: ServiceProcess,
  chain: ChainConfig,
  steps = heatingSteps,
): Promise<number> {
  const paths = await createOn(chain, steps, service.url)
  await askForSteps(load, service.url, paths)
  await untilSucceeded(service, paths.length)
  return paths.length
}

/** Asks for all steps at once, without waiting for them. */
export async function askForSteps(load: LoadGenerator, url: string, paths: readonly string[]): Promise<void> {
  const requests: Load['requests'] = paths.map((path) => ({ method: 'POST', path, headers: { prefer: 'wait=0' } }))
  await load.run({ url, connections: Math.min(connections, paths.length), requests, seconds: null })
}

/** Waits until this many steps have succeeded in all and tells when the last one did; any other end throws. */
export async function untilSucceeded(service: ServiceProcess, steps: number): Promise<number> {
  const deadline = Date.now() + settleWithinMs
  for (;;) {
    const { steps: ended, lastAt } = await service.settled()
    const { success = 0, ...others } = ended
    if (Object.keys(others).length > 0) throw new Error(`Steps have failed: ${JSON.stringify(others)}`)
    if (success >= steps) return lastAt
    if (Date.now() > deadline) throw new Error(`Only ${success} of ${steps} steps have succeeded`)
    await new Promise((resolve) => setTimeout(resolve, lookEachMs))
  }
}
