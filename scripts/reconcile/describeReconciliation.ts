import { formatUnits } from 'viem'
import type { GroupReport } from './compareGroups.js'
import type { Reconciliation, VaultReport } from './compareVaults.js'
import type { Suspect } from './suspects.js'

/** What was found, line by line. */
export function describeReconciliation(compared: Reconciliation): string[] {
  const { vaults, groups, balanceFaults, notLookedAt, unsettled, pending } = compared
  const faults = countFaults(compared)
  return [
    ...vaults.flatMap(describeVault),
    ...groups.map(describeGroup),
    ...notLookedAt.map(
      ({ chainId, token, recorded, paid, owed }) =>
        `not looked at: ${token} on ${chainId}, which the chains file does not name. In its smallest unit the ledger has: ` +
        `recorded payments ${recorded}, paid out ${paid}, owed to users ${owed}`,
    ),
    ...balanceFaults.map(
      ({ part, token, user, chainId, kept, ledger }) =>
        `FAULT ${part} ${token} of ${user} on ${chainId}, in its smallest unit: kept ${kept}, ledger ${ledger}`,
    ),
    ...pending.map(
      ({ chainId, signer, nonce, node }) =>
        `FAULT a transaction of ${signer} with nonce ${nonce}, which the journal does not have, waits in the pool of rpcUrls/${node} ` +
        `of chain ${chainId} and may pay yet: run this again once it is mined, or once the nodes have dropped it`,
    ),
    ...unsettled
      .filter(({ chainId }) => unexplained(compared).some((vault) => vault.chainId === chainId))
      .map(
        ({ chainId, transactions }) =>
          `${transactions} transactions on ${chainId} were not settled yet; run this again once they are.`,
      ),
    faults > 0
      ? `${faults} faults.`
      : notLookedAt.length > 0
        ? 'Everything that was looked at is explained.'
        : 'Everything is explained.',
  ]
}

/** How many vaults and balances can't be explained, or may soon not be. */
export function countFaults(compared: Reconciliation): number {
  return unexplained(compared).length + compared.balanceFaults.length + compared.pending.length
}

function unexplained({ vaults }: Reconciliation): VaultReport[] {
  return vaults.filter((vault) => vault.unexplained !== 0n)
}

function describeVault(vault: VaultReport): string[] {
  const show = (amount: bigint) => formatUnits(amount, vault.token.decimals)
  const { available, reserved } = vault.owed
  return [
    `${vault.chainId} ${vault.token.symbol}: holds ${show(vault.balance)}`,
    `  owed to users       ${show(available + reserved)}, reserved of it ${show(reserved)}`,
    `  recorded payments   ${show(vault.recorded)}`,
    ...vault.unrecorded.map(
      ({ from, hash, amount }) => `  other arrival       ${show(amount)} from ${from} in ${hash}`,
    ),
    `  withdrawn by owner -${show(vault.withdrawn)}`,
    `  paid out           -${show(vault.paid)}`,
    ...(vault.unexplained === 0n ? [] : [`  FAULT unexplained   ${show(vault.unexplained)}`]),
    ...vault.suspects.map((suspect) => `    ${describeSuspect(suspect, vault, show)}`),
  ]
}

function describeGroup({ group, decimals, balance, owed }: GroupReport): string {
  const [holds, owes, own] = [balance, owed, balance - owed].map((amount) => formatUnits(amount, decimals))
  return `group ${group}: holds ${holds}, owed to users ${owes}, the owner's own ${own}`
}

function describeSuspect(suspect: Suspect, { chainId, token }: VaultReport, show: (amount: bigint) => string): string {
  switch (suspect.kind) {
    case 'arrival':
      return `${suspect.hash} brought ${show(suspect.onChain)} by its log, booked is ${show(suspect.booked)}`
    case 'unbooked':
      return (
        `${suspect.hash} paid ${show(suspect.onChain)}, of which the ledger knows nothing. Where no client posts its action ` +
        `again: npm run operate -- payout acknowledge ${chainId} ${token.address} ${suspect.hash} ${suspect.onChain} [<user>]`
      )
    case 'unpaid':
      return `${suspect.cause} says that ${show(suspect.booked)} were paid, of which the chain knows nothing`
  }
}
