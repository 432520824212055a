import { groupBy } from '../../server/lists/groupBy.js'
import type { VaultReport } from './compareVaults.js'

/**
 * What the vaults of all chains hold of a group's tokens, which have equal worth, and what of it users have credit for.
 * Both in units of the finest decimals among them.
 */
export type GroupReport = { group: string; decimals: number; balance: bigint; owed: bigint }

/**
 * Credit in one token of a group may be paid out in any other: what is the owner's own
 * shows of the group as a whole only.
 */
export function compareGroups(vaults: readonly VaultReport[]): GroupReport[] {
  const grouped = groupBy(vaults, ({ token }) => token.group)
  return [...grouped].flatMap(([group, members]) => (group === null ? [] : [addUp(group, members)]))
}

function addUp(group: string, members: readonly VaultReport[]): GroupReport {
  const decimals = Math.max(...members.map(({ token }) => token.decimals))
  const sum = (amountOf: (vault: VaultReport) => bigint) =>
    members.reduce((total, vault) => total + amountOf(vault) * 10n ** BigInt(decimals - vault.token.decimals), 0n)
  return {
    group,
    decimals,
    balance: sum(({ balance }) => balance),
    owed: sum(({ owed }) => owed.available + owed.reserved),
  }
}
