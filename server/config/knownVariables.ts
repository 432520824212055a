import { variablesIn } from './chainsFile.js'
import { distance } from './distance.js'
import { keyVariables } from './operatorKeys.js'

/** All variables that the service and `npm run deploy` read, but for those that a chains file has filled in. */
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

/** What each program reads, and how names begin that are its own alone: all others may be meant for another program. */
const programs = {
  service: { reads: knownVariables.filter((name) => !name.startsWith('DEPLOYER_')), own: /^SOLVER_/ },
  deploy: { reads: keyVariables as readonly string[], own: /^(?:SOLVER|DEPLOYER)_/ },
}

/** Names this short (`PORT`) are not looked for misspelt: any environment has names that are like them. */
const tooShort = 5

/**
 * The problems with names that are likely misspelt: such a variable would be passed over, and the default hold. No
 * value is repeated, nor a name that may be one. `chainsText` is the chains file, empty where there is none, null where
 * it can't be read: any name may be filled in there.
 */
export function misspeltVariables(
  env: NodeJS.ProcessEnv,
  chainsText: string | null,
  program: keyof typeof programs = 'service',
): string[] {
  const { reads, own } = programs[program]
  const known = [...reads, ...variablesIn(chainsText ?? '')]
  const problems: string[] = []
  for (const [name, value] of Object.entries(env)) {
    if (!value || known.includes(name) || isSetByOrchestrator(name, value)) continue
    const prefix = own.exec(name)?.[0]
    const near = reads.find((other) => isNear(name, other) && (prefix !== undefined || !isSet(env, other)))
    const shown = /^\w{1,40}$/.test(name) ? name : `A variable that begins with ${prefix}`
    if (near) problems.push(`${name}: is not known; did you mean ${near}?`)
    else if (prefix && chainsText !== null) {
      problems.push(`${shown}: is not known; with ${prefix} there are ${namesWith(prefix)}`)
    }
  }
  return problems
}

/**
 * One letter more, less or other, or two swapped. Two such changes would meet names that others use (`DATABASE_SSL`).
 */
function isNear(name: string, known: string): boolean {
  if (known.length <= tooShort) return false
  const upper = name.toUpperCase()
  return distance(upper, known) <= 1 || upper.replace(/Y$/, 'IES') === known
}

function isSet(env: NodeJS.ProcessEnv, name: string): boolean {
  return Boolean(env[name]) && !isSetByOrchestrator(name, env[name]!)
}

/**
 * Whether Kubernetes or Docker's links have set the variable. Their names come from names of services, and may look
 * like ours: for a service that is called `metrics` they set `METRICS_PORT`.
 */
export function isSetByOrchestrator(name: string, value: string): boolean {
  if (/_SERVICE_(HOST|PORT(_\w+)?)$|_PORT_\d+_(TCP|UDP|SCTP)(_(PROTO|PORT|ADDR))?$/.test(name)) return true
  if (/^[A-Z0-9]+_ENV_\w/.test(name) || (name.endsWith('_NAME') && /^\/[^/]+\/[^/]+$/.test(value))) return true
  return name.endsWith('_PORT') && /^(tcp|udp|sctp):\/\//.test(value)
}

function namesWith(prefix: string): string {
  return keyVariables.filter((name) => name.startsWith(prefix)).join(', ')
}
