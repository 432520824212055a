export type DatabaseKind = 'SQLite' | 'MariaDB'

/** Both, unless TEST_DATABASE names one. */
export const chosenDatabases = (['SQLite', 'MariaDB'] as const).filter((kind) => {
  const only = process.env.TEST_DATABASE
  return !only || (only === 'mysql') === (kind === 'MariaDB')
})
