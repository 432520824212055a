import fc from 'fast-check'
import { delegateKinds, tokenKinds } from './invariantWorld.js'

/**
 * Operations as fast-check makes and shrinks them: small numbers that the run turns into what is there at that moment.
 */
const user = fc.nat({ max: 1 })
const pick = fc.nat({ max: 1_000_000 })
const delegateKind = fc.constantFrom(...delegateKinds, ...Array<'ours' | 'next'>(8).fill('ours'), 'next', 'next')
const tokenKind = fc.oneof(
  { weight: 9, arbitrary: fc.constantFrom('native', 'good', 'silent', 'reentrant') },
  { weight: 1, arbitrary: fc.constantFrom(...tokenKinds) },
)
const amount = fc.oneof(
  { weight: 30, arbitrary: fc.constantFrom(0n, 1n, 99n, 100n, 300n) },
  { weight: 1, arbitrary: fc.constantFrom(5_000n, 100_000n, 1n << 112n, (1n << 256n) - 1n) },
)
/** The last two are the vault and nobody. */
const recipient = fc.oneof(
  { weight: 12, arbitrary: fc.constantFrom(0, 1, 2, 4, 5) },
  { weight: 1, arbitrary: fc.constantFrom(3, 6, 7) },
)
const transfer = fc.record({ token: tokenKind, to: recipient, amount })
const transfers = fc.array(transfer, { maxLength: 2 })
const operator = fc.constantFrom(...Array<'operator'>(10).fill('operator'), 'second', 'second', 'stranger', 'owner')

const callKind = fc.constantFrom('note', 'note', 'valued', 'payNative', 'payToken', 'poke')
const batch = fc.record({
  isElsewhere: fc.nat({ max: 5 }).map((n) => n === 5),
  calls: fc.array(callKind, { maxLength: 3 }),
  fails: fc.nat({ max: 11 }).map((n) => n === 11),
})
/** Whether a step goes in a transaction with another one. */
const isBundled = fc.nat({ max: 3 }).map((n) => n === 3)
/** How an intent is brought: straight or by the vault, whole or in part, as it was signed or altered. */
const bringing = fc.record({
  way: fc.constantFrom('direct', 'direct', 'vault', 'vaultWithTransfers', 'vaultWithTransfers'),
  carried: fc.constantFrom('all', 'here', 'here', 'here', 'here', 'here', 'one', 'one', 'none'),
  tampering: fc.constantFrom(...Array<'no'>(20).fill('no'), 'signature', 'calls', 'exp', 'type', 'account'),
  operator,
  transfers,
  isOldKey: fc.nat({ max: 9 }).map((n) => n === 9),
  isBundled,
  pick,
})

export const operation = fc.oneof(
  { withCrossShrink: true },
  {
    weight: 4,
    arbitrary: fc.record({ type: fc.constant('passTime'), seconds: fc.constantFrom(1n, 200n, 256n, 3_000n, 86_400n) }),
  },
  {
    weight: 30,
    arbitrary: fc.record({
      type: fc.constant('sign'),
      user,
      signatureType: fc.constantFrom('ecdsa', 'eip712'),
      batches: fc.array(batch, { minLength: 1, maxLength: 3 }),
      starts: fc.constantFrom(-1_000n, -1_000n, -1_000n, 0n, 250n),
      lasts: fc.constantFrom(0n, 100n, 300n, 2_000n, 30_000n, 90_000n, 90_000n, 1n << 40n),
      isHeldBack: fc.nat({ max: 4 }).map((n) => n === 4),
      bringing,
    }),
  },
  { weight: 25, arbitrary: fc.record({ type: fc.constant('bringAgain'), bringing }) },
  {
    weight: 12,
    arbitrary: fc.record({
      type: fc.constant('pay'),
      operator,
      transfers,
      isOldKey: fc.nat({ max: 4 }).map((n) => n === 4),
      isBundled,
      pick,
    }),
  },
  {
    weight: 5,
    arbitrary: fc.record({
      type: fc.constant('selfExecute'),
      user,
      isStranger: fc.nat({ max: 2 }).map((n) => n === 2),
      calls: fc.array(callKind, { maxLength: 2 }),
    }),
  },
  {
    weight: 8,
    arbitrary: fc.record({
      type: fc.constant('own'),
      by: fc.constantFrom('owner', 'owner', 'owner', 'operator', 'stranger'),
      action: fc.constantFrom(
        'operator',
        'cap',
        'cap',
        'cap',
        'cap',
        'pause',
        'resume',
        'resume',
        'resume',
        'resume',
        'withdraw',
        'withdraw',
        'handOver',
        'accept',
        'renounce',
      ),
      flag: fc.nat({ max: 2 }).map((n) => n === 0),
      // Some of them two or three usual payments reach together, and none alone.
      cap: fc.constantFrom(0n, 0n, 1n, 350n, 350n, 500n, 2_000n, 20_000n),
      transfer,
    }),
  },
  {
    weight: 4,
    arbitrary: fc.record({
      type: fc.constant('deposit'),
      user,
      way: fc.constantFrom('native', 'token', 'forced'),
      amount: fc.constantFrom(0n, 1n, 5_000n),
    }),
  },
  {
    weight: 5,
    arbitrary: fc.record({
      type: fc.constant('delegate'),
      user,
      kind: delegateKind,
      isSkipped: fc.nat({ max: 5 }).map((n) => n === 5),
    }),
  },
  { weight: 2, arbitrary: fc.record({ type: fc.constant('write'), user }) },
  {
    weight: 4,
    arbitrary: fc.record({
      type: fc.constant('arm'),
      what: fc.constantFrom('recipient', 'token'),
      with: fc.constantFrom('fulfill', 'sameKey', 'withdraw', 'execute', 'nothing'),
      pick,
    }),
  },
  { weight: 2, arbitrary: fc.record({ type: fc.constant('ask'), user, pick }) },
)

type Generated<Arbitrary> = Arbitrary extends fc.Arbitrary<infer Value> ? Value : never
export type Operation = Generated<typeof operation>
export type Bringing = Generated<typeof bringing>
export type CallKind = Generated<typeof callKind>
export type TransferChoice = Generated<typeof transfer>
