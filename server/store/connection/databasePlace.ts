import type { DatabaseConfig } from './openDatabase.js'

/** Where the database is, without user and password. */
export function databasePlace(config: DatabaseConfig): string {
  if (config.kind === 'sqlite') return `SQLite ${config.file}`
  const { hostname, port, pathname, searchParams } = new URL(config.url)
  const socket = searchParams.get('socketPath')
  return `MySQL ${socket ?? `${hostname || 'localhost'}:${port || 3306}`}${pathname}`
}
