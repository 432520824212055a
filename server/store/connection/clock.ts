/** The present time in unix milliseconds by the database's own clock, as SQL expressions. */
export const mysqlClock = 'CAST(UNIX_TIMESTAMP(NOW(3)) * 1000 AS UNSIGNED)'
export const sqliteClock = "CAST(ROUND((julianday('now') - 2440587.5) * 86400000) AS INTEGER)"
