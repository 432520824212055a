import type { Hash } from 'viem'
import type { Chain, Receipt } from '../../server/chain/chain.js'
import { fulfilledIn } from '../../server/chain/paidByVault.js'
import { sum } from '../../server/domain/bigints.js'
import { vaultsOf } from '../../server/domain/chainConfig.js'
import { depthOf, requiredConfirmations } from '../../server/domain/finality.js'
import { acknowledgePayout, forgetPayout, type UnknownPayout } from '../../server/store/money/acknowledgedPayouts.js'
import { acknowledgedIn } from '../../server/store/money/causes.js'
import type { Database } from '../../server/store/connection/database.js'
import { readKnownHashes, readPayouts } from '../../server/store/money/reconciliation.js'
import { readAddress, readAmount, readChainId, readSomebody } from './words.js'

type Place = { database: Database; chains: ReadonlyMap<number, Chain> }

/** A payout in words of the command line. */
type Named = { chainId: string; token: string; transactionHash: string; user: string | undefined }

/** Books a payout that a restored database does not know. */
export async function acknowledgeUnknownPayout(
  { amount, ...named }: Named & { amount: string },
  { database, chains }: Place,
): Promise<string> {
  const { payout, chain } = readPayout(named, chains)
  const { chainId, token } = payout
  if (!chain.config.tokens.some(({ address }) => address === token))
    throw new Error(`There is no token ${token} on chain ${chainId} in the configuration`)
  return acknowledge({ ...payout, amount: readAmount(amount) }, chain, database)
}

/** Takes back what was acknowledged. */
export async function forgetUnknownPayout(named: Named, { database, chains }: Place): Promise<string> {
  return forget(readPayout(named, chains).payout, database)
}

function readPayout(named: Named, chains: Place['chains']): { payout: UnknownPayout; chain: Chain } {
  const chainId = readChainId(named.chainId)
  const chain = chains.get(chainId)
  if (!chain) throw new Error(`There is no chain ${chainId} in the configuration`)
  const token = readAddress(named.token, '<token>')
  const user = named.user === undefined ? null : readSomebody(named.user, '<user>')
  return { payout: { chainId, token, transactionHash: readTransactionHash(named.transactionHash), user }, chain }
}

async function acknowledge(
  payout: UnknownPayout & { amount: bigint },
  chain: Chain,
  database: Database,
): Promise<string> {
  const { chainId, token, transactionHash, amount, user } = payout
  const name = `${transactionHash} on chain ${chainId}`
  const known = (await readKnownHashes(database, [transactionHash])).get(transactionHash)
  if (known && !known.isGivenUp)
    throw new Error(`The journal knows ${name}: the service books by itself what it has paid, once it is final`)
  const { transaction, receipt, head } = await chain.transaction(transactionHash, { asksAll: true })
  if (!transaction || receipt?.status !== 'success') throw new Error(`No node has ${name} as one that was carried out`)
  const fulfilled = vaultsOf(chain.config).map((vault) => fulfilledIn(transaction, receipt, vault))
  const transfers = fulfilled.flatMap((ofVault) => ofVault.transfers).filter((transfer) => transfer.token === token)
  const paid = sum(transfers.map(({ amount }) => amount))
  await requireFinal(receipt, head.number, chain, requiredConfirmations(chain.config, [{ token, amount: paid }]))
  // What its steps have booked; of what was acknowledged before, the database is asked as it books this.
  const ofSteps = (await readPayouts(database, chainId, token)).filter(
    ({ hash, cause }) => hash === transactionHash && !acknowledgedIn(cause),
  )
  const booked = sum(ofSteps.map(({ amount }) => amount))
  const recipients = [...new Set(transfers.map(({ to }) => to))]
  const causes = ofSteps.map(({ cause }) => cause)
  const stepKeys = fulfilled.flatMap(({ keys }) => keys)
  const found = { atMost: paid - booked, causes, stepKeys, recipients }
  const done = await acknowledgePayout(database, { ...payout, found }, Date.now())
  if (done.outcome === 'underWay')
    throw new Error(
      `A step or an airdrop that ${name} may have paid is under way, or has just ended: run this again then`,
    )
  if (done.outcome === 'tooMuch')
    throw new Error(
      `The vaults have paid ${paid} of ${token} in ${name}, of which the ledger has ${booked + done.acknowledged} already`,
    )
  if (done.outcome === 'before')
    throw new Error(
      `A payout of ${token} in ${name} ${user ? `to ${user} ` : ''}was acknowledged before; \`payout forget\` takes that back`,
    )
  const whose = user ? `it is an exposure to ${user}` : 'whose credit it was is not known'
  const given = known ? ', which the service had given up' : ''
  return `Booked as paid: ${amount} of ${token} in ${name}${given}, to ${recipients.join(', ')}; ${whose}.`
}

async function forget(payout: UnknownPayout, database: Database): Promise<string> {
  const { chainId, token, transactionHash, user } = payout
  const name = `${token} in ${transactionHash} on chain ${chainId}${user ? ` to ${user}` : ''}`
  const amount = await forgetPayout(database, payout, Date.now())
  if (amount === null)
    throw new Error(`No payout of ${name}${user ? '' : ' for a user that was not named'} is acknowledged`)
  return `Booked as paid no more: ${amount} of ${name}.`
}

async function requireFinal(receipt: Receipt, head: bigint, chain: Chain, needed: number): Promise<void> {
  const confirmations = depthOf(receipt.blockNumber, head)
  if (confirmations >= needed && (await chain.isCertain(receipt, needed))) return
  throw new Error(
    `${receipt.hash} has ${confirmations} of ${needed} confirmations, or fewer nodes than \`agreement\` asks for tell the ` +
      'same of it: try again later',
  )
}

function readTransactionHash(text: string): Hash {
  if (!/^0x[0-9a-fA-F]{64}$/.test(text)) throw new Error('<transactionHash> has to be 0x and 64 hex digits')
  return text.toLowerCase() as Hash
}
