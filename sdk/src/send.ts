import type { Action } from './amounts.js'
import { checkSigner } from './checkInput.js'
import { checkTimes } from './checkTimes.js'
import { type PrepareCalls, type PrepareOptions, prepareAction, signAction } from './prepareAction.js'
import { tell } from './progress.js'
import { keyOf } from './randomKey.js'
import { runAction, type RunCalls, type RunOptions } from './runAction.js'
import type { SigningAccount } from './sign.js'
import { type CreateAction, storeAction } from './storeAction.js'

export type SendOptions = RunOptions &
  PrepareOptions & {
    /** Who signs, and whose account acts. */
    account: SigningAccount
    /**
     * Makes a second `send` the same action, as long as it says the same: name `exp` and `chainAuthorizations` too,
     * which change with the time else. Random by default, so that each `send` is an action of its own.
     */
    idempotencyKey?: string | undefined
  }

type SendCalls = RunCalls & PrepareCalls & { createAction: CreateAction }

/** Prepares, signs, creates and carries out an action of signed intents; resolves with the finished action. */
export async function send(calls: SendCalls, options: SendOptions): Promise<Action> {
  const { account, expect, signal } = options
  const idempotencyKey = keyOf(options.idempotencyKey)
  checkSigner(account)
  checkTimes(options)
  const prepared = await prepareAction(calls, { ...options, idempotencyKey })
  await tell(options, { type: 'prepared', prepared })
  const request = await signAction(calls, prepared, { account, expect, signal })
  await tell(options, { type: 'signed', request, idempotencyKey })
  const created = await storeAction(calls, request, { idempotencyKey, signal })
  await tell(options, { type: 'created', ...created, idempotencyKey })
  return runAction(calls, created.actionId, options)
}
