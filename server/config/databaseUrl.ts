import { join } from 'node:path'
import type { DatabaseConfig } from '../store/connection/openDatabase.js'

/** The one TLS profile that mysql2 knows by name: it has the CA of Amazon's servers, and sets nothing else. */
export const amazonRds = 'Amazon RDS'

/** The options of mysql2 that change how the service connects, and nothing of what it reads and writes. */
const parameters: Record<string, { form: string; isRight: (value: string) => boolean }> = {
  ssl: { form: 'a JSON object such as {"rejectUnauthorized":true}, or "Amazon RDS"', isRight: isTls },
  socketPath: { form: 'a path', isRight: (value) => value.startsWith('/') },
  localAddress: { form: 'an address of this machine', isRight: (value) => value !== '' },
  connectTimeout: { form: 'milliseconds', isRight: (value) => /^[1-9]\d{0,6}$/.test(value) },
  keepAliveInitialDelay: { form: 'milliseconds', isRight: (value) => /^\d{1,7}$/.test(value) },
  enableKeepAlive: { form: 'true or false', isRight: isBoolean },
  enableCleartextPlugin: { form: 'true or false', isRight: isBoolean },
  compress: { form: 'true or false', isRight: isBoolean },
}

/**
 * Reads `DATABASE_URL`. No problem repeats anything of it but names of parameters: all
 * else may be a misplaced password.
 */
export function readDatabaseUrl(text: string | undefined, dataDir: string, problems: string[]): DatabaseConfig {
  const embedded: DatabaseConfig = { kind: 'sqlite', file: join(dataDir, 'service.sqlite') }
  if (text === undefined || text === '' || text === 'sqlite:') return embedded
  if (text.startsWith('sqlite:')) return { kind: 'sqlite', file: text.slice('sqlite:'.length) }
  const refuse = (problem: string) => {
    problems.push(`DATABASE_URL: ${problem}`)
    return embedded
  }
  const form = 'must be mysql://user:password@host:port/name or sqlite:path'
  if (isAmbiguous(text)) {
    return refuse('has an @, /, ? or # before its last @; in user and password write them as %40, %2F, %3F, %23')
  }
  if (!/^mysql:\/\//i.test(text) || !URL.canParse(text)) return refuse(form)
  const { username, password, hostname, pathname, searchParams } = new URL(text)
  if (![username, password, hostname, pathname].every(isDecodable)) {
    return refuse('has a % that begins no escape; write it as %25')
  }
  if (pathname.length < 2) return refuse('names no database (mysql://…/name)')
  for (const [name, value] of searchParams) {
    const known = Object.hasOwn(parameters, name) ? parameters[name]! : null
    if (!known) return refuse(`has ${unknown(name)}; known are ${Object.keys(parameters).join(', ')}`)
    if (!known.isRight(value)) return refuse(`its parameter ${name} must be ${known.form}`)
    const wrong = name === 'ssl' ? wrongTls(value) : null
    if (wrong) return refuse(wrong)
  }
  return { kind: 'mysql', url: text }
}

/**
 * Whether user or password have an @, /, ? or # that is not escaped: the parser takes the first /, ? or # for the end
 * of the host, so that a piece of the password would be looked up as the name of a host, and printed.
 */
function isAmbiguous(text: string): boolean {
  const rest = text.replace(/^[a-z]+:\/\//i, '')
  const login = rest.slice(0, Math.max(rest.lastIndexOf('@'), 0))
  return /[@/?#]/.test(login)
}

/** Whether mysql2 can decode it, whose error would name no setting: escapes that are no UTF-8 throw, too. */
function isDecodable(part: string): boolean {
  try {
    decodeURIComponent(part)
    return true
  } catch {
    return false
  }
}

/** Other clients' names for TLS are a common mistake; passed over, they would leave the connection unencrypted. */
function unknown(name: string): string {
  const isTlsElsewhere = /^(ssl|tls|use-?ssl|require-?ssl)/i.test(name)
  const hint = isTlsElsewhere ? ' (TLS is ssl={"rejectUnauthorized":true,"verifyIdentity":true})' : ''
  return `${shown('parameter', name)}${hint}`
}

function shown(what: string, name: string): string {
  return `${/^[\w-]{1,40}$/.test(name) ? `the ${what} "${name}"` : `a ${what}`}, which is not known`
}

/**
 * The options in `ssl` that mysql2 hands on to Node's TLS. Others of Node's (`pfx`,
 * `servername`) mysql2 would pass over.
 */
const tlsKeys = [
  ...['ca', 'cert', 'key', 'passphrase', 'ciphers', 'minVersion', 'maxVersion'],
  ...['rejectUnauthorized', 'verifyIdentity'],
]

/** Options that have to be booleans: mysql2 takes the text `"false"` for true in both, and 0 for true in the first. */
const booleanKeys = ['rejectUnauthorized', 'verifyIdentity']

/** What in `ssl` mysql2 would pass over or misread, and so check less of the server than was meant. Null: nothing. */
function wrongTls(value: string): string | null {
  if (value === amazonRds) return null
  for (const [key, said] of Object.entries(JSON.parse(value) as object)) {
    if (!tlsKeys.includes(key)) return `its parameter ssl has ${shown('key', key)}; known are ${tlsKeys.join(', ')}`
    if (booleanKeys.includes(key) && typeof said !== 'boolean') {
      return `its parameter ssl must have true or false, without quotes, as ${key}`
    }
  }
  return null
}

/**
 * The TLS profile by its name, or options for Node's TLS. Anything else mysql2 may take without an error, for no TLS.
 */
function isTls(value: string): boolean {
  if (value === amazonRds) return true
  try {
    const parsed: unknown = JSON.parse(value)
    return typeof parsed === 'object' && parsed !== null && !Array.isArray(parsed)
  } catch {
    return false
  }
}

function isBoolean(value: string): boolean {
  return value === 'true' || value === 'false'
}
