/** The node gave no usable answer: it is away, broken, or of another chain. */
export class NodeFailure extends Error {
  override readonly name = 'NodeFailure'

  constructor(
    message: string,
    /** No connection was ever made, so that the node cannot have taken what it was to be sent. */
    readonly isUnreached = false,
    /** No answer came in time. */
    readonly isLate = false,
  ) {
    super(message)
  }
}

/** What gateways say for a node that has not answered in time. */
const lateStatuses: readonly number[] = [408, 504, 524]

/**
 * The failure of a node whose answer is none: by the answer's status, or where that is no refusal by what is wrong with
 * it.
 */
export function refusal(status: number, unreadable: string): NodeFailure {
  return isOk(status)
    ? new NodeFailure(unreadable)
    : new NodeFailure(`HTTP ${status}`, false, lateStatuses.includes(status))
}

/** The error's own text may hold the node's address, so it is told by its kind. */
export function transportFailure(error: unknown): NodeFailure {
  if (!(error instanceof Error)) return new NodeFailure('connection failed')
  if (error.name === 'TimeoutError') return new NodeFailure('timeout', false, true)
  const { code } = error as { code?: unknown }
  const text = typeof code === 'string' ? `connection failed, ${code}` : 'connection failed'
  return new NodeFailure(text, isNeverMade(error))
}

/**
 * Whether it is the connecting that failed: finding the address, or getting to it. A connection that breaks, or that is
 * silent, may have carried the request before. Of several addresses each has to have failed so.
 */
function isNeverMade(error: unknown): boolean {
  if (error instanceof AggregateError) return error.errors.length > 0 && error.errors.every(isNeverMade)
  const { code, syscall } = error as { code?: unknown; syscall?: unknown }
  return syscall === 'connect' || syscall === 'getaddrinfo' || code === 'UND_ERR_CONNECT_TIMEOUT'
}

function isOk(status: number): boolean {
  return status >= 200 && status < 300
}
