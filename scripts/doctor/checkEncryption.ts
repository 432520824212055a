import type { Knex } from 'knex'
import { createFindings, type Finding } from './finding.js'

/** Whether what the service and its database say to each other can be read and changed on the way. */
export async function checkEncryption(knex: Knex, url: string, say: (line: string) => void): Promise<Finding[]> {
  const { list, warn } = createFindings('database')
  const [rows] = (await knex.raw("SHOW SESSION STATUS LIKE 'Ssl_cipher'")) as [{ Value: string }[]]
  const cipher = rows[0]?.Value ?? ''
  say(
    cipher
      ? `the connection to the database is encrypted (${cipher})`
      : 'the connection to the database is not encrypted',
  )
  if (!cipher && !staysHere(url)) {
    const what =
      'the connection to another machine is not encrypted: passwords, signatures and balances can be read and changed'
    warn('database.notEncrypted', what, `Add ?ssl={"rejectUnauthorized":true,"verifyIdentity":true} to DATABASE_URL.`)
  }
  return list
}

/** Whether the connection leaves this machine's kernel. */
function staysHere(url: string): boolean {
  const { hostname, searchParams } = new URL(url)
  return searchParams.has('socketPath') || /^(|localhost|127\.[\d.]+|\[::1\])$/i.test(hostname)
}
