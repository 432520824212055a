import { connect } from 'node:net'
import { expect } from 'chai'
import { createAjv } from '../../server/api/ajv.js'
import { forValidation, loadSpec } from '../../server/api/spec.js'

export type WireAnswer = { status: number; headers: Record<string, string>; body: string }

/** What came back on a connection until it was closed, or until enough answers were there. */
export type Exchange = { answers: WireAnswer[]; isClosed: boolean; ms: number }

export type Chunk = string | Uint8Array

type Options = {
  /** As many answers end the exchange; else it goes on until the connection is closed. */
  answers?: number
  /** A hang: longer than anything here may take. */
  withinMs?: number
  /**
   * Says so long after the last byte that nothing more comes, and still listens. What is unanswered by then is cut off.
   */
  halfCloseAfterMs?: number
  /** Goes on sending, with pauses, for as long as it is let, or once only. */
  drip?: { bytes: string; everyMs: number; once?: boolean }
  /** Does not read what comes. */
  deaf?: boolean
  /** The address that it comes from; of those of this machine. */
  from?: string
  /** Is gone so long after the last byte was sent, whatever has come. */
  hangUpAfterMs?: number
}

/** Sends bytes as they are over a connection of its own. Fails when it is neither answered nor closed in time. */
export function exchange(url: string, bytes: Chunk, options: Options = {}): Promise<Exchange> {
  const { hostname, port } = new URL(url)
  const startedAt = performance.now()
  return new Promise((resolve, reject) => {
    const received: Buffer[] = []
    const socket = connect({ host: hostname, port: Number(port), allowHalfOpen: true, localAddress: options.from })
    let sent = 0
    const drop = ({ bytes, once = false }: NonNullable<Options['drip']>) => {
      if (!once || sent < bytes.length) socket.write(bytes[sent++ % bytes.length]!)
    }
    const dripping = options.drip && setInterval(drop, options.drip.everyMs, options.drip)
    const hang = setTimeout(() => {
      finish(false)
      reject(new Error(`No end after ${options.withinMs ?? 10_000} ms; came: ${text().slice(0, 500)}`))
    }, options.withinMs ?? 10_000)
    const text = () => Buffer.concat(received).toString('latin1')
    const finish = (isClosed: boolean) => {
      clearTimeout(hang)
      clearInterval(dripping)
      socket.destroy()
      resolve({ answers: readAnswers(text()), isClosed, ms: performance.now() - startedAt })
    }
    socket.on('error', () => undefined)
    socket.on('end', () => finish(true))
    socket.on('close', () => finish(true))
    if (options.deaf) socket.pause()
    else {
      socket.on('data', (data) => {
        received.push(data)
        if (options.answers !== undefined && readAnswers(text()).length >= options.answers) finish(false)
      })
    }
    socket.write(bytes, () => {
      if (options.hangUpAfterMs !== undefined) setTimeout(() => finish(false), options.hangUpAfterMs)
      if (options.halfCloseAfterMs !== undefined) setTimeout(() => socket.end(), options.halfCloseAfterMs)
    })
  })
}

/** The answers that are there in full. */
function readAnswers(text: string): WireAnswer[] {
  const answers: WireAnswer[] = []
  let rest = text
  for (;;) {
    const end = rest.indexOf('\r\n\r\n')
    if (end < 0) return answers
    const [first = '', ...lines] = rest.slice(0, end).split('\r\n')
    const headers = Object.fromEntries(
      lines.map((line) => [line.split(':')[0]!.toLowerCase(), line.slice(line.indexOf(':') + 2)]),
    )
    const status = Number(first.split(' ')[1])
    const length = Number(headers['content-length'] ?? 0)
    if (rest.length < end + 4 + length) return answers
    const body = Buffer.from(rest.slice(end + 4, end + 4 + length), 'latin1').toString()
    answers.push({ status, headers, body })
    rest = rest.slice(end + 4 + length)
  }
}

/** The head of a POST with this body; a header given as null is left out. */
export function post(path: string, body: Chunk, headers: Record<string, string | null> = {}): Buffer {
  const all: Record<string, string | null> = {
    Host: 'localhost',
    Connection: 'close',
    'Content-Type': 'application/json',
    'Content-Length': String(Buffer.byteLength(body)),
    ...headers,
  }
  const lines = Object.entries(all).flatMap(([name, value]) => (value === null ? [] : `${name}: ${value}`))
  return Buffer.concat([
    Buffer.from(`POST ${path} HTTP/1.1\r\n${lines.join('\r\n')}\r\n\r\n`, 'latin1'),
    Buffer.from(body),
  ])
}

export function get(path: string, headers = ''): Buffer {
  return Buffer.from(`GET ${path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n${headers}\r\n`, 'latin1')
}

const document = forValidation((await loadSpec()).document) as {
  components: { schemas: Record<'ErrorBody' | 'ActionErrorBody', object> }
}
const ajv = createAjv()
const fitsError = ajv.compile(document.components.schemas.ErrorBody)
const fitsActionError = ajv.compile(document.components.schemas.ActionErrorBody)

/** Clear refusals in the spec's bodies, or a connection that was closed without a word. */
export function expectRefused({ answers, isClosed }: Exchange, what: string, statuses?: number[]): void {
  if (answers.length === 0) expect(isClosed, `${what}: neither answered nor closed`).to.equal(true)
  for (const { status, body } of answers) {
    expect(status, `${what}: ${body}`).to.be.within(400, 499)
    if (statuses) expect(status, `${what}: ${body}`).to.be.oneOf(statuses)
    const parsed: unknown = JSON.parse(body)
    expect(fitsError(parsed) || fitsActionError(parsed), `${what}: ${body}`).to.equal(true)
  }
}
