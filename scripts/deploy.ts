/**
 * Deploys both contracts on every chain of a chains file, at the same address everywhere, and sets operators and caps.
 * Usage: npm run deploy -- --chains <file> [--owner <address>] [--operators <address,…>] [--out <file>]
 *        [--replace-vault] [--vault-number <n>] [--replace-pending] [--dry-run]
 * Both --replace-vault and --vault-number go for all chains of the file: a vault is replaced on all of them or on none.
 * What is pending of the deployer and no part of this is replaced, and lost, only by --replace-pending.
 * DEPLOYER_PRIVATE_KEYS (one key, test chains only), or DEPLOYER_KEYS_FILE or DEPLOYER_SIGNER_URL as for the service,
 * signs. The operators are those of the SOLVER_ variables unless they are given. The owner is the one given by --owner;
 * without it the file's vaultOwner, if the vault that the file names was deployed for that address; otherwise the
 * deployer. Where --replace-vault is to take a vault from somebody else than the deployer, --owner has to be given.
 * Ends with 0 when all is in place, 2 when the owner has to send the rest or nobody may operate the vault yet, 3 when a
 * dry run found something to do.
 */
import { readFileSync } from 'node:fs'
import { parseArgs } from 'node:util'
import type { Address } from 'viem'
import { createRedactor } from '../server/chain/nodes/redact.js'
import { wrongWith } from '../server/config/chainAddresses.js'
import { misspeltVariables } from '../server/config/knownVariables.js'
import { openSigners } from '../server/start/openSigners.js'
import { namesOperatorKeys, readOperatorKeys } from '../server/config/operatorKeys.js'
import { deploy } from './deploy/deploy.js'
import { DeployRefused } from './deploy/deployRefused.js'
import { helpIfAsked, withUsage } from './tools/usage.js'

const usage =
  'Usage: npm run deploy -- --chains <file> [--owner <address>] [--operators <address,…>] [--out <file>] ' +
  '[--replace-vault] [--vault-number <n>] [--replace-pending] [--dry-run]. The vault of the file is replaced on all its ' +
  'chains or on none. What is pending of the deployer and no part of this is replaced, and lost, only by --replace-pending.'

const exitCodes = { done: 0, ownerHasTo: 2, nobodyOperates: 2, planned: 3 }

helpIfAsked(usage)
try {
  process.exitCode = exitCodes[await run()]
} catch (thrown) {
  const error = withUsage(thrown, usage)
  // What a node or a library says may hold the node's address, and with it a credential.
  const text =
    error instanceof DeployRefused
      ? error.message
      : createRedactor([])(error instanceof Error ? error.message : String(error))
  process.stderr.write(`${text}\n`)
  process.exitCode = 1
}

async function run() {
  const { values } = parseArgs({
    options: {
      chains: { type: 'string' },
      owner: { type: 'string' },
      operators: { type: 'string' },
      out: { type: 'string' },
      'replace-vault': { type: 'boolean', default: false },
      'vault-number': { type: 'string' },
      'replace-pending': { type: 'boolean', default: false },
      'dry-run': { type: 'boolean', default: false },
    },
  })
  if (!values.chains) throw new DeployRefused('--chains <file> is missing')
  const vaultNumber = values['vault-number'] ?? null
  if (vaultNumber !== null && !/^\d{1,2}$/.test(vaultNumber)) throw new DeployRefused('--vault-number: from 0 to 99')
  const misspelt = misspeltVariables(process.env, readFileSync(values.chains, 'utf8'), 'deploy')
  if (misspelt.length > 0) throw new DeployRefused(misspelt.join('\n'))
  const [signer, ...more] = await signersOf('DEPLOYER')
  if (more.length > 0) throw new DeployRefused('DEPLOYER_ names more than one key')
  const operators = values.operators
    ? values.operators.split(',').map((text) => address(text.trim(), '--operators'))
    : (await signersOf('SOLVER')).map((operator) => operator.address)
  return deploy(
    {
      chainsFile: values.chains,
      out: values.out ?? values.chains,
      signer: signer ?? null,
      isPlainKey: Boolean(process.env.DEPLOYER_PRIVATE_KEYS),
      owner: values.owner ? address(values.owner, '--owner') : null,
      operators,
      areNamed: Boolean(values.operators),
      dryRun: values['dry-run'],
      replacePending: values['replace-pending'],
      replaceVault: values['replace-vault'],
      vaultNumber: vaultNumber === null ? null : Number(vaultNumber),
      env: process.env,
    },
    (line) => void process.stdout.write(`${line}\n`),
  )
}

async function signersOf(prefix: 'DEPLOYER' | 'SOLVER') {
  const signs = namesOperatorKeys(process.env, prefix)
  // Whose keys operators have will do to let them operate.
  if (!signs && !process.env[`${prefix}_SIGNER_ADDRESSES`]) return []
  const problems: string[] = []
  const keys = readOperatorKeys(process.env, problems, { prefix, signs: signs || prefix === 'DEPLOYER' })
  if (problems.length > 0) throw new DeployRefused(problems.join('\n'))
  return openSigners(keys)
}

function address(text: string, option: string): Address {
  const wrong = wrongWith(text)
  // What is longer may be a private key.
  const shown = text.length > 42 ? 'what is given' : text
  if (wrong) throw new DeployRefused(`${option}: ${shown} ${wrong}`)
  return text.toLowerCase() as Address
}
