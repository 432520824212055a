/** What an error of the MySQL or SQLite driver means; both drivers name it by `code` and `errno`. */

/** True when the error comes from the database, and not from something else whose errors have codes too, such as a socket. */
export function isOfDatabase(error: unknown): boolean {
  const { code, sqlMessage } = (error ?? {}) as { code?: unknown; sqlMessage?: unknown }
  return typeof sqlMessage === 'string' || (typeof code === 'string' && code.startsWith('SQLITE_'))
}

/** True when a unique key refused the row: an answer, not a fault. */
export function isDuplicate(error: unknown): boolean {
  const { code, errno } = (error ?? {}) as { code?: unknown; errno?: unknown }
  if (errno === 1062) return true
  return code === 'SQLITE_CONSTRAINT_UNIQUE' || code === 'SQLITE_CONSTRAINT_PRIMARYKEY'
}

/** The host's name is unknown, no route leads to it, it takes no connection, or a connection was lost. */
const outages = [
  ...['ENOTFOUND', 'EAI_AGAIN', 'ENOENT'],
  ...['ENETUNREACH', 'ENETDOWN', 'EHOSTUNREACH', 'EHOSTDOWN', 'EADDRNOTAVAIL'],
  ...['ECONNREFUSED', 'ETIMEDOUT', 'ECONNRESET', 'EPIPE', 'PROTOCOL_CONNECTION_LOST'],
]

/** True when the database can't be reached or refuses service for now; the request may be made again later. */
export function isOutage(error: unknown): boolean {
  const { code, errno, name, fatal } = (error ?? {}) as Record<'code' | 'errno' | 'name' | 'fatal', unknown>
  if (name === 'KnexTimeoutError') return true
  // mysql2's error for a connection that was closed before it was used is fatal and has no code.
  if (fatal === true && code === undefined) return true
  if (typeof code === 'string' && outages.includes(code)) return true
  // 1040, 1203 and 1226 too many connections, of all or of the account; 1047 node not ready (Galera), 1053 shutdown,
  // 1020/1205/1213/3101 after all retries
  const errnos = [1040, 1203, 1226, 1047, 1053, 1020, 1205, 1213, 3101, 1927]
  if (typeof errno === 'number' && errnos.includes(errno)) return true
  return isWriteRefused(error)
}

/** True when the database answers and can't write: its disk is full or fails, or it was made read-only. */
export function isWriteRefused(error: unknown): boolean {
  const { code, errno } = (error ?? {}) as { code?: unknown; errno?: unknown }
  if (typeof code === 'string' && /^SQLITE_(?:FULL|IOERR|READONLY)/.test(code)) return true
  // 1021 and 1114 disk or table full, 1290 read_only, 1836 InnoDB read-only
  return typeof errno === 'number' && [1021, 1114, 1290, 1836].includes(errno)
}
