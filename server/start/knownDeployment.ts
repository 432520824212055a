import { type Address, getAddress } from 'viem'
import type { Logger } from 'pino'
import { nativeToken } from '../domain/action.js'
import type { ChainConfig } from '../domain/chainConfig.js'
import { type AddressOfChain, compareKnown, type Comparison, type KnownAddress } from '../domain/compareKnown.js'
import { findToken } from '../domain/solverNeeds.js'
import type { UnconfiguredCredit } from '../services/findings/chainState.js'
import type { Database } from '../store/connection/database.js'
import { readKnownAddresses, rememberAddresses } from '../store/knownAddresses.js'
import { readCreditLeft } from '../store/money/balances.js'
import { countFundedFrom, countLeadingTo, isUser, readUnderWay, type UnderWay } from '../store/underWay.js'
import { ConfigurationRefused } from './configurationRefused.js'

/** Something that was configured once and is not any more, or that must not be configured now. */
type Dropped = {
  kind: 'vault' | 'chain' | 'token' | 'funder'
  chainId: number
  what: string
  remedy: string
}

/** The chains file compared with what the database remembers of earlier starts. */
type KnownDeployment = {
  /** What the database remembers. */
  known: KnownAddress[]
  comparison: Comparison
  /** Dropped though it is needed: to start would lose money, or leave steps where nobody works on them. */
  refused: Dropped[]
  /** Dropped, not told before, and needed by nothing that is under way. */
  allowed: Dropped[]
  unconfiguredCredit: UnconfiguredCredit[]
}

export async function readKnownDeployment(
  database: Database,
  chains: readonly ChainConfig[],
): Promise<KnownDeployment> {
  const known = await readKnownAddresses(database)
  const comparison = compareKnown(known, chains)
  const refused = comparison.forgottenVaults.map(forgottenVault)
  for (const { chainId, kind, address } of comparison.fresh) {
    if (kind === 'funder' && (await isUser(database, address))) refused.push(userNamed(chainId, address))
  }
  const allowed: Dropped[] = []
  for (const { chainId, isTold } of comparison.goneChains) {
    const underWay = await readUnderWay(database, chainId)
    const elsewhere = isTold ? nothingElsewhere : await readElsewhere(database, chainId, null)
    const dropped = droppedChain(chainId, underWay, elsewhere)
    if (countAll({ ...underWay, ...elsewhere }) > 0) refused.push(dropped)
    else if (!isTold) allowed.push(dropped)
  }
  for (const token of comparison.goneTokens) {
    const underWay = await readUnderWay(database, token.chainId)
    const elsewhere = await readElsewhere(database, token.chainId, token.address)
    const dropped = droppedToken(token, underWay, elsewhere)
    if (countAll({ ...underWay, ...elsewhere }) > 0) refused.push(dropped)
    else allowed.push(dropped)
  }
  const unconfiguredCredit: UnconfiguredCredit[] = []
  for (const token of [...comparison.unnamedTokens, ...neverNamed(known, chains)]) {
    const left = await readCreditLeft(database, token)
    if (left.users > 0) unconfiguredCredit.push({ ...token, ...left })
  }
  return { known, comparison, refused, allowed, unconfiguredCredit }
}

/** The native currencies that no chains file has named: they reach a vault, and are credit, all the same. */
function neverNamed(known: readonly KnownAddress[], chains: readonly ChainConfig[]): AddressOfChain[] {
  const chainIds = new Set([...chains, ...known].map(({ chainId }) => chainId))
  const native = [...chainIds].map((chainId) => ({ chainId, kind: 'token' as const, address: nativeToken }))
  return native.filter(({ chainId }) => {
    const isNamed = chains.some((chain) => chain.chainId === chainId && findToken(chain, nativeToken))
    return !isNamed && !known.some((contract) => contract.chainId === chainId && contract.address === nativeToken)
  })
}

/**
 * Throws `ConfigurationRefused` where the chains file drops what is still needed; else remembers what it
 * names. Resolves with the users' credit that nothing can be paid from, the tokens that were dropped, and
 * those whose payments are inventory. None of it changes while the process runs, since credit in a dropped
 * token is neither earned nor spent. One exception is found at the next start: native currency that the file
 * does not name, sent to the vault by a contract.
 */
export async function checkAndRememberDeployment(
  database: Database,
  chains: readonly ChainConfig[],
  log: Logger,
): Promise<{
  unconfiguredCredit: UnconfiguredCredit[]
  droppedTokens: AddressOfChain[]
  funders: Comparison['funders']
}> {
  const deployment = await readKnownDeployment(database, chains)
  const { comparison, refused, unconfiguredCredit } = deployment
  if (refused.length > 0) throw new ConfigurationRefused(refused.map(({ what, remedy }) => `${what}. ${remedy}`))
  await rememberDeployment(database, deployment, log)
  return { unconfiguredCredit, droppedTokens: comparison.unnamedTokens, funders: comparison.funders }
}

/**
 * Notes for the next start what the file names and what it drops, so that it is told once that something is dropped.
 */
async function rememberDeployment(
  database: Database,
  { known, comparison, allowed }: KnownDeployment,
  log: Logger,
): Promise<void> {
  const goneIds = comparison.goneChains.filter(({ isTold }) => !isTold).map(({ chainId }) => chainId)
  const ofGoneChains = known.filter(({ chainId }) => goneIds.includes(chainId))
  await rememberAddresses(database, { named: comparison.fresh, dropped: [...ofGoneChains, ...comparison.goneTokens] })
  for (const { kind, chainId, what } of allowed) log.warn({ kind, chainId }, `${what}; it is forgotten`)
}

function forgottenVault({ chainId, address }: AddressOfChain): Dropped {
  return {
    kind: 'vault',
    chainId,
    what: `the vault ${getAddress(address)} of chain ${chainId} is named no more`,
    remedy: `List it in formerVaults of chain ${chainId}: what it has paid would be paid again, and what reaches it would be nobody's credit.`,
  }
}

/** Who is a funder once is one for good: such a user could neither be paid his credit nor earn any. */
function userNamed(chainId: number, address: Address): Dropped {
  return {
    kind: 'funder',
    chainId,
    what: `${getAddress(address)}, whom chain ${chainId} names as vaultOwner or in inventoryFrom, is a user who has credit or something under way`,
    remedy:
      'Take him out; or let him have it paid out first, and give the vault inventory from an account that is no user’s.',
  }
}

function droppedChain(chainId: number, underWay: UnderWay, elsewhere: Elsewhere): Dropped {
  return {
    kind: 'chain',
    chainId,
    what: `chain ${chainId} is named no more, with ${describe(underWay)} under way on it${describeElsewhere(elsewhere)}`,
    remedy: putBack,
  }
}

function droppedToken({ chainId, address }: AddressOfChain, underWay: UnderWay, elsewhere: Elsewhere): Dropped {
  const left = `${describe(underWay)} under way on the chain${describeElsewhere(elsewhere)}`
  return {
    kind: 'token',
    chainId,
    what: `the token ${getAddress(address)} of chain ${chainId} is named no more, with ${left}`,
    remedy: putBack,
  }
}

function describeElsewhere({ leading, funded }: Elsewhere): string {
  const before = leading > 0 ? `, and ${leading} steps on other chains that steps on it follow` : ''
  return funded > 0 ? `${before}, and ${funded} steps on other chains that credit on it may pay for` : before
}

const putBack =
  'Put it back; have the service drain (see server/OPERATING.md); once `npm run operate -- status` shows nothing under way, take it out.'

function describe({ steps, transactions, deposits, airdrops, lanesAhead }: UnderWay): string {
  const lanes = lanesAhead > 0 ? `, and ${lanesAhead} lanes that it is ahead of` : ''
  return `${steps} steps, ${transactions} open transactions, ${deposits} reported deposits and ${airdrops} airdrops${lanes}`
}

function countAll(counts: Record<string, number>): number {
  return Object.values(counts).reduce((sum, count) => sum + count, 0)
}

/** How much is under way on other chains that needs the dropped chain, or the dropped token of a chain. */
type Elsewhere = {
  /** Steps that are followed, in their intents, by steps on that chain. */
  leading: number
  /** Steps that may be paid for by credit that was earned there. */
  funded: number
}

const nothingElsewhere: Elsewhere = { leading: 0, funded: 0 }

async function readElsewhere(database: Database, chainId: number, token: Address | null): Promise<Elsewhere> {
  return {
    leading: await countLeadingTo(database, chainId),
    funded: await countFundedFrom(database, chainId, token),
  }
}
