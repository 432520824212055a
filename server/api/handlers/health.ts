import { ServiceError } from '../../domain/errors.js'
import type { HealthReport, HealthService } from '../../services/health.js'
import type { Handlers } from '../handlerTypes.js'
import { presentHealth } from '../present.js'

const alive = { status: 200, body: { success: true, data: { status: 'ok' }, error: null } } as const

export function createHealthHandlers(
  health: HealthService,
): Pick<Handlers, 'getHealth' | 'getLiveness' | 'getReadiness'> {
  return {
    async getHealth({ requestId }) {
      const report = await health.report()
      const data = presentHealth(report)
      if (report.status !== 'down') return { status: 200, body: { success: true, data, error: null } }
      return {
        status: 503,
        headers: { 'Retry-After': '5' },
        body: { success: false, data, error: { message: whatIsDown(report), code: 'unavailable' }, requestId },
      }
    },

    getLiveness: async () => alive,

    async getReadiness({ signal }) {
      // The request's signal is aborted from the start once the server shuts down.
      if (signal.aborted) throw new ServiceError('unavailable', 'The service is shutting down')
      if (!(await health.isReady()))
        throw new ServiceError('unavailable', 'The database does not answer, or takes no writes')
      return alive
    },
  }
}

function whatIsDown({ database, chains }: HealthReport): string {
  const silent = chains.filter((chain) => chain.status === 'down').map((chain) => `chain ${chain.chainId}`)
  if (database === 'down') silent.unshift('the database')
  const parts = [
    ...(database === 'degraded' ? ['The database takes no writes.'] : []),
    ...(silent.length > 0 ? [`No answer from ${silent.join(', ')}.`] : []),
  ]
  return parts.join(' ')
}
