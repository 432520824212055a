import { setTimeout as pause } from 'node:timers/promises'
import { type DestinationStream, type Logger, pino } from 'pino'
import { decoded, longHex, secretsIn, shortenHex } from '../chain/nodes/redact.js'
import type { Config } from '../config/config.js'

/** How much of the log, in bytes, waits for whoever reads it; beyond that lines are lost. */
const mostUnread = 16 * 2 ** 20
/** For how long the end of the process waits for the last lines to be taken. */
const lastLinesMs = 1_000

let lostLines = 0
/** What has become of the lines that stdout was given last. */
let lastLines: 'written' | 'onTheirWay' | 'failed' = 'written'
/** Called once they are written or have failed. */
let whenSettled: (() => void) | null = null

/** How many lines of this process's log were lost since nobody took them. */
export const lostLogLines = (): number => lostLines

type Secretive = Pick<Config, 'database' | 'deployment'>

/**
 * The service's log: JSON lines on stdout. Code that logs leaves secrets out, but an error of any library may carry
 * one: so every line is searched for them here, and they are taken out.
 */
export function createLogger(
  config: Pick<Config, 'logLevel'> & Partial<Secretive>,
  output: DestinationStream = openStdout(),
): Logger {
  const hide = createHider(config)
  const streamWrite = (line: string): string =>
    hide.finds(line) ? `${JSON.stringify(mapTexts(JSON.parse(line), hide.text))}\n` : line
  const serializers = { err: describeError }
  const timestamp = pino.stdTimeFunctions.isoTime
  return pino({ level: config.logLevel, base: null, timestamp, serializers, hooks: { streamWrite } }, output)
}

/**
 * Ends the process once its log is written, or after a moment where nobody takes it. A write that its reader never
 * takes keeps a thread for ever, and Node's own end waits for that: then only a kill ends the process.
 */
export async function endProcess(code: number): Promise<void> {
  const settled = new Promise<void>((resolve) => (whenSettled = resolve))
  if (lastLines === 'onTheirWay') await Promise.race([settled, pause(lastLinesMs)])
  if (lastLines === 'onTheirWay') process.kill(process.pid, 'SIGKILL')
  process.exit(code)
}

/**
 * Stdout for the log. Lines that come while others are being written go out together; a write for each
 * would slow every request. Where its reader stands still or its disk is full, lines wait for a while and
 * are then lost: the service goes on.
 */
function openStdout(): DestinationStream {
  const stdout = pino.destination({ dest: 1, sync: false, maxLength: mostUnread })
  const settle = (as: typeof lastLines) => {
    lastLines = as
    whenSettled?.()
  }
  stdout.on('drop', () => {
    lostLines++
    // Where there is no room for a line, none is tried again with it.
    stdout.write('')
  })
  stdout.on('drain', () => settle('written'))
  // Without a listener Node would end the process. What could not be written is tried again with the next line.
  stdout.on('error', () => settle('failed'))
  // Called after a fatal line and at the end of the process, it would wait for the reader or the disk without a bound.
  stdout.flushSync = () => undefined
  const write = stdout.write.bind(stdout)
  stdout.write = (line) => {
    lastLines = 'onTheirWay'
    return write(line)
  }
  return stdout
}

/** Takes what the configuration keeps secret, and long hex (signatures, raw transactions), out of a text. */
export function hideSecrets(config: Partial<Secretive>): (text: string) => string {
  return createHider(config).text
}

function createHider(config: Partial<Secretive>) {
  const secrets = secretsOf(config)
  // The secrets as they look within a line of JSON, where quotes and backslashes are escaped.
  const written = secrets.map((secret) => JSON.stringify(secret).slice(1, -1))
  const anywhere = new RegExp([...written.map(literally), longHex.source].join('|'), 'i')
  const secret = secrets.length > 0 ? new RegExp(secrets.map(literally).join('|'), 'gi') : null
  return {
    finds: (line: string) => anywhere.test(line),
    text: (text: string) => shortenHex(secret ? text.replace(secret, '[redacted]') : text),
  }
}

/** Escapes a text, as a part of a regular expression that finds just this text. */
function literally(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')
}

/**
 * Longest first: a secret that is a part of another one would be taken out of it, and leave the rest of it standing.
 */
function secretsOf({ database, deployment }: Partial<Secretive>): string[] {
  const urls = (deployment?.chains ?? []).flatMap((chain) => chain.rpcUrls)
  // Shorter parts of an address, such as a login that is `user`, may be plain words of the log.
  const found = urls.flatMap(secretsIn).filter((text) => text.length >= 8)
  if (database?.kind === 'mysql') {
    const { password } = new URL(database.url)
    found.push(password, decoded(password))
  }
  const keys = deployment?.keys
  if (keys?.kind === 'plain') found.push(...keys.keys.map((key) => key.slice(2)))
  if (keys?.kind === 'keystore') found.push(keys.password)
  // A secret shorter than this would blank parts of plain words, and keeps nobody out anyway.
  return [...new Set(found)].filter((text) => text.length >= 4).sort((a, b) => b.length - a.length)
}

/** Errors of databases and HTTP clients carry whole statements, options and requests as properties; these stay out. */
function describeError(thrown: unknown): unknown {
  if (!(thrown instanceof Error)) return { type: typeof thrown, message: String(thrown) }
  const { name, message, stack, cause } = thrown
  const { code, errno } = thrown as { code?: unknown; errno?: unknown }
  return {
    type: name,
    message,
    ...(code !== undefined && { code }),
    ...(errno !== undefined && { errno }),
    stack,
    ...(cause !== undefined && { cause: describeError(cause) }),
  }
}

function mapTexts(value: unknown, change: (text: string) => string): unknown {
  if (typeof value === 'string') return change(value)
  if (Array.isArray(value)) return value.map((entry) => mapTexts(entry, change))
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([name, entry]) => [name, mapTexts(entry, change)]))
}
