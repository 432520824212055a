import type { Logger } from 'pino'
import { boundGarbage } from './process/boundGarbage.js'
import { type Service, startService } from './compose.js'
import { loadConfig } from './config/config.js'
import { createLogger, endProcess, hideSecrets } from './process/logging.js'
import { releaseMemory } from './process/releaseMemory.js'

boundGarbage()
const loaded = loadConfig(process.env)
if (!loaded.ok) {
  process.stderr.write(`The configuration has problems; nothing was started.\n`)
  for (const problem of loaded.problems) process.stderr.write(`  ${problem}\n`)
  process.exit(1)
}
const { config } = loaded
const log = createLogger(config)
const hide = hideSecrets(config)

/** The reason of a start that a signal has cut short. */
class Stopped extends Error {}

// Node itself would print the error with all its properties, such as an SQL statement with its values.
process.on('uncaughtException', (error) => {
  log.fatal({ err: error }, 'stopped by an error that nobody has caught')
  void endProcess(1)
})

try {
  const stopping = new AbortController()
  const starting = startService(config, log, { signal: stopping.signal })
  const stop = (signal: string) => {
    // Whoever sends a second signal wants the process to end at once.
    if (stopping.signal.aborted) return void endProcess(1)
    log.info({ signal }, 'stopping')
    stopping.abort(new Stopped())
    const stopped = starting.then((service) => service.stop())
    stopped.then(
      () => endProcess(0),
      (error: unknown) => {
        if (error instanceof Stopped) return endProcess(0)
        log.error({ err: error }, 'could not stop in order')
        return endProcess(1)
      },
    )
  }
  // Heard from the first moment on: a start that is cut off would leave the embedded chains that it has begun to make.
  process.on('SIGTERM', stop)
  process.on('SIGINT', stop)
  // Heard before there is a service to drain, too: Node would end the process at once on a SIGUSR2 that
  // nobody listens for. It is for exactly one process: it toggles what all replicas share, and sent to
  // two of them it would undo itself.
  process.on('SIGUSR2', () => {
    toggleDraining(starting, log).catch((error: unknown) =>
      log.error({ err: error }, 'drain mode could not be changed'),
    )
  })
  const service = await starting
  // This takes a moment in which the service works already, and hears all signals.
  await releaseMemory()
  if (!stopping.signal.aborted) announce(service)
} catch (error) {
  if (error instanceof Stopped) await endProcess(0)
  const reason = error instanceof Error ? error.message : String(error)
  process.stderr.write(`The service could not start: ${hide(reason)}\n`)
  await endProcess(1)
}

async function toggleDraining(starting: Promise<Service>, log: Logger): Promise<void> {
  const service = await starting
  const draining = !(await service.isDraining())
  await service.setDraining(draining)
  log.warn({ draining }, draining ? 'draining: nothing new is accepted' : 'accepting again')
}

function announce(service: Service): void {
  const lines = service.url
    ? [
        `API    ${service.url}`,
        `docs   ${service.url}/docs`,
        `look   ${service.url}/explorer`,
        `health ${service.url}/health`,
      ]
    : ['engine only, no API']
  for (const chain of service.chains) {
    lines.push(`chain  ${chain.chainId} ${chain.name}${chain.publicRpcUrl ? ` at ${chain.publicRpcUrl}` : ''}`)
  }
  process.stdout.write(`${lines.join('\n')}\n`)
}
