import type { Api } from '../../support/api.js'
import { onDemandIntent } from '../../support/wallets.js'
import { createAction } from './judge.js'
import type { BadRequest, Refusal } from './judgeRefusal.js'
import { addressOf, type LoadWorld, usdOf, userOf } from './loadWorld.js'
import { wrongActions } from './wrongActions.js'

const unknownId = '019a9c3e-5b7a-7c21-9d0e-3f6a8b2c4d5e'
const json = { 'content-type': 'application/json' }

/** Requests that have to be refused, each with a word of its own. */
export async function badRequests(world: LoadWorld, api: Api): Promise<BadRequest[]> {
  const user = userOf('nobody')
  const { altered, body } = await wrongActions(world)
  const [a, b] = world.chains
  const usd = usdOf(world, 1)
  const pay = (from: string) => [{ from, to: user.address, token: usd, amount: 1n }]
  const onDemand = (from: string) => ({
    user: user.address,
    intents: [onDemandIntent([{ chainId: b.chainId, tokenTransfers: pay(from) }])],
  })

  const post = (
    what: string,
    path: string,
    body: unknown,
    refusal: Refusal,
    headers: Record<string, string> = json,
  ): BadRequest => ({
    what,
    send: (to) => to.post(path, body, headers),
    refusal,
  })
  const get = (what: string, path: string, refusal: Refusal): BadRequest => ({
    what,
    send: (to) => to.get(path),
    refusal,
  })
  const invalid = (says: RegExp): Refusal => ({ status: 400, code: 'validation_failed', says })
  const missing: Refusal = { status: 404, code: 'not_found' }

  const known = await createAction(api, body())
  const paid = await createAction(api, onDemand(user.address))
  const step = (id: string, index: number | string = 0) => `/actions/${id}/intents/0/steps/${index}`
  const hash = `0x${'ab'.repeat(32)}`
  const deposit = {
    user: user.address,
    sender: user.address,
    txHash: hash,
    tokenAddress: usd,
    chainId: b.chainId,
    amount: '5',
  }
  const venue = { txHash: hash, address: user.address, actionType: 'x', venue: 'y', chainId: 1 }
  const { chainAuthorizations: _none, ...bare } = body()
  const again = { ...body(), chainAuthorizations: body().chainAuthorizations.slice(1) }

  return [
    ...altered,
    post('a signed intent with another body', '/actions', again, {
      status: 400,
      issue: ['duplicate_intent', '/intents/0'],
    }),
    post('a body that is wrong all over', '/actions', wrongAllOver(), { status: 400, issue: ['pattern', '/user'] }),
    post('no authorizations', '/actions', bare, { status: 400, says: /chainAuthorizations/ }),
    post('parts for both', '/actions', mixed(), { status: 400, issue: ['mixed_batch', '/intents/0/chainBatches/0'] }),
    post('another payer', '/actions', onDemand(addressOf('payer')), {
      status: 400,
      issue: ['transfer_from_mismatch', '/intents/0/chainBatches/0/tokenTransfers/0/from'],
    }),
    post('half of a body', '/actions', JSON.stringify(body()).slice(0, -40), {
      status: 400,
      issue: ['json', ''],
    }),
    post('no JSON', step(known), '{"action":', { ...invalid(/JSON/), issue: ['json', ''] }),
    post('a deep body', '/actions', '['.repeat(100_000), { status: 400, issue: ['json', ''] }),
    post(
      'a text',
      '/actions',
      'action=execute',
      { status: 415, code: 'unsupported_media_type' },
      { 'content-type': 'text/plain' },
    ),
    post(
      'another charset',
      '/actions',
      '{}',
      { status: 415, code: 'unsupported_media_type' },
      { 'content-type': 'application/json; charset=latin1' },
    ),
    post('no gzip', '/actions', '{}', { status: 400 }, { ...json, 'content-encoding': 'gzip' }),
    post('too large a body', '/actions', JSON.stringify({ ...body(), more: 'x'.repeat(300_000) }), {
      status: 413,
      code: 'payload_too_large',
    }),
    post('a hash for what the service sends', step(known), { hash }, { status: 400, code: 'hash_not_allowed' }),
    post('a registration of it', step(known), { action: 'register' }, { status: 400, code: 'hash_not_allowed' }),
    post('an unknown word', step(known), { action: 'undo' }, { ...invalid(/action/), issue: ['enum', '/action'] }),
    post('no hash', step(paid), undefined, { status: 400, code: 'hash_required' }),
    post('half a hash', step(paid), { hash: '0x12' }, { ...invalid(/hash/), issue: ['pattern', '/hash'] }),
    post(
      'a stranger’s registration',
      step(paid),
      { hash, signature: `0x${'11'.repeat(65)}` },
      { status: 400, code: 'registration_signature_mismatch' },
    ),
    post('the second step', step(known, 1), undefined, { status: 400, code: 'previous_step_incomplete' }),
    post('a step of nothing', step(unknownId), undefined, missing),
    post('a step that is not there', step(known, 2), undefined, missing),
    post('a step without a number', step(known, 'x'), undefined, invalid(/stepIndex/)),
    get('an unknown action', `/actions/${unknownId}`, missing),
    get('events of an unknown action', `/actions/${unknownId}/events`, missing),
    get('no identifier', '/actions/%00', missing),
    get('an unknown route', '/nothing/here', missing),
    get('a cursor of nobody', '/actions?cursor=abc', invalid(/cursor/)),
    get('a page of none', '/actions?limit=0', invalid(/limit/)),
    get('a page of too many', '/actions?limit=101', invalid(/limit/)),
    get('an unknown status', '/actions?status=lost', invalid(/status/)),
    get('a count of none', '/venue-tx-hashes?count=0', invalid(/count/)),
    {
      what: 'a wrong method',
      send: (to) => to.request('DELETE', '/actions'),
      refusal: { status: 405, code: 'method_not_allowed', says: /GET/ },
    },
    post(
      'a deposit on an unknown chain',
      '/coredeposit',
      { ...deposit, chainId: 5 },
      { status: 400, code: 'chain_unsupported', says: /chainId/ },
    ),
    post(
      'a deposit of another token',
      '/coredeposit',
      { ...deposit, tokenAddress: user.address },
      { status: 400, code: 'token_unsupported', says: /tokenAddress/ },
    ),
    post(
      'a deposit of nothing',
      '/coredeposit',
      { ...deposit, amount: '0' },
      { ...invalid(/amount/), issue: ['minimum', '/amount'] },
    ),
    post(
      'a deposit without its sender',
      '/coredeposit',
      { ...deposit, sender: undefined },
      { ...invalid(/sender/), issue: ['required', '/sender'] },
    ),
    post(
      'a record without its venue',
      '/venue-tx-hashes',
      { ...venue, venue: undefined },
      { status: 400, code: 'missing_fields', says: /venue/ },
    ),
    post(
      'a record of no hash',
      '/venue-tx-hashes',
      { ...venue, txHash: '0x1' },
      { ...invalid(/txHash/), issue: ['pattern', '/txHash'] },
    ),
    post(
      'an airdrop of a million',
      `/airdrop/${a.chainId}/usd`,
      { wallet: user.address, amount: '1000000000000000' },
      { ...invalid(/amount/), issue: ['maximum', '/amount'] },
    ),
    post(
      'an airdrop of what is not there',
      `/airdrop/${a.chainId}/gold`,
      { wallet: user.address },
      { status: 400, code: 'airdrop_unavailable' },
    ),
    post(
      'an old transaction without a user',
      '/transaction/submit',
      { authorization: [] },
      { ...invalid(/address/), issue: ['required', '/address'] },
    ),
  ]

  function mixed() {
    const transfers = [...pay(user.address), { from: 'solver', to: user.address, token: usd, amount: 1n }]
    return { user: user.address, intents: [onDemandIntent([{ chainId: b.chainId, tokenTransfers: transfers }])] }
  }
}

/** 150 kB, of lists as long as they may be: each of its sixteen thousand calls breaks three rules. */
function wrongAllOver(): string {
  const calls = Array.from({ length: 64 }, () => ({ to: 1 }))
  const chainBatches = Array.from({ length: 16 }, () => ({ calls }))
  return JSON.stringify({ user: 'x', intents: Array.from({ length: 16 }, () => ({ mode: '7702', chainBatches })) })
}
