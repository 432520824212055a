import { databasePlace } from './databasePlace.js'
import { mysqlErrno, notWritableErrnos, noWayCodes, unknownNameCodes } from './mysqlErrors.js'
import type { DatabaseConfig } from './openDatabase.js'

export type UnusableKind =
  /** Nobody knows the host, no way leads there, or nothing answers. */
  | 'unreachable'
  /** It answers and takes no writes. */
  | 'readOnly'
  /** It does not let the user in, or lets him do too little. */
  | 'accessDenied'
  /** The server has no database of this name. */
  | 'missing'
  /** TLS fails. */
  | 'tls'
  /** The file is none of the service's. */
  | 'damaged'
  /** The file can't be opened or made. */
  | 'shut'

/** What is wrong, and what to do. */
type Advice = { kind: UnusableKind; remedy: string }

/** The database can't be reached, entered or opened. The message names the setting, the place and what to do. */
class DatabaseUnusable extends Error {
  override readonly name = 'DatabaseUnusable'
  readonly kind: UnusableKind
  readonly remedy: string
  /** `code` and `errno` are those of the driver's error, by which `isOutage` knows an outage. */
  readonly code: unknown
  readonly errno: unknown

  constructor(what: string, { kind, remedy }: Advice, { code, errno }: { code?: unknown; errno?: unknown }) {
    super(`${what} ${remedy}`)
    this.kind = kind
    this.remedy = remedy
    this.code = code
    this.errno = errno
  }
}

type Cause = { code?: unknown; errno?: unknown; message?: unknown }

const fileCodes = ['ENOTDIR', 'ENOENT', 'EACCES', 'EPERM', 'EROFS', 'ENAMETOOLONG', 'ENOSPC']

/**
 * What is wrong with the database that the configuration names, in words for the operator who is to correct it; null
 * where the error is of another kind. The drivers' own messages name no setting, and may contain the login.
 */
export function explainUnusable(config: DatabaseConfig, error: unknown): DatabaseUnusable | null {
  const cause = (error ?? {}) as Cause
  const advice = config.kind === 'sqlite' ? adviceOnSqlite(cause) : adviceOnMysql(cause)
  if (advice === null) return null
  const what = String(cause.code || cause.errno || 'it does not open')
  const setting = config.kind === 'sqlite' ? 'DATABASE_URL or DATA_DIR' : 'DATABASE_URL'
  return new DatabaseUnusable(`${setting}: ${databasePlace(config)} can't be used (${what}).`, advice, cause)
}

function adviceOnSqlite({ code, message }: Cause): Advice | null {
  if (code === 'SQLITE_NOTADB') {
    return { kind: 'damaged', remedy: 'Name a file that the service has made, or restore the backup of it.' }
  }
  // libsql's error for a file that can't be opened is `ConnectionFailed`, and has no code.
  const isShut = code === 'SQLITE_CANTOPEN' || code === 'SQLITE_READONLY' || /^ConnectionFailed/.test(String(message))
  if (!isShut && !fileCodes.includes(String(code))) return null
  return { kind: 'shut', remedy: 'Name a file in a folder that the service may write, or that it can make.' }
}

function adviceOnMysql({ code, errno }: Cause): Advice | null {
  return mysqlAdvice.find(({ of }) => of.includes(code) || of.includes(errno)) ?? null
}

/** By the `code` or `errno` of the driver's error. */
const mysqlAdvice: readonly (Advice & { of: readonly unknown[] })[] = [
  {
    kind: 'unreachable',
    of: unknownNameCodes,
    remedy: "Correct the host, or see to this machine's name server.",
  },
  {
    kind: 'readOnly',
    of: notWritableErrnos,
    remedy: 'It answers and takes no writes: name the server that does, or see to its disk and to read_only.',
  },
  {
    kind: 'unreachable',
    of: noWayCodes,
    remedy: 'Start it, correct host and port, or let this machine through to it.',
  },
  {
    kind: 'accessDenied',
    of: [mysqlErrno.accessDenied, mysqlErrno.accessDeniedByPlugin],
    remedy: 'Correct user and password (percent-encoded), and where he may come from.',
  },
  {
    kind: 'accessDenied',
    of: [mysqlErrno.noRightToDatabase],
    remedy: 'GRANT ALL ON the database to this user, or correct its name.',
  },
  {
    kind: 'accessDenied',
    of: [mysqlErrno.noRightToTable],
    remedy: 'GRANT ALL ON the database to this user: the service makes its tables itself.',
  },
  {
    kind: 'missing',
    of: [mysqlErrno.noSuchDatabase],
    remedy: 'CREATE DATABASE … CHARACTER SET utf8mb4, or correct its name.',
  },
  {
    kind: 'tls',
    of: ['HANDSHAKE_NO_SSL_SUPPORT'],
    remedy:
      "Set up TLS at the server, or ask for none (without the parameter ssl); see 'TLS to the database' in server/OPERATING.md.",
  },
  {
    kind: 'tls',
    of: ['HANDSHAKE_SSL_ERROR'],
    remedy:
      "TLS failed: name the CA of the server's certificate by NODE_EXTRA_CA_CERTS, and the host as the certificate does; see 'TLS to the database' in server/OPERATING.md.",
  },
]
