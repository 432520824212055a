import type { Knex } from 'knex'
import * as initial from './0001Initial.js'
import * as undonePayouts from './0002UndonePayouts.js'
import * as venueLookups from './0003VenueLookups.js'

/** The migrations by name, in order; a name once released never changes. */
export const migrations: Record<string, Knex.Migration> = {
  '0001_initial': initial,
  '0002_undone_payouts': undonePayouts,
  '0003_venue_lookups': venueLookups,
}
