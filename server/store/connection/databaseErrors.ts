import {
  mysqlErrno,
  notWritableErrnos,
  noWayCodes,
  refusingErrnos,
  rolledBackErrnos,
  unknownNameCodes,
} from './mysqlErrors.js'

/** What an error of the MySQL or SQLite driver means; both drivers name it by `code` and `errno`. */

/**
 * True when the error comes from the database, and not from something else whose errors
 * have codes too, such as a socket.
 */
export function isOfDatabase(error: unknown): boolean {
  const { code, sqlMessage } = (error ?? {}) as { code?: unknown; sqlMessage?: unknown }
  return typeof sqlMessage === 'string' || (typeof code === 'string' && code.startsWith('SQLITE_'))
}

/** True when a unique key refused the row: an answer, not a fault. */
export function isDuplicate(error: unknown): boolean {
  const { code, errno } = (error ?? {}) as { code?: unknown; errno?: unknown }
  if (errno === mysqlErrno.duplicate) return true
  return code === 'SQLITE_CONSTRAINT_UNIQUE' || code === 'SQLITE_CONSTRAINT_PRIMARYKEY'
}

const outageCodes = [...unknownNameCodes, ...noWayCodes]
/** Those of a rollback are thrown after all retries. */
const outageErrnos = [...refusingErrnos, ...rolledBackErrnos]

/** True when the database can't be reached or refuses service for now; the request may be made again later. */
export function isOutage(error: unknown): boolean {
  const { code, errno, name, fatal } = (error ?? {}) as Record<'code' | 'errno' | 'name' | 'fatal', unknown>
  if (name === 'KnexTimeoutError') return true
  // mysql2's error for a connection that was closed before it was used is fatal and has no code.
  if (fatal === true && code === undefined) return true
  if (typeof code === 'string' && outageCodes.includes(code)) return true
  if (typeof errno === 'number' && outageErrnos.includes(errno)) return true
  return isWriteRefused(error)
}

/** True when the database answers and can't write: its disk is full or fails, or it was made read-only. */
export function isWriteRefused(error: unknown): boolean {
  const { code, errno } = (error ?? {}) as { code?: unknown; errno?: unknown }
  if (typeof code === 'string' && /^SQLITE_(?:FULL|IOERR|READONLY)/.test(code)) return true
  return typeof errno === 'number' && notWritableErrnos.includes(errno)
}
