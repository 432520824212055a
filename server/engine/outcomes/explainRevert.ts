import { type Address, getAddress } from 'viem'
import type { Chain } from '../../chain/chain.js'
import type { Failure } from '../../chain/failure.js'
import type { ChainBatch } from '../../domain/action.js'
import type { StepError } from '../../domain/errors.js'
import { solverTransfers } from '../../domain/solverNeeds.js'

/** Why a step's transaction would revert or did, in the words that a client acts on. */
export async function explainRevert(failure: Failure, batch: ChainBatch, chain: Chain): Promise<StepError> {
  switch (failure.name) {
    case 'IntentExpired':
      return { code: 'intent_expired', message: failure.message, retryable: false }
    case 'IntentTooEarly':
      return { code: 'intent_not_yet_valid', message: failure.message, retryable: true }
    case 'AccountNotDelegated':
      return { code: 'account_not_delegated', message: failure.message, retryable: true }
    case 'BatchNotExecuted':
      return { code: 'batch_not_executed', message: failure.message, retryable: true }
    case 'OutflowCapExceeded':
      return { code: 'solver_outflow_cap', message: failure.message, retryable: true }
    case 'Paused':
      return { code: 'vault_paused', message: failure.message, retryable: true }
    default:
      break
  }
  const short = await missingInventory(batch, chain)
  if (short) return { code: 'solver_liquidity', message: short, retryable: true }
  return { code: 'execution_reverted', message: failure.message, retryable: true }
}

/** Whether the vault itself could not pay; it tells a lack of inventory from a failing call of the user's. */
async function missingInventory(batch: ChainBatch, chain: Chain): Promise<string | null> {
  const needed = new Map<Address, bigint>()
  for (const { token, amount } of solverTransfers(batch)) needed.set(token, (needed.get(token) ?? 0n) + amount)
  const tokens = [...needed.keys()]
  if (tokens.length === 0) return null
  const balances = await chain.balances(chain.config.vault, tokens)
  const short = tokens.find((token, index) => balances[index]! < needed.get(token)!)
  return short
    ? `The solver's vault on chain ${batch.chainId} holds too little of ${getAddress(short)} for now; ask again later.`
    : null
}
