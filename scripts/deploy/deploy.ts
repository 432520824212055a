import { type Address, erc20Abi, type PublicClient } from 'viem'
import { solverVaultAbi } from '../../server/chain/generated/contracts.js'
import type { Signer } from '../../server/chain/keys/signer.js'
import { create2Address, delegateInitCode } from '../../server/devnet/deployContracts.js'
import { nativeToken } from '../../server/domain/action.js'
import type { ChainConfig } from '../../server/domain/chainConfig.js'
import { awaitPending } from './awaitPending.js'
import { readDeployableFile } from './deployableFile.js'
import { describePlan } from './describePlan.js'
import { DeployRefused } from './deployRefused.js'
import { type ChainPlan, planChain, type PlannedStep } from './planChain.js'
import { onChain, reachNodes } from './reachNodes.js'
import { sayIfNobodyOperates } from './sayIfNobodyOperates.js'
import { sendSteps } from './sendSteps.js'
import { takenNonces, whyKept } from './whyKept.js'
import { ownerInFile, vaultAddressesOf, whyNotReplaced, whyOtherVault } from './vaultOwner.js'

export type DeployOptions = {
  chainsFile: string
  /** Where the completed file goes. */
  out: string
  /** Null: only a dry run is possible. */
  signer: Signer | null
  /** The key stood in the environment: good enough for test chains only. */
  isPlainKey: boolean
  /** Null: for whom the vault was made that the file names, if the file calls him its owner; else the signer. */
  owner: Address | null
  operators: readonly Address[]
  /** They were named for this; else they are the service's keys. */
  areNamed: boolean
  dryRun: boolean
  replaceVault: boolean
  /** Whatever is pending of the deployer may be replaced; else only what deploys. */
  replacePending: boolean
  /** Which of the vaults that code and owner make; 0 is the first. Null: the one that the file names. */
  vaultNumber: number | null
  env: NodeJS.ProcessEnv
}

/**
 * `done`: all is in place. `planned`: a dry run found something to do. `ownerHasTo`: the rest is the owner's.
 * `nobodyOperates`: a vault pays nothing yet, as no operator was named and none is known.
 */
type DeployOutcome = 'done' | 'planned' | 'ownerHasTo' | 'nobodyOperates'

/** A run of it: what is wanted where, and how the chains are reached. */
type Run = {
  options: DeployOptions
  say: (line: string) => void
  file: ReturnType<typeof readDeployableFile>
  wanted: Parameters<typeof planChain>[2]
  /** The chains whose vault is made by this run, as far as they were looked at. */
  madeNow: Set<number>
  chains: { chain: ChainConfig; reader: PublicClient }[]
}

/** What was missing on each chain when all were looked at. */
type Plans = { plan: ChainPlan; reader: PublicClient }[]

/**
 * Makes every chain of the file as the file says: both contracts at the addresses that code and owner determine,
 * operators, caps. All chains are looked at before anything is sent, and again afterwards; what is there is left alone,
 * so that it may be run again after any failure.
 */
export async function deploy(options: DeployOptions, say: (line: string) => void): Promise<DeployOutcome> {
  const run = await begin(options, say)
  const plans = await planAll(run)
  if (options.dryRun) return reportDryRun(run, plans)
  const vaultBlocks = isMissing(plans, 'deployer') ? await sendAll(run) : new Map<number, number>()
  return checkAndWrite(run, plans, vaultBlocks)
}

/** Reads the file and reaches its chains; refuses what no look at what is missing is needed for. */
async function begin(options: DeployOptions, say: Run['say']): Promise<Run> {
  const { operators, areNamed } = options
  const owner = ownerOf(options, say)
  const made = { delegate: create2Address(delegateInitCode()), vaultOf: vaultAddressesOf(owner) }
  const file = readDeployableFile(options.chainsFile, made, options)
  const real = file.chains.filter((chain) => !chain.testnet).map((chain) => chain.chainId)
  if (options.isPlainKey && real.length > 0) {
    const advice = 'use DEPLOYER_KEYS_FILE or DEPLOYER_SIGNER_URL'
    throw new DeployRefused(`DEPLOYER_PRIVATE_KEYS: not marked testnet: ${real.join(', ')}; ${advice}`)
  }
  const deployer = options.signer?.address ?? owner
  const madeNow = new Set<number>()
  const isMadeNow = (chainId: number) => madeNow.has(chainId)
  const wanted = { deployer, owner, operators, areNamed, isMadeNow, vaultNumber: file.vaultNumber }
  const chains = await Promise.all(file.chains.map(async (chain) => ({ chain, reader: await reachNodes(chain, say) })))
  const run = { options, say, file, wanted, madeNow, chains }
  await refuseOtherVaults(run)
  say(`delegate ${made.delegate}`)
  say(`vault    ${file.vault} of owner ${owner}, number ${file.vaultNumber}`)
  return run
}

async function refuseOtherVaults({ options, file, wanted, chains }: Run): Promise<void> {
  const { vault: made, isMixed } = file
  const { owner } = wanted
  const whyNotThis = async (chain: ChainConfig, reader: PublicClient, named: Address): Promise<string | null> => {
    if (!options.replaceVault) return whyOtherVault(chain, reader, { named, made, owner, isMixed })
    // Whom the file calls the owner may be the one whose key is lost.
    return options.owner ? null : whyNotReplaced(chain, reader, { named, deployer: options.signer?.address })
  }
  const reasons = await Promise.all(
    file.others.map(({ index, named }) => {
      const { chain, reader } = chains[index]!
      return onChain(chain, whyNotThis(chain, reader, named))
    }),
  )
  const refusals = reasons.filter((reason) => reason !== null)
  if (refusals.length > 0) throw new DeployRefused(refusals.join('\n'))
}

/** Says and returns what is missing on each chain; refuses what could not be sent. */
async function planAll(run: Run): Promise<Plans> {
  const { options, say, wanted, madeNow } = run
  const plans: Plans = []
  for (const { chain, reader } of run.chains) {
    const plan = await onChain(chain, planNow(run, chain, reader))
    plans.push({ plan, reader })
    if (!plan.hasVault) madeNow.add(chain.chainId)
    const refusal = await onChain(chain, describePlan(plan, reader, wanted.deployer, say))
    if (refusal === null) continue
    if (!options.dryRun) throw new DeployRefused(refusal)
    say(`  it would be refused now. ${refusal}`)
  }
  refuseFormerOwner(
    plans.map(({ plan }) => plan),
    wanted.owner,
  )
  return plans
}

async function planNow({ options, say, wanted }: Run, chain: ChainConfig, reader: PublicClient): Promise<ChainPlan> {
  const { deployer } = wanted
  const first = await planChain(chain, reader, wanted)
  if (options.dryRun || !first.steps.some(({ by }) => by === 'deployer')) return first
  requireSigner(options)
  const { latest, pending } = await awaitPending(first, reader, deployer, say)
  const plan = latest > first.nonce ? await planChain(chain, reader, wanted) : first
  const taken = options.replacePending ? [] : takenNonces(plan, pending)
  const reason = await whyKept(plan, reader, deployer, taken)
  if (reason !== null) throw new DeployRefused(reason)
  return plan
}

function isMissing(plans: Plans, by: PlannedStep['by']): boolean {
  return plans.some(({ plan }) => plan.steps.some((step) => step.by === by))
}

async function reportDryRun(run: Run, plans: Plans): Promise<DeployOutcome> {
  let found: DeployOutcome = 'done'
  for (const { plan, reader } of plans) if (await nobodyOperates(run, plans, plan, reader)) found = 'nobodyOperates'
  run.say('Dry run: nothing was sent and nothing was written.')
  return isMissing(plans, 'deployer') || isMissing(plans, 'owner') ? 'planned' : found
}

/** Sends what is missing; returns, by chain, the block before which the vault was not there. */
async function sendAll(run: Run): Promise<Map<number, number>> {
  const { say, file, chains } = run
  const vaultBlocks = new Map<number, number>()
  // Of all chains before anything is sent and paid for, since it may fail.
  for (const { chain, reader } of chains) {
    const next = await onChain(chain, nextBlockWithout(file.vault, chain, reader))
    if (next === null) continue
    vaultBlocks.set(chain.chainId, next)
    // Should a later chain fail, the file is not written, and the next run finds the vault there.
    say(`${chain.chainId}: vaultBlock ${next}, before which the vault is not there`)
  }
  for (const { chain, reader } of chains) {
    say(`${chain.chainId} ${chain.name}`)
    await onChain(chain, sendPlanned(run, chain, reader))
  }
  return vaultBlocks
}

/** Planned anew first: what was pending may have been mined while the other chains were looked at. */
async function sendPlanned({ options, say, wanted }: Run, chain: ChainConfig, reader: PublicClient): Promise<void> {
  const signer = requireSigner(options)
  const { replacePending } = options
  while (!(await sendSteps(await planChain(chain, reader, wanted), reader, signer, { replacePending, say }))) {
    say(`  something else of ${wanted.deployer} was mined meanwhile; the rest is planned anew`)
  }
}

function requireSigner({ signer }: DeployOptions): Signer {
  if (signer) return signer
  throw new DeployRefused('There is something to send, and no DEPLOYER_ key to sign it with.')
}

/** Looks at all chains again, says what is left for their owners, and writes the completed file. */
async function checkAndWrite(run: Run, plans: Plans, vaultBlocks: Map<number, number>): Promise<DeployOutcome> {
  const { options, say, file, wanted } = run
  let left: DeployOutcome = 'done'
  const funders = new Map<number, Address[]>()
  for (const { chain, reader } of run.chains) {
    const plan = await onChain(chain, planChain(chain, reader, wanted))
    funders.set(chain.chainId, [plan.owner, wanted.owner, ...(await ownersOf(chain.formerVaults ?? [], reader))])
    const undone = plan.steps.find((step) => step.by === 'deployer')
    if (undone) throw new DeployRefused(`Chain ${chain.chainId}: not there after all: ${undone.what}`)
    if ((await nobodyOperates(run, plans, plan, reader)) && left === 'done') left = 'nobodyOperates'
    for (const { what, to, data } of plan.steps) {
      left = 'ownerHasTo'
      say(`${chain.chainId}: the owner ${plan.owner} has to ${what}: to ${to} data ${data}`)
    }
  }
  file.write(options.out, vaultBlocks, funders)
  say(`Checked on chain. Written: ${options.out}`)
  return left
}

async function nobodyOperates(
  { options, say }: Run,
  plans: Plans,
  plan: ChainPlan,
  reader: PublicClient,
): Promise<boolean> {
  if (options.operators.length > 0) return false
  const isNew = plans.some(({ plan: first }) => first.chain === plan.chain && !first.hasVault)
  return sayIfNobodyOperates(plan, reader, { isNew, say })
}

/** Whoever has the key that a vault was taken from, as it had leaked perhaps, would own the next one. */
function refuseFormerOwner(plans: readonly ChainPlan[], owner: Address): void {
  const made = plans.find(({ hasVault }) => !hasVault)
  const other = plans.find(({ hasVault, owner: current }) => hasVault && current !== owner)
  if (!made || !other) return
  throw new DeployRefused(
    `Chain ${made.chain.chainId}: the vault would be made for ${owner}, and that of chain ${other.chain.chainId}, which was made for ` +
      `him too, is ${other.owner}'s by now. Replace the vault on all chains: --replace-vault --owner ${other.owner}.`,
  )
}

/** Of those that a node tells. */
async function ownersOf(vaults: readonly Address[], reader: PublicClient): Promise<Address[]> {
  const asked = vaults.map((address) =>
    reader.readContract({ address, abi: solverVaultAbi, functionName: 'owner' }).catch(() => null),
  )
  return (await Promise.all(asked)).flatMap((owner) => (owner === null ? [] : (owner.toLowerCase() as Address)))
}

function ownerOf({ owner, signer, chainsFile }: DeployOptions, say: (line: string) => void): Address {
  if (owner) return owner
  const inFile = ownerInFile(chainsFile)
  if (inFile) say(`owner    ${inFile}, vaultOwner in the file, for whom the vault was made that it names`)
  const found = inFile ?? signer?.address
  if (!found) throw new DeployRefused('--owner <address> is missing, and there is no DEPLOYER_ key to be it')
  return found
}

/**
 * The block that comes next, in which the vault may be made. Null: it is there, or something is at its address already.
 */
async function nextBlockWithout(vault: Address, chain: ChainConfig, reader: PublicClient): Promise<number | null> {
  const balanceOf = (token: Address) =>
    token === nativeToken
      ? reader.getBalance({ address: vault })
      : reader.readContract({ address: token, abi: erc20Abi, functionName: 'balanceOf', args: [vault] })
  // Read before what it holds: what comes later is in a block from this one on.
  const head = await reader.getBlockNumber({ cacheTime: 0 })
  if ((await reader.getCode({ address: vault })) !== undefined) return null
  // Of a token that does not answer nobody knows; doctor tells of it.
  const held = await Promise.all(chain.tokens.map(({ address }) => balanceOf(address).catch(() => null)))
  return held.every((amount) => amount === 0n) ? Number(head) + 1 : null
}
