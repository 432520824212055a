import { variablesIn } from './chainsFile.js'
import { distance } from './distance.js'
import { keyVariables } from './operatorKeys.js'

/** All that the service and `npm run deploy` read of their environment, but for what a chains file has filled in. */
export const knownVariables: readonly string[] = [
  'PORT',
  'HOST',
  'DATABASE_URL',
  'DATA_DIR',
  'CHAINS_FILE',
  ...keyVariables,
  'ROLE',
  'ON_DEMAND_PROOF',
  'METRICS_PORT',
  'TRUSTED_PROXIES',
  'LOG_LEVEL',
  'CORS_ORIGINS',
  'BODY_LIMIT_BYTES',
  'BUNDLE_MAX_STEPS',
  'BUNDLE_WAIT_MS',
  'MAX_CONNECTIONS',
  'RATE_LIMIT_PER_MINUTE',
]

/** So short, and any environment has names that look like it. */
const tooShort = 5
/** Up to here a second wrong letter makes another word, as of `DATA_DIR` and `BASE_DIR`. */
const short = 8

/**
 * Names that are likely to be mistaken ones: passed over, what they say would be the default. Of the values nothing is
 * repeated, nor a name that may be one. `chainsText` is the chains file, or nothing.
 */
export function misspeltVariables(env: NodeJS.ProcessEnv, chainsText: string): string[] {
  const known = [...knownVariables, ...variablesIn(chainsText)]
  const problems: string[] = []
  for (const [name, value] of Object.entries(env)) {
    if (!value || known.includes(name) || isOfCluster(name, value)) continue
    const prefix = /^(?:SOLVER|DEPLOYER)_/.exec(name)?.[0]
    const near = knownVariables.find((other) => isNear(name, other) && (prefix !== undefined || !env[other]))
    const shown = /^\w{1,40}$/.test(name) ? name : `A variable that begins with ${prefix}`
    if (near) problems.push(`${name}: is not known; did you mean ${near}?`)
    else if (prefix) problems.push(`${shown}: is not known; with ${prefix} there are ${namesWith(prefix)}`)
  }
  return problems
}

function isNear(name: string, known: string): boolean {
  if (known.length <= tooShort) return false
  return distance(name.toUpperCase(), known) <= (known.length > short ? 2 : 1)
}

/** What Kubernetes and Docker's links set for a service that is called `solver`, or nearly as one of ours. */
function isOfCluster(name: string, value: string): boolean {
  if (/_SERVICE_(HOST|PORT(_\w+)?)$|_PORT_\d+_(TCP|UDP|SCTP)(_(PROTO|PORT|ADDR))?$/.test(name)) return true
  return name.endsWith('_PORT') && /^(tcp|udp|sctp):\/\//.test(value)
}

function namesWith(prefix: string): string {
  return keyVariables.filter((name) => name.startsWith(prefix)).join(', ')
}
