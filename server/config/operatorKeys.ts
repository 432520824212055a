import { readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import type { Address, Hex } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { wrongWith } from './chainAddresses.js'

/** Where the operators' signatures come from. */
export type OperatorKeys =
  /** Private keys as they are: for test chains. */
  | { kind: 'plain'; keys: Hex[] }
  /** Encrypted files (Web3 Secret Storage, version 3) and the password of all of them. */
  | { kind: 'keystore'; files: { path: string; json: string }[]; password: string }
  /** Another process holds the keys and signs; `addresses` says which of its keys are operators. */
  | { kind: 'remote'; url: string; addresses: Address[] }
  /** Only the operators' addresses: for a process that signs nothing. */
  | { kind: 'addresses'; addresses: Address[] }

/** Whose keys a variable is for: its name begins with it. */
const prefixes = ['SOLVER', 'DEPLOYER'] as const
type Prefix = (typeof prefixes)[number]

const sources = ['PRIVATE_KEYS', 'KEYS_FILE', 'SIGNER_URL'] as const
/** Variables that say more of a source. */
const details = ['KEYS_PASSWORD_FILE', 'KEYS_PASSWORD_FD', 'SIGNER_ADDRESSES'] as const

export const keyVariables = prefixes.flatMap((prefix) =>
  [...sources, ...details].map((name) => `${prefix}_${name}` as const),
)

/**
 * Reads which keys the environment names. The problems repeat nothing secret; encrypted keys stay encrypted here.
 * `signs: false`: for a process that signs nothing, the operators' addresses will do.
 */
export function readOperatorKeys(
  env: NodeJS.ProcessEnv,
  problems: string[],
  { prefix = 'SOLVER', signs = true }: { prefix?: Prefix; signs?: boolean } = {},
): OperatorKeys {
  const variable = (name: string) => `${prefix}_${name}`
  const given: Given = {
    variable,
    value: (name) => env[variable(name)] ?? '',
    refuse: (name, problem) => void problems.push(`${variable(name)}: ${problem}`),
  }
  const named = sources.filter((name) => given.value(name))
  if (named.length > 1) given.refuse(named[0]!, `and ${named.slice(1).map(variable).join(', ')} exclude each other`)
  if (given.value('KEYS_FILE')) return readKeystores(given)
  if (given.value('SIGNER_URL')) return readRemote(given)
  if (!signs && named.length === 0 && given.value('SIGNER_ADDRESSES')) {
    return { kind: 'addresses', addresses: readAddresses(given) }
  }
  return readPlain(given, signs)
}

/** Whether the environment names a source of keys. */
export function namesOperatorKeys(env: NodeJS.ProcessEnv, prefix: Prefix = 'SOLVER'): boolean {
  return sources.some((name) => env[`${prefix}_${name}`])
}

/** Whether the environment has any variable about the service's operator keys, even without a source of keys. */
export function namesAnyOfKeys(env: NodeJS.ProcessEnv): boolean {
  return [...sources, ...details].some((name) => env[`SOLVER_${name}`])
}

/** The variables of one prefix, by their names without it. */
type Given = {
  variable(name: string): string
  value(name: string): string
  refuse(name: string, problem: string): void
}

function readPlain(given: Given, signs: boolean): OperatorKeys {
  const texts = listed(given.value('PRIVATE_KEYS'))
  if (texts.length === 0) {
    const others = `${given.variable('KEYS_FILE')} or ${given.variable('SIGNER_URL')}`
    const addresses = `; a process that signs nothing needs ${given.variable('SIGNER_ADDRESSES')} alone`
    const problem = `needs at least one operator key; for real chains it is ${others}${signs ? '' : addresses}`
    given.refuse('PRIVATE_KEYS', problem)
  }
  const keys: Hex[] = []
  for (const [index, key] of texts.entries()) {
    if (isPrivateKey(key)) keys.push(key)
    else given.refuse('PRIVATE_KEYS', `key ${index + 1} is no private key (0x and 64 hex digits)`)
  }
  const addresses = keys.map((key) => privateKeyToAccount(key).address)
  if (new Set(addresses).size < addresses.length) given.refuse('PRIVATE_KEYS', 'a key is there twice')
  return { kind: 'plain', keys }
}

/** One file, or every file of a folder but hidden ones. */
function readKeystores(given: Given): OperatorKeys {
  const password = readPassword(given)
  const files: { path: string; json: string }[] = []
  for (const path of pathsAt(given)) {
    const json = readText(path, 'KEYS_FILE', given)
    if (json === null) continue
    if (isKeystore(json)) files.push({ path, json })
    else given.refuse('KEYS_FILE', `${path} is no keystore (Web3 Secret Storage, version 3)`)
  }
  return { kind: 'keystore', files, password }
}

/** The mark of a Web3 Secret Storage file; what else is wrong with it shows when it is opened. */
function isKeystore(json: string): boolean {
  try {
    return (JSON.parse(json) as { version?: unknown } | null)?.version === 3
  } catch {
    return false
  }
}

function pathsAt(given: Given): string[] {
  const place = given.value('KEYS_FILE')
  try {
    if (!statSync(place).isDirectory()) return [place]
    const names = readdirSync(place).filter((name) => !name.startsWith('.'))
    const paths = names.map((name) => join(place, name)).filter((path) => statSync(path).isFile())
    if (paths.length === 0) given.refuse('KEYS_FILE', `${place} holds no keystore`)
    return paths.sort()
  } catch (error) {
    given.refuse('KEYS_FILE', `can't be read (${codeOf(error)})`)
    return []
  }
}

/** From a file; or from a descriptor that is already open, so that the password need be in no file. */
function readPassword(given: Given): string {
  const [file, descriptor] = [given.value('KEYS_PASSWORD_FILE'), given.value('KEYS_PASSWORD_FD')]
  if (Boolean(file) === Boolean(descriptor)) {
    const other = given.variable('KEYS_PASSWORD_FD')
    given.refuse('KEYS_PASSWORD_FILE', `this or ${other}, one of them, has to say where the password is`)
    return ''
  }
  if (descriptor && !/^\d{1,4}$/.test(descriptor)) {
    given.refuse('KEYS_PASSWORD_FD', 'must be the number of an open file descriptor')
    return ''
  }
  const text = file
    ? readText(file, 'KEYS_PASSWORD_FILE', given)
    : readText(Number(descriptor), 'KEYS_PASSWORD_FD', given)
  // Editors and `echo` end a file with a line break that is no part of the password.
  return (text ?? '').replace(/\r?\n$/, '')
}

function readRemote(given: Given): OperatorKeys {
  const url = given.value('SIGNER_URL')
  if (!isLocalAddress(url)) {
    const form = 'must be http://127.0.0.1:port or unix:/path; whoever reaches the signer can sign, so it is local'
    given.refuse('SIGNER_URL', form)
  }
  return { kind: 'remote', url, addresses: readAddresses(given) }
}

function readAddresses(given: Given): Address[] {
  const addresses = listed(given.value('SIGNER_ADDRESSES'))
  if (addresses.length === 0) given.refuse('SIGNER_ADDRESSES', "must say which of the signer's keys are operators")
  for (const [index, address] of addresses.entries()) {
    const wrong = wrongWith(address)
    if (wrong) given.refuse('SIGNER_ADDRESSES', `entry ${index + 1} ${wrong}`)
  }
  const lower = addresses.map((address) => address.toLowerCase() as Address)
  if (new Set(lower).size < lower.length) given.refuse('SIGNER_ADDRESSES', 'an address is there twice')
  return lower
}

function isLocalAddress(text: string): boolean {
  if (/^unix:\/.+/.test(text)) return true
  if (!URL.canParse(text)) return false
  const { protocol, hostname, username, password, pathname, search } = new URL(text)
  const isPlain = !username && !password && pathname + search === '/'
  return protocol === 'http:' && ['127.0.0.1', '[::1]', 'localhost'].includes(hostname) && isPlain
}

function readText(place: string | number, name: string, given: Given): string | null {
  try {
    return readFileSync(place, 'utf8')
  } catch (error) {
    given.refuse(name, `${typeof place === 'string' ? place : 'it'} can't be read (${codeOf(error)})`)
    return null
  }
}

function codeOf(error: unknown): string {
  return (error as NodeJS.ErrnoException).code ?? 'unknown error'
}

function listed(text: string): string[] {
  return text
    .split(',')
    .map((entry) => entry.trim())
    .filter((entry) => entry !== '')
}

function isPrivateKey(text: string): text is Hex {
  if (!/^0x[0-9a-fA-F]{64}$/.test(text)) return false
  try {
    privateKeyToAccount(text as Hex)
    return true
  } catch {
    return false
  }
}
