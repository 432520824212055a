import type { Knex } from 'knex'
import * as initial from './0001Initial.js'
import * as undonePayouts from './0002UndonePayouts.js'
import * as venueLookups from './0003VenueLookups.js'
import * as stepsOfTransaction from './0004StepsOfTransaction.js'

/** The migrations by name, in order; a name once released never changes. */
export const migrations: Record<string, Knex.Migration> = {
  '0001_initial': initial,
  '0002_undone_payouts': undonePayouts,
  '0003_venue_lookups': venueLookups,
  '0004_steps_of_transaction': stepsOfTransaction,
}
