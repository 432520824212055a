import type { Knex } from 'knex'
import { amazonRds } from '../../server/config/databaseUrl.js'
import { createFindings, type Finding, type Findings } from './finding.js'

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
    warn('database.notEncrypted', what, `Add ${verifying} to DATABASE_URL.`)
  }
  if (cipher) checkVerification(url, warn)
  return list
}

/** Whether whoever stands between could take part in the encryption, by what the address of the database asks for. */
export function checkVerification(url: string, warn: Findings['warn']): void {
  if (staysHere(url)) return
  const remedy = `Have DATABASE_URL say ${verifying}; NODE_EXTRA_CA_CERTS names a CA that Node does not know.`
  const asked = new URL(url).searchParams.get('ssl') ?? '{}'
  const { rejectUnauthorized, verifyIdentity } = (asked === amazonRds ? {} : JSON.parse(asked)) as Record<
    string,
    unknown
  >
  if (rejectUnauthorized === false) {
    const what =
      'the connection to another machine is encrypted, but its certificate is not verified: whoever stands between can read and change all'
    warn('database.notVerified', what, remedy)
  } else if (verifyIdentity !== true) {
    const what =
      'that the certificate of the database names its host is not verified: any other of the same CA is taken for it'
    warn('database.identityNotVerified', what, remedy)
  }
}

const verifying = '?ssl={"rejectUnauthorized":true,"verifyIdentity":true}'

/** Whether the connection leaves this machine's kernel. */
function staysHere(url: string): boolean {
  const { hostname, searchParams } = new URL(url)
  return searchParams.has('socketPath') || /^(|localhost|127\.[\d.]+|\[::1\])$/i.test(hostname)
}
