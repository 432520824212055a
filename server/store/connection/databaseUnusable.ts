import { isWriteRefused } from './databaseErrors.js'
import { databasePlace } from './databasePlace.js'
import { mysqlErrno, noWayCodes, unknownNameCodes } from './mysqlErrors.js'
import type { DatabaseConfig } from './openDatabase.js'

/** The database can't be reached, entered or opened. The message names the setting, the place and what to do. */
class DatabaseUnusable extends Error {
  override readonly name = 'DatabaseUnusable'
  /** `code` and `errno` are those of the driver's error, by which `isOutage` knows an outage. */
  readonly code: unknown
  readonly errno: unknown

  constructor(message: string, { code, errno }: { code?: unknown; errno?: unknown }) {
    super(message)
    this.code = code
    this.errno = errno
  }
}

type Cause = { code?: unknown; errno?: unknown; message?: unknown }

const fileCodes = ['ENOTDIR', 'ENOENT', 'EACCES', 'EPERM', 'EROFS', 'ENAMETOOLONG', 'ENOSPC']

/**
 * What is wrong with the database that the configuration names, in words for the operator who is to correct it; null where the
 * error is of another kind. The drivers' own messages name no setting, and may contain the login.
 */
export function explainUnusable(config: DatabaseConfig, error: unknown): DatabaseUnusable | null {
  const cause = (error ?? {}) as Cause
  const remedy = config.kind === 'sqlite' ? sqliteRemedy(cause) : mysqlRemedy(cause)
  if (remedy === null) return null
  const what = String(cause.code || cause.errno || 'it does not open')
  const setting = config.kind === 'sqlite' ? 'DATABASE_URL or DATA_DIR' : 'DATABASE_URL'
  return new DatabaseUnusable(`${setting}: ${databasePlace(config)} can't be used (${what}). ${remedy}`, cause)
}

function sqliteRemedy({ code, message }: Cause): string | null {
  if (code === 'SQLITE_NOTADB') return 'Name a file that the service has made, or restore the backup of it.'
  // libsql's error for a file that can't be opened is `ConnectionFailed`, and has no code.
  const isShut = code === 'SQLITE_CANTOPEN' || code === 'SQLITE_READONLY' || /^ConnectionFailed/.test(String(message))
  if (!isShut && !fileCodes.includes(String(code))) return null
  return 'Name a file in a folder that the service may write, or that it can make.'
}

function mysqlRemedy({ code, errno }: Cause): string | null {
  const name = String(code)
  if (unknownNameCodes.includes(name)) return "Correct the host, or see to this machine's name server."
  if (isWriteRefused({ errno }))
    return 'It answers and takes no writes: name the server that does, or see to its disk and to read_only.'
  if (noWayCodes.includes(name)) return 'Start it, correct host and port, or let this machine through to it.'
  if (errno === mysqlErrno.accessDenied || errno === mysqlErrno.accessDeniedByPlugin)
    return 'Correct user and password (percent-encoded), and where he may come from.'
  if (errno === mysqlErrno.noRightToDatabase) return 'GRANT ALL ON the database to this user, or correct its name.'
  if (errno === mysqlErrno.noRightToTable)
    return 'GRANT ALL ON the database to this user: the service makes its tables itself.'
  if (errno === mysqlErrno.noSuchDatabase) return 'CREATE DATABASE … CHARACTER SET utf8mb4, or correct its name.'
  if (name === 'HANDSHAKE_NO_SSL_SUPPORT')
    return 'Set up TLS at the server, or ask for none (without the parameter ssl).'
  if (name === 'HANDSHAKE_SSL_ERROR') {
    return "TLS failed: name the CA of the server's certificate by NODE_EXTRA_CA_CERTS, and the host as the certificate does."
  }
  return null
}
