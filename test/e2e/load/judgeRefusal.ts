import { expect } from 'chai'
import type { ErrorCode, Issue, IssueCode } from '../../../server/api/generated/types.gen.js'
import type { Api, Reply } from '../../support/api.js'
import type { Random } from '../../support/random.js'

/** What a refusal has to say. */
export type Refusal = {
  status: number
  /** Of the envelope; `POST /actions` has none for 400. */
  code?: ErrorCode
  /** The rule and the place that one of the issues names. */
  issue?: [IssueCode, string]
  /** What the message names. */
  says?: RegExp
}

export type BadRequest = { what: string; send(api: Api, random: Random): Promise<Reply>; refusal: Refusal }

/** It has the status, the word and the place that it has to have, and names the request. */
export function judgeRefusal({ what, refusal }: BadRequest, { status, body, headers }: Reply): void {
  const told = `${what}: ${status} ${JSON.stringify(body).slice(0, 1_000)}`
  expect(status, told).to.equal(refusal.status)
  expect(headers.get('x-request-id'), told).to.equal(body.requestId)
  const isEnvelope = typeof body.error === 'object'
  if (refusal.code) expect(body.error.code, told).to.equal(refusal.code)
  if (refusal.says) expect(isEnvelope ? body.error.message : body.error, told).to.match(refusal.says)
  if (!refusal.issue) return
  const [code, path] = refusal.issue
  const issues = ((isEnvelope ? body.error.issues : body.issues) ?? []) as Issue[]
  const found = issues.find((issue) => issue.code === code)
  expect(found?.path, told).to.equal(path)
}
