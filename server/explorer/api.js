/** @typedef {import('../api/generated/types.gen.js').Action} Action */
/** @typedef {import('../api/generated/types.gen.js').ActionPage} ActionPage */
/** @typedef {import('../api/generated/types.gen.js').Chain} Chain */
/** @typedef {import('../api/generated/types.gen.js').TokenBalance} TokenBalance */

/** What the service answered instead of what was asked for; `status` is 0 when there was no answer. */
export class ApiError extends Error {
  /**
   * @param {number} status
   * @param {string} message
   */
  constructor(status, message) {
    super(message)
    this.status = status
  }
}

/**
 * @param {string} actionId
 * @returns {Promise<Action>}
 */
export function getAction(actionId) {
  return get(`/actions/${encodeURIComponent(actionId)}`)
}

/**
 * @param {Record<string, string>} filter
 * @returns {Promise<ActionPage>}
 */
export function listActions(filter) {
  return get(`/actions?${new URLSearchParams(filter)}`)
}

/** @returns {Promise<Map<number, Chain>>} by chain id */
export async function getChains() {
  const { data } = await get('/chains')
  return new Map(data.chains.map((/** @type {Chain} */ chain) => [chain.chainId, chain]))
}

/**
 * @param {string} address
 * @returns {Promise<TokenBalance[]>}
 */
export async function getBalances(address) {
  const { data } = await get(`/coredeposit/${encodeURIComponent(address)}`)
  return data.tokens
}

/**
 * @param {string} path
 * @returns {Promise<any>}
 */
async function get(path) {
  const response = await fetch(path).catch(() => null)
  if (!response) throw new ApiError(0, 'The service can’t be reached.')
  const body = await response.json().catch(() => null)
  if (response.ok && body !== null) return body
  const message = body?.error?.message
  throw new ApiError(
    response.status,
    typeof message === 'string' ? message : `The service answered ${response.status}.`,
  )
}
