import { createApi } from './api.js'
import { startTestService, type TestService } from './service.js'

/** A service for all tests of a `describe`, there from its `before` on, and its API. */
export function useTestService(env: Record<string, string> = {}) {
  let started: TestService

  before(async () => {
    started = await startTestService(env)
  })
  after(() => started?.stop())

  const service: Omit<TestService, 'stop'> = {
    get url() {
      return started.url
    },
    get chains() {
      return started.chains
    },
    get database() {
      return started.database
    },
  }
  return { service, api: createApi(() => started.url) }
}
