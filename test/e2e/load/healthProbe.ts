import { keepDoing } from '../../support/pause.js'

/**
 * A process that asks for GET /health of the service at URL, again and again, and says what it saw once it is told to
 * end. By itself: what the load keeps waiting in its own process would look as if the service did.
 */
export type Seen = { status: number; ms: number; trouble?: string }

const seen: Seen[] = []

const asking = keepDoing(
  async () => {
    const startedAt = performance.now()
    const response = await fetch(`${process.env.URL}/health`)
    const { error } = (await response.json()) as { error: { message: string } | null }
    seen.push({ status: response.status, ms: performance.now() - startedAt, ...(error && { trouble: error.message }) })
  },
  () => 100,
)

process.once('message', () => void asking.stop().then(() => process.send!(seen, () => process.disconnect())))
