import type { Knex } from 'knex'

type Table = Knex.CreateTableBuilder

/** Column kinds that mean the same on both databases. Identifiers are compared byte by byte. */
export function columns(knex: Knex) {
  const mysql = (knex.client as { config: { client: string } }).config.client === 'mysql2'
  const ascii = (length: number, kind = 'VARCHAR') =>
    mysql ? `${kind}(${length}) CHARACTER SET ascii COLLATE ascii_bin` : 'TEXT'
  return {
    /** UUIDv7. */
    actionId: (table: Table, name = 'action_id') => table.specificType(name, ascii(36, 'CHAR')),
    /** 0x and 40 lower case digits. */
    address: (table: Table, name: string) => table.specificType(name, ascii(42, 'CHAR')),
    /** 0x and 64 lower case digits. */
    hash: (table: Table, name: string) => table.specificType(name, ascii(66, 'CHAR')),
    /** A uint256 in decimal digits: 2^256 - 1 has 78 of them, and a balance that may fall below zero has a sign. */
    amount: (table: Table, name: string) => table.specificType(name, ascii(79)),
    /** A word of the service's own: status, kind, code, account. */
    word: (table: Table, name: string, length = 40) => table.specificType(name, ascii(length)),
    /** A label given by a client, compared exactly. */
    label: (table: Table, name: string) =>
      table.specificType(name, mysql ? 'VARCHAR(128) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin' : 'TEXT'),
    /** Unix milliseconds. */
    time: (table: Table, name: string) => table.bigInteger(name),
    /** JSON or hex that may exceed 64 KiB. */
    large: (table: Table, name: string) =>
      table.specificType(name, mysql ? 'MEDIUMTEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin' : 'TEXT'),
    /** A prose message. */
    message: (table: Table, name: string) =>
      table.specificType(name, mysql ? 'TEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin' : 'TEXT'),
  }
}
