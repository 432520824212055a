/**
 * Where a request belongs in the traces of whoever called (W3C Trace Context, https://www.w3.org/TR/trace-context/).
 */
type Trace = {
  /** 32 lower case hex digits, not all 0. */
  traceId: string
  /** 16 lower case hex digits, not all 0: the caller's span in what came, our request's in what goes on. */
  spanId: string
  /** Whether whoever called may have recorded the trace. */
  isSampled: boolean
}

const form = /^([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(-.*)?$/
const sampled = 0x01

/** Reads a `traceparent` as strictly as section 3.2 has it. Null: it is malformed, so that a new trace begins. */
export function parseTraceparent(text: string): Trace | null {
  const [, version, traceId = '', spanId = '', flags = '', more] = form.exec(text) ?? []
  if (version === undefined || version === 'ff') return null
  // Later versions may say more behind what all of them begin with; this one may not.
  if (version === '00' && more !== undefined) return null
  if (/^0+$/.test(traceId) || /^0+$/.test(spanId)) return null
  return { traceId, spanId, isSampled: (Number.parseInt(flags, 16) & sampled) !== 0 }
}

/** In the version that we know: 55 characters. Flags that we don't know are not passed on. */
export function formatTraceparent({ traceId, spanId, isSampled }: Trace): string {
  return `00-${traceId}-${spanId}-${isSampled ? '01' : '00'}`
}

/** What log lines name a trace by. Nothing where none is known. */
export function traceFields(traceparent: string | null): { traceId?: string; spanId?: string } {
  const trace = traceparent === null ? null : parseTraceparent(traceparent)
  return trace ? { traceId: trace.traceId, spanId: trace.spanId } : {}
}
