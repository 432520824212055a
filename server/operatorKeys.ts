import { readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { isKeystoreJson } from 'ethers/wallet'
import type { Address, Hex } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'

/** Where the operators' signatures come from. */
export type OperatorKeys =
  /** Private keys as they are: for test chains. */
  | { kind: 'plain'; keys: Hex[] }
  /** Encrypted files (Web3 Secret Storage, version 3) and the password of all of them. */
  | { kind: 'keystore'; files: { path: string; json: string }[]; password: string }
  /** Another process that holds the keys and signs; which of its keys are operators. */
  | { kind: 'remote'; url: string; addresses: Address[] }

const sources = ['SOLVER_PRIVATE_KEYS', 'SOLVER_KEYS_FILE', 'SOLVER_SIGNER_URL'] as const

/** Reads which keys the environment names. The problems repeat nothing secret; encrypted keys stay encrypted here. */
export function readOperatorKeys(env: NodeJS.ProcessEnv, problems: string[]): OperatorKeys {
  const named = sources.filter((name) => env[name])
  if (named.length > 1) problems.push(`${named.join(', ')}: operator keys come from one of them only`)
  if (env.SOLVER_KEYS_FILE) return readKeystores(env.SOLVER_KEYS_FILE, env, problems)
  if (env.SOLVER_SIGNER_URL) return readRemote(env.SOLVER_SIGNER_URL, env, problems)
  return readPlain(env.SOLVER_PRIVATE_KEYS ?? '', problems)
}

/** Whether the environment names operator keys at all. */
export function namesOperatorKeys(env: NodeJS.ProcessEnv): boolean {
  return sources.some((name) => env[name])
}

function readPlain(text: string, problems: string[]): OperatorKeys {
  const texts = listed(text)
  if (texts.length === 0) {
    problems.push(
      'SOLVER_PRIVATE_KEYS: needs at least one operator key; with real chains, SOLVER_KEYS_FILE or SOLVER_SIGNER_URL',
    )
  }
  const keys: Hex[] = []
  for (const [index, key] of texts.entries()) {
    if (isPrivateKey(key)) keys.push(key)
    else problems.push(`SOLVER_PRIVATE_KEYS: key ${index + 1} is no private key (0x and 64 hex digits)`)
  }
  const addresses = keys.map((key) => privateKeyToAccount(key).address)
  if (new Set(addresses).size < addresses.length) problems.push('SOLVER_PRIVATE_KEYS: a key is there twice')
  return { kind: 'plain', keys }
}

/** One file, or every file of a folder but hidden ones. */
function readKeystores(place: string, env: NodeJS.ProcessEnv, problems: string[]): OperatorKeys {
  const password = readPassword(env, problems)
  const files: { path: string; json: string }[] = []
  for (const path of pathsAt(place, problems)) {
    const json = readText(path, 'SOLVER_KEYS_FILE', problems)
    if (json === null) continue
    if (isKeystoreJson(json)) files.push({ path, json })
    else problems.push(`SOLVER_KEYS_FILE: ${path} is no keystore (Web3 Secret Storage, version 3)`)
  }
  return { kind: 'keystore', files, password }
}

function pathsAt(place: string, problems: string[]): string[] {
  try {
    if (!statSync(place).isDirectory()) return [place]
    const names = readdirSync(place).filter((name) => !name.startsWith('.'))
    const paths = names.map((name) => join(place, name)).filter((path) => statSync(path).isFile())
    if (paths.length === 0) problems.push(`SOLVER_KEYS_FILE: ${place} holds no keystore`)
    return paths.sort()
  } catch (error) {
    problems.push(`SOLVER_KEYS_FILE: can't be read (${codeOf(error)})`)
    return []
  }
}

/** From a file, or from a descriptor that is already open, so that it stands in no file at all. */
function readPassword(env: NodeJS.ProcessEnv, problems: string[]): string {
  const { SOLVER_KEYS_PASSWORD_FILE: file, SOLVER_KEYS_PASSWORD_FD: descriptor } = env
  if (Boolean(file) === Boolean(descriptor)) {
    problems.push('SOLVER_KEYS_PASSWORD_FILE: this or SOLVER_KEYS_PASSWORD_FD, one of them, has to say the password')
    return ''
  }
  if (descriptor && !/^\d{1,4}$/.test(descriptor)) {
    problems.push('SOLVER_KEYS_PASSWORD_FD: must be the number of an open file descriptor')
    return ''
  }
  const name = file ? 'SOLVER_KEYS_PASSWORD_FILE' : 'SOLVER_KEYS_PASSWORD_FD'
  const text = readText(file ? file : Number(descriptor), name, problems)
  // Editors and `echo` end a file with a line break that is no part of the password.
  return (text ?? '').replace(/\r?\n$/, '')
}

function readRemote(text: string, env: NodeJS.ProcessEnv, problems: string[]): OperatorKeys {
  if (!isLocalAddress(text)) {
    problems.push(
      'SOLVER_SIGNER_URL: must be http://127.0.0.1:port or unix:/path; whoever reaches the signer can sign, so it is local',
    )
  }
  const addresses = listed(env.SOLVER_SIGNER_ADDRESSES ?? '')
  if (addresses.length === 0) problems.push('SOLVER_SIGNER_ADDRESSES: says which of its keys are operators')
  for (const [index, address] of addresses.entries()) {
    if (!/^0x[0-9a-fA-F]{40}$/.test(address)) problems.push(`SOLVER_SIGNER_ADDRESSES: entry ${index + 1} is no address`)
  }
  const lower = addresses.map((address) => address.toLowerCase() as Address)
  if (new Set(lower).size < lower.length) problems.push('SOLVER_SIGNER_ADDRESSES: an address is there twice')
  return { kind: 'remote', url: text, addresses: lower }
}

function isLocalAddress(text: string): boolean {
  if (/^unix:\/.+/.test(text)) return true
  if (!URL.canParse(text)) return false
  const { protocol, hostname, username, password } = new URL(text)
  return protocol === 'http:' && ['127.0.0.1', '[::1]', 'localhost'].includes(hostname) && !username && !password
}

function readText(place: string | number, name: string, problems: string[]): string | null {
  try {
    return readFileSync(place, 'utf8')
  } catch (error) {
    problems.push(`${name}: ${typeof place === 'string' ? place : 'it'} can't be read (${codeOf(error)})`)
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
