import type { Knex } from 'knex'
import { createFindings, type Finding } from './finding.js'

/** What the service needs of a MySQL-like server beyond what it sets for its own sessions. */
export async function checkMysql(knex: Knex): Promise<Finding[]> {
  const { list, fault, warn } = createFindings('database')
  const [rows] = (await knex.raw('SHOW GLOBAL VARIABLES')) as [{ Variable_name: string; Value: string }[]]
  const settings = new Map(rows.map((row) => [row.Variable_name.toLowerCase(), row.Value]))
  const setting = (name: string) => settings.get(name)?.toUpperCase() ?? ''

  const version = settings.get('version') ?? ''
  const [major = 0, minor = 0] = version.split('.').map(Number)
  const isMaria = /mariadb/i.test(version)
  const isOld = isMaria ? major < 10 || (major === 10 && minor < 6) : major < 8
  if (isOld) fault('database.tooOld', `it is ${version}`, 'Use MySQL 8.0 or MariaDB 10.6 at least (SKIP LOCKED).')
  if (setting('read_only') === 'ON') {
    fault('database.readOnly', 'it takes no writes (read_only)', 'Point DATABASE_URL at the primary.')
  }

  if (!/STRICT_(ALL|TRANS)_TABLES/.test(setting('sql_mode'))) {
    const what = 'strict mode is off by default; the service sets it for itself, other clients may cut values'
    warn('database.notStrict', what, "SET GLOBAL sql_mode = CONCAT(@@sql_mode, ',STRICT_ALL_TABLES'), and in its file.")
  }
  await checkSession()

  if (setting('binlog_format') === 'STATEMENT' && setting('log_bin') === 'ON') {
    const what = 'binlog_format is STATEMENT: InnoDB refuses writes at READ COMMITTED'
    fault('database.statementLog', what, 'Set binlog_format=ROW.')
  }
  const isCluster = setting('wsrep_on') === 'ON'
  if (setting('innodb_flush_log_at_trx_commit') !== '1' && !isCluster) {
    const what = 'innodb_flush_log_at_trx_commit is not 1: a crash of the machine forgets commits, signed nonces too'
    fault('database.notDurable', what, 'Set innodb_flush_log_at_trx_commit=1.')
  }
  if (setting('log_bin') === 'ON' && setting('sync_binlog') !== '1') {
    const what = 'sync_binlog is not 1: after a crash, replicas and restored backups may lack commits'
    warn('database.binlogNotSynced', what, 'Set sync_binlog=1.')
  }
  if (setting('default_storage_engine') !== 'INNODB') {
    const what = `new tables are made in ${settings.get('default_storage_engine')}`
    fault('database.engine', what, 'Set default_storage_engine=InnoDB.')
  }
  const [tables] = (await knex.raw(
    "SELECT table_name AS name FROM information_schema.tables WHERE table_schema = DATABASE() AND engine <> 'InnoDB' AND table_type = 'BASE TABLE'",
  )) as [{ name: string }[]]
  for (const { name } of tables) {
    fault('database.engine', `the table ${name} is not in InnoDB`, `ALTER TABLE ${name} ENGINE = InnoDB.`)
  }
  if (Number(setting('max_allowed_packet')) < 4 * 1024 * 1024) {
    const what = `max_allowed_packet is ${setting('max_allowed_packet')}`
    fault('database.smallPackets', what, 'Set it to 16M: signed transactions and large actions are long.')
  }
  if (Number(setting('max_connections')) < 30) {
    const what = `max_connections is ${setting('max_connections')}; each process of the service takes up to 10`
    warn('database.fewConnections', what, 'Raise it.')
  }
  return list

  /** What the service's own sessions end up with, through whatever stands in between. */
  async function checkSession(): Promise<void> {
    const [session] = (await knex.raw(
      "SHOW VARIABLES WHERE Variable_name IN ('sql_mode', 'tx_isolation', 'transaction_isolation', 'character_set_client')",
    )) as [{ Variable_name: string; Value: string }[]]
    const own = new Map(session.map((row) => [row.Variable_name.toLowerCase(), row.Value.toUpperCase()]))
    const remedy = 'Let the proxy in between pass on `SET SESSION`, or go without it.'
    if (!/STRICT_ALL_TABLES/.test(own.get('sql_mode') ?? '')) {
      fault('database.sessionNotStrict', "strict mode could not be set for the service's sessions", remedy)
    }
    const isolation = own.get('transaction_isolation') ?? own.get('tx_isolation')
    if (isolation !== 'READ-COMMITTED') {
      fault('database.isolation', `sessions run at ${isolation} instead of READ-COMMITTED`, remedy)
    }
  }
}
