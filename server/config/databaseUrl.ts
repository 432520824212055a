import { join } from 'node:path'
import type { DatabaseConfig } from '../store/connection/database.js'

/** mysql2's one profile: it knows the CA of Amazon's servers, and nothing else of TLS. */
export const amazonRds = 'Amazon RDS'

/** What of mysql2's options changes how the service connects, and nothing of what it reads and writes. */
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

/** Reads `DATABASE_URL`. No problem repeats anything of it but names of parameters: what stands where may be a password. */
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
 * Whether a password may have run on into what is taken for the host: the parser takes the first of these letters for the
 * end of the authority, and pieces of the password would then be looked up as a name and printed.
 */
function isAmbiguous(text: string): boolean {
  const rest = text.replace(/^[a-z]+:\/\//i, '')
  const login = rest.slice(0, Math.max(rest.lastIndexOf('@'), 0))
  return /[@/?#]/.test(login)
}

/** As mysql2 decodes it, which throws at what is no UTF-8 too, and names no setting then. */
function isDecodable(part: string): boolean {
  try {
    decodeURIComponent(part)
    return true
  } catch {
    return false
  }
}

/** Other clients' names for TLS are common, and passed over they would leave the connection in the open. */
function unknown(name: string): string {
  const isTlsElsewhere = /^(ssl|tls|use-?ssl|require-?ssl)/i.test(name)
  const hint = isTlsElsewhere ? ' (TLS is ssl={"rejectUnauthorized":true,"verifyIdentity":true})' : ''
  return `${shown('parameter', name)}${hint}`
}

function shown(what: string, name: string): string {
  return `${/^[\w-]{1,40}$/.test(name) ? `the ${what} "${name}"` : `a ${what}`}, which is not known`
}

/** What mysql2 hands on of `ssl`. Node's TLS takes more (`pfx`, `servername`), which it would pass over. */
const tlsKeys = [
  ...['ca', 'cert', 'key', 'passphrase', 'ciphers', 'minVersion', 'maxVersion'],
  ...['rejectUnauthorized', 'verifyIdentity'],
]

/** mysql2 takes `"false"` for true of both, and 0 for true of the first. */
const booleanKeys = ['rejectUnauthorized', 'verifyIdentity']

/** What of the JSON would be passed over, or taken for something else, and with it what was to be checked. */
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

/** A connection profile by name, or what Node's TLS is given. Anything else is no error to mysql2, or no TLS. */
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
