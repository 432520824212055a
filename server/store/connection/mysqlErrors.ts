/**
 * What MySQL and MariaDB call their errors, by `errno`, and what Node and mysql2 call
 * those of the connection, by `code`.
 */

export const mysqlErrno = {
  /** The row has changed since it was read. */
  recordChanged: 1020,
  diskFull: 1021,
  tooManyConnections: 1040,
  noRightToDatabase: 1044,
  accessDenied: 1045,
  /** Galera: the node takes no part in the cluster for now. */
  nodeNotReady: 1047,
  noSuchDatabase: 1049,
  shutdown: 1053,
  duplicate: 1062,
  tableFull: 1114,
  noRightToTable: 1142,
  tooManyConnectionsOfUser: 1203,
  lockWaitTimeout: 1205,
  deadlock: 1213,
  resourcesOfUserUsedUp: 1226,
  readOnly: 1290,
  /** MariaDB: access denied where the user logs in by a plugin. */
  accessDeniedByPlugin: 1698,
  innodbReadOnly: 1836,
  connectionKilled: 1927,
  /** MySQL Group Replication: another node's transaction was certified first. Thrown by COMMIT. */
  lostCertification: 3101,
} as const

/** The transaction was rolled back for another one's sake, or is to be; run again it may succeed. */
export const rolledBackErrnos: readonly number[] = [
  mysqlErrno.deadlock,
  mysqlErrno.lockWaitTimeout,
  mysqlErrno.recordChanged,
  mysqlErrno.lostCertification,
]

/** The server refuses service for now. */
export const refusingErrnos: readonly number[] = [
  mysqlErrno.tooManyConnections,
  mysqlErrno.tooManyConnectionsOfUser,
  mysqlErrno.resourcesOfUserUsedUp,
  mysqlErrno.nodeNotReady,
  mysqlErrno.shutdown,
  mysqlErrno.connectionKilled,
]

/** The server answers and can't write. */
export const notWritableErrnos: readonly number[] = [
  mysqlErrno.diskFull,
  mysqlErrno.tableFull,
  mysqlErrno.readOnly,
  mysqlErrno.innodbReadOnly,
]

/** Nobody knows the host's name. */
export const unknownNameCodes: readonly string[] = ['ENOTFOUND', 'EAI_AGAIN']

/** No route leads to the host or no socket is there, it takes no connection, or a connection was lost. */
export const noWayCodes: readonly string[] = [
  ...['ENETUNREACH', 'ENETDOWN', 'EHOSTUNREACH', 'EHOSTDOWN', 'EADDRNOTAVAIL', 'ENOENT'],
  ...['ECONNREFUSED', 'ETIMEDOUT', 'ECONNRESET', 'EPIPE', 'PROTOCOL_CONNECTION_LOST'],
]
