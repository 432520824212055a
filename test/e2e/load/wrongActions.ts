import { toHex } from 'viem'
import type { IssueCode } from '../../../server/api/generated/types.gen.js'
import { authorization, signedIntent, transferData } from '../../support/wallets.js'
import type { BadRequest } from './judgeRefusal.js'
import { addressOf, type LoadWorld, usdOf, userOf } from './loadWorld.js'

type Signed = Awaited<ReturnType<typeof signedIntent>>
/** Typed so that anything may be put into the places that are changed. */
type Body = {
  user: string
  chainAuthorizations: Record<string, unknown>[]
  intents: (Record<string, unknown> & { chainBatches: Batch[] })[]
}
type Batch = Record<string, unknown> & { tokenTransfers: Record<string, unknown>[]; calls: Record<string, unknown>[] }

/** An action that is right, and requests for it with one thing in it that is not. */
export async function wrongActions(world: LoadWorld): Promise<{ altered: BadRequest[]; body(): Body }> {
  const user = userOf('nobody')
  const [a, b] = world.chains
  const usd = usdOf(world, 1)
  const batches = (index: number) => [
    {
      chainId: a.chainId,
      tokenTransfers: [],
      calls: [{ to: user.address, value: 1n, data: toHex(index, { size: 8 }) }],
    },
    {
      chainId: b.chainId,
      tokenTransfers: [{ from: 'solver' as const, to: user.address, token: usd, amount: 5n }],
      calls: [{ to: usd, value: 0n, data: transferData(user.address, 1n) }],
    },
  ]
  const eip712 = await signedIntent(user, batches(1))
  const ecdsa = await signedIntent(user, batches(2), { signatureType: 'ecdsa' })
  const now = Math.floor(Date.now() / 1000)
  const past = await signedIntent(user, batches(3), { exp: now - 100 })
  const empty = await signedIntent(user, batches(4), { nbf: now + 9_000, exp: now + 9_000 })
  const allowed = [await authorization(user, a), await authorization(user, b)]
  const bodyOf = (intent: Signed): Body =>
    structuredClone({ user: user.address, chainAuthorizations: allowed, intents: [intent] }) as unknown as Body

  const place = '/intents/0/chainBatches/1'
  const changes: [string, (body: Body, batch: Batch) => unknown, IssueCode, string, Signed?][] = [
    ['another hash', (_, batch) => (batch['hash'] = flip(batch['hash'])), 'hash_mismatch', `${place}/hash`],
    ['other calls', (_, batch) => (batch.calls[0]!['data'] = '0x1235'), 'hash_mismatch', `${place}/hash`],
    ['another amount', (_, batch) => (batch.tokenTransfers[0]!['amount'] = '6'), 'hash_mismatch', `${place}/hash`],
    [
      'another signature',
      (body) => (body.intents[0]!['signature'] = flip(eip712.signature, 20)),
      'signature_mismatch',
      '/intents/0/signature',
    ],
    [
      'a short signature',
      (body) => (body.intents[0]!['signature'] = '0x1234'),
      'signature_malformed',
      '/intents/0/signature',
    ],
    ['another user', (body) => (body.user = addressOf('another')), 'signature_mismatch', '/intents/0/signature'],
    ['the vault as the user', (body) => (body.user = a.vault), 'user_not_allowed', '/user'],
    ['what has expired', () => undefined, 'expired', '/intents/0/exp', past],
    ['an empty window', () => undefined, 'window_empty', '/intents/0/nbf', empty],
    ['an unknown chain', (_, batch) => (batch['chainId'] = 5), 'chain_unsupported', `${place}/chainId`],
    [
      'an unknown token',
      (_, batch) => (batch.tokenTransfers[0]!['token'] = addressOf('token')),
      'token_unsupported',
      `${place}/tokenTransfers/0/token`,
    ],
    [
      'nothing to pay',
      (_, batch) => (batch.tokenTransfers[0]!['amount'] = '0'),
      'amount_zero',
      `${place}/tokenTransfers/0/amount`,
    ],
    [
      'another recipient',
      (_, batch) => (batch.tokenTransfers[0]!['to'] = addressOf('other')),
      'recipient_not_allowed',
      `${place}/tokenTransfers/0/to`,
      ecdsa,
    ],
    [
      'nothing to do',
      (body) => (body.intents[0]!.chainBatches[0]!.calls = []),
      'empty_batch',
      '/intents/0/chainBatches/0/calls',
    ],
    [
      'an authorization of nobody',
      (body) => (body.chainAuthorizations[1]!['nonce'] = 7),
      'authorization_mismatch',
      '/chainAuthorizations/1',
    ],
    [
      'an authorization for all chains',
      (body) => (body.chainAuthorizations[0]!['chainId'] = 0),
      'authorization_chain_invalid',
      '/chainAuthorizations/0/chainId',
    ],
    [
      'another delegate',
      (body) => (body.chainAuthorizations[0]!['address'] = user.address),
      'delegate_not_allowed',
      '/chainAuthorizations/0/address',
    ],
    ['no intents', (body) => body.intents.splice(0), 'minItems', '/intents'],
    [
      '17 intents',
      (body) => (body.intents = Array.from({ length: 17 }, () => body.intents[0]!)),
      'maxItems',
      '/intents',
    ],
    [
      '17 batches',
      (body, batch) => (body.intents[0]!.chainBatches = Array.from({ length: 17 }, () => batch)),
      'maxItems',
      '/intents/0/chainBatches',
    ],
    [
      '65 calls',
      (_, batch) => (batch.calls = Array.from({ length: 65 }, () => batch.calls[0]!)),
      'maxItems',
      `${place}/calls`,
    ],
    [
      '33 transfers',
      (_, batch) => (batch.tokenTransfers = Array.from({ length: 33 }, () => batch.tokenTransfers[0]!)),
      'maxItems',
      `${place}/tokenTransfers`,
    ],
    [
      '65 authorizations',
      (body) => (body.chainAuthorizations = Array.from({ length: 65 }, () => body.chainAuthorizations[0]!)),
      'maxItems',
      '/chainAuthorizations',
    ],
    [
      'more than 64 KiB in a call',
      (_, batch) => (batch.calls[0]!['data'] = `0x${'00'.repeat(65_537)}`),
      'maxLength',
      `${place}/calls/0/data`,
    ],
    [
      'a number as an amount',
      (_, batch) => (batch.tokenTransfers[0]!['amount'] = 5),
      'type',
      `${place}/tokenTransfers/0/amount`,
    ],
    [
      'more than 2^256',
      (_, batch) => (batch.calls[0]!['value'] = String(2n ** 256n)),
      'format',
      `${place}/calls/0/value`,
    ],
    ['no recipient', (_, batch) => delete batch.calls[0]!['to'], 'required', `${place}/calls/0/to`],
    ['an odd digit', (_, batch) => (batch.calls[0]!['data'] = '0x123'), 'pattern', `${place}/calls/0/data`],
    ['an unknown mode', (body) => (body.intents[0]!['mode'] = '7703'), 'discriminator', '/intents/0/mode'],
    [
      'an unknown signature type',
      (body) => (body.intents[0]!['signatureType'] = 'rsa'),
      'enum',
      '/intents/0/signatureType',
    ],
  ]
  const altered = changes.map(([what, change, code, path, intent = eip712]): BadRequest => {
    const body = bodyOf(intent)
    change(body, body.intents[0]!.chainBatches[1]!)
    const text = JSON.stringify(body)
    return { what, send: (to) => to.post('/actions', text), refusal: { status: 400, issue: [code, path] } }
  })
  return { altered, body: () => bodyOf(eip712) }
}

function flip(hex: unknown, at = -1): string {
  const digits = [...(hex as string)]
  const place = at < 0 ? digits.length + at : at
  digits[place] = digits[place] === '0' ? '1' : '0'
  return digits.join('')
}
