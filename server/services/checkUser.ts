import { type Address, zeroAddress } from 'viem'
import type { Issue } from '../domain/errors.js'
import { isVault } from '../domain/chainConfig.js'
import { issueAt } from '../domain/issueAt.js'
import type { Settings } from '../domain/settings.js'

/**
 * Checks who can be the user of an action or of a deposit. The service's own addresses can't: what they pay is nobody's
 * credit. Nor can the zero address, from which minted tokens come, the solver's own inventory among them; nor those who
 * give the vault its inventory: an on-demand action carries no signature, so that anyone could have inventory paid back
 * to them. `mayFund`: accepts the last of these, for requests that earn them no credit, such as a withdrawal's report.
 */
export function* checkUser(user: Address, settings: Settings, { mayFund = false } = {}): Generator<Issue> {
  if (settings.funders.has(user) && !mayFund) {
    const rule = 'may not be the vault’s owner or another one from whom it gets its inventory'
    yield issueAt('/user', rule, 'user_not_allowed')
    return
  }
  const reserved = [...settings.chains.values()].some((chain) => isVault(user, chain) || chain.delegates.includes(user))
  if (!reserved && !settings.operators.includes(user) && user !== zeroAddress) return
  yield issueAt('/user', 'may not be the vault, an operator, a delegate or the zero address', 'user_not_allowed')
}
