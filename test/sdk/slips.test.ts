import { expect } from 'chai'
import { createIntentClient } from '../../sdk/src/client.js'
import { IntentError } from '../../sdk/src/errors.js'
import { signAuthorization, signIntent, signRegistration } from '../../sdk/src/sign.js'
import { sendOnDemand } from '../../sdk/src/sendOnDemand.js'
import { newUser } from '../support/wallets.js'
import { ref } from './replies.js'

/** What those run into whom no types hold, before anything is sent or signed. */
describe('what is given to the SDK wrongly', () => {
  const account = newUser()
  const client = createIntentClient({ baseUrl: 'http://127.0.0.1:9', retries: 0 })
  const transfer = { from: account.address, to: account.address, token: account.address, amount: 1n }
  const call = { to: account.address, value: 0n, data: '0x' }
  const batch = { chainId: 1, tokenTransfers: [transfer], calls: [call] }

  async function messageOf(run: () => unknown): Promise<string> {
    try {
      await run()
    } catch (error) {
      expect(error).to.be.instanceOf(IntentError).and.to.include({ retryable: false })
      return (error as Error).message
    }
    return 'It has not failed.'
  }

  const send = (what: object) => () => client.send({ account, ...what } as never)
  const payOf =
    (what: object, more: object = {}) =>
    () => {
      const chainBatches = [{ chainId: 1, tokenTransfers: [transfer], ...more }]
      const pay = () => Promise.reject(new Error('nothing is paid'))
      return sendOnDemand(client, { user: account.address, intents: [{ chainBatches }], pay, ...what } as never)
    }
  const inBatch = (change: object) => send({ intents: [{ chainBatches: [{ ...batch, ...change }] }] })
  const inTransfer = (change: object) => inBatch({ tokenTransfers: [{ ...transfer, ...change }] })

  const inIntent = (change: object, more: object = {}) =>
    send({ intents: [{ chainBatches: [batch], ...change }], ...more })
  const inRegistration = (change: object) => () =>
    signRegistration({ account, ...ref, hash: `0x${'12'.repeat(32)}`, ...change })
  const inAuthorization = (change: object) => () =>
    signAuthorization({ account, delegate: account.address, chainId: 1, nonce: 0, ...change })

  const slipsOfTrust: [trust: unknown, says: string][] = [
    ...['vault', 'delegate', 'solvers'].map((slip): [unknown, string] => [
      { delegates: {}, [slip]: { 1: account.address } },
      `expect.${slip} is unknown.`,
    ]),
    ...[null, 5, 5n, [], [[]], 'x'].map((trust): [unknown, string] => [
      trust,
      'expect has to be an object, no list; it is ',
    ]),
    ...[null, [], [account.address], account.address, 5].map((delegates): [unknown, string] => [
      { delegates },
      'expect has to be an object, no list; it is ',
    ]),
    ...['alice.eth', 5, 5n, null, `${account.address}0`].map((vault): [unknown, string] => [
      { vaults: { 1: vault } },
      'expect.1 has to be an address (0x and 40 hex digits); it is ',
    ]),
  ]

  for (const [what, run, message] of [
    ['no intents', send({}), 'intents has to be a list; it is missing.'],
    ['an empty list of intents', send({ intents: [] }), 'intents is empty.'],
    ['no batches', send({ intents: [{}] }), 'intents[0].chainBatches has to be a list; it is missing.'],
    ['no calls', inBatch({ calls: undefined }), 'intents[0].chainBatches[0].calls has to be a list; it is missing.'],
    ['no transfers', inBatch({ tokenTransfers: null }), 'chainBatches[0].tokenTransfers has to be a list; it is null.'],
    ...['1', 0, -1, 1.5, NaN, 2 ** 53, 1n].map((chainId) => [
      `the ${typeof chainId} ${chainId} for a chain id`,
      inBatch({ chainId }),
      `chainBatches[0].chainId has to be a whole number above 0; it is the ${typeof chainId} ${chainId}.`,
    ]),
    ['no chain to pay on', payOf({}, { chainId: 0 }), 'chainId has to be a whole number above 0; it is the number 0.'],
    [
      'a number for an amount',
      inTransfer({ amount: 1 }),
      'amount has to be a bigint below 2^256, not negative; it is the number 1.',
    ],
    ['a debt', inTransfer({ amount: -1n }), 'it is the bigint -1.'],
    ['a name for an address', inTransfer({ to: 'alice.eth' }), 'tokenTransfers[0].to has to be an address'],
    [
      'nobody who pays',
      inTransfer({ from: undefined }),
      "tokenTransfers[0].from has to be an address or 'solver'; it is missing.",
    ],
    ['half a byte', inBatch({ calls: [{ ...call, data: '0x1' }] }), 'calls[0].data has to be bytes'],
    ['no value', inBatch({ calls: [{ ...call, value: undefined }] }), 'calls[0].value has to be a bigint'],
    ['an address for an account', send({ account: account.address, intents: [] }), 'account has to be an object'],
    [
      'an account that can’t sign',
      send({ account: { address: account.address }, intents: [] }),
      'walletAccount(walletClient)',
    ],
    [
      'another mode',
      send({ intents: [{ mode: 'non-7702:on-demand', chainBatches: [batch] }] }),
      'mode has to be 7702 (see sendOnDemand)',
    ],
    [
      'milliseconds',
      send({ intents: [{ chainBatches: [batch], exp: Date.now() + 60_000 }] }),
      'exp has to be in whole unix seconds, not milliseconds',
    ],
    ['seconds as bigint', inIntent({ exp: 1795740239n }), 'exp has to be a number of seconds; it is the bigint'],
    ['seconds as text', inIntent({ nbf: '5' }), 'nbf has to be a number of seconds; it is the string 5.'],
    [
      'an unknown kind of signature',
      inIntent({ signatureType: 'foo' }),
      "intents[0].signatureType has to be 'eip712' or 'ecdsa'; it is the string foo.",
    ],
    [
      'an unknown kind of signature to a signature',
      () => signIntent({ account, chainBatches: [batch as never], signatureType: 'foo' as never }),
      "intent.signatureType has to be 'eip712' or 'ecdsa'",
    ],
    [
      'nobody who signs an intent',
      () => signIntent({ account: {} as never, chainBatches: [batch as never] }),
      "account can't sign; give a local account",
    ],
    [
      'nobody who signs a message',
      () => {
        const { signTypedData } = account
        return signIntent({
          account: { signTypedData } as never,
          chainBatches: [batch as never],
          signatureType: 'ecdsa',
        })
      },
      "account can't sign; give a local account",
    ],
    [
      'nobody who signs a registration',
      () => signRegistration({ account: {} as never, actionId: '', intentIndex: 0, stepIndex: 0, hash: '0x' }),
      "account can't sign; give a local account",
    ],
    ...[{ actionId: undefined }, { actionId: 'one' }].map((change) => [
      `the action ${change.actionId} in a registration`,
      inRegistration(change),
      'actionId has to be a UUID; it is',
    ]),
    ['no intent in a registration', inRegistration({ intentIndex: undefined }), 'intentIndex has to be a whole number'],
    ['a step as text in a registration', inRegistration({ stepIndex: '0' }), 'stepIndex has to be a whole number'],
    [
      'no hash in a registration',
      inRegistration({ hash: undefined }),
      'hash has to be 0x and 64 hex digits; it is missing.',
    ],
    ['half a hash in a registration', inRegistration({ hash: '0x12' }), 'hash has to be 0x and 64 hex digits'],
    [
      'no delegate, but an address',
      inAuthorization({ delegate: undefined, address: account.address }),
      'authorization.delegate has to be the address of a delegate; it is missing.',
    ],
    ...[undefined, null, NaN, 0, 0n, -1, 1.5, '1'].map((chainId) => [
      `the chain ${typeof chainId} ${chainId} in an authorization`,
      inAuthorization({ chainId }),
      'chainId has to be a whole number above 0 (that is every chain); it is',
    ]),
    ...[undefined, NaN, -1, 1.5, 0n, '0'].map((nonce) => [
      `the nonce ${typeof nonce} ${nonce} in an authorization`,
      inAuthorization({ nonce }),
      'nonce has to be a whole number, not negative; it is',
    ]),
    [
      'milliseconds to a signature',
      () => signIntent({ account, chainBatches: [batch as never], nbf: Date.now() }),
      'nbf has to be',
    ],
    ['no id', () => client.getAction(''), 'actionId is missing.'],
    ['no address', () => client.getBalances(undefined as never), 'address is missing.'],
    ['no service', () => createIntentClient({} as never), 'baseUrl has to be'],
    [
      'a service at no host',
      () => createIntentClient({ baseUrl: 'http://[bad' }),
      'address, without a query or a login; it',
    ],
    ['a port that is none', () => createIntentClient({ baseUrl: 'http://a:99999' }), 'it is http://a:99999.'],
    ['a service with a login', () => createIntentClient({ baseUrl: 'http://u:p@127.0.0.1' }), 'or a login.'],
    ...slipsOfTrust.flatMap(([trust, says], index) =>
      [
        (expect: never) => createIntentClient({ baseUrl: 'http://127.0.0.1:9', expect }),
        (expect: never) => inIntent({}, { expect })(),
        (expect: never) => payOf({ expect })(),
        (expect: never) => client.checkChains([1], { expect }),
      ].map((use, place) => [`what is trusted (${index}, ${place})`, () => use(trust as never), says]),
    ),
    ['a service with a query', () => createIntentClient({ baseUrl: 'http://127.0.0.1/?a=1' }), 'without a query'],
    ...['0', 0n, -1, undefined].flatMap((index) =>
      [
        () => client.getStep({ ...ref, stepIndex: index as never }),
        () => client.executeStep({ ...ref, stepIndex: index as never }),
        () => client.registerStep({ ...ref, stepIndex: index as never }, { hash: `0x${'12'.repeat(32)}` }),
        () => client.waitForStep({ ...ref, stepIndex: index as never }, { timeoutMs: 50 }),
        () => client.waitForStep({ ...ref, stepIndex: index as never }, { timeoutMs: 50, pollIntervalMs: 20 }),
      ].map((use, place) => [
        `the ${typeof index} ${index} for a step (${place})`,
        use,
        'stepIndex has to be a whole number, not negative; it is',
      ]),
    ),
    ['a text for an intent', () => client.getStep({ ...ref, intentIndex: '0' as never }), 'intentIndex has to be a wh'],
    ...[undefined, null, ''].flatMap((id) => [
      [`the action ${id} to watch`, () => client.watchAction(id as never).next(), 'actionId is missing.'],
      [
        `the action ${id} to wait for`,
        () => client.waitForAction(id as never, { timeoutMs: 50 }),
        'actionId is missing.',
      ],
    ]),
    ...[-1, 1.5, '2', NaN].flatMap((retries) => [
      [
        `the ${typeof retries} ${retries} of retries, for all`,
        () => createIntentClient({ baseUrl: 'http://127.0.0.1:9', retries: retries as never }),
        `retries has to be a whole number, not negative; it is the ${typeof retries} ${retries}.`,
      ],
      [
        `the ${typeof retries} ${retries} of retries, for one`,
        () => client.getAction('a', { retries: retries as never }),
        'retries has to be a whole number',
      ],
    ]),
    ['a path for an id', () => client.getAction('..'), 'actionId is no name.'],
    ['an empty key', send({ intents: [], idempotencyKey: '' }), 'idempotencyKey has to be 1 to 255 printable'],
    ['a key that no header holds', () => client.createAction({} as never, { idempotencyKey: '€' }), 'printable ASCII'],
    ['an endless pause', () => client.waitForStep(ref, { pollIntervalMs: Infinity }), 'pollIntervalMs has to be'],
    ['an empty list of batches', inIntent({ chainBatches: [] }), 'intents[0].chainBatches is empty.'],
    ['an empty list of intents, to pay', payOf({ intents: [] }), 'intents is empty.'],
    [
      'a limit that is none, for all',
      () => createIntentClient({ baseUrl: 'http://127.0.0.1:9', timeoutMs: NaN }),
      'timeoutMs has to be a number of milliseconds; it is the number NaN.',
    ],
    ['a limit as text, for one', () => client.getAction('a', { timeoutMs: '5' as never }), 'timeoutMs has to be'],
    [
      'a wait that is none',
      () => client.executeStep(ref, { waitSeconds: -1 }),
      'waitSeconds has to be a number of seconds; it is the number -1.',
    ],
    ['a limit that is none', () => client.waitForStep(ref, { timeoutMs: NaN }), 'timeoutMs has to be'],
    ['no time for a step', send({ intents: [], stepTimeoutMs: 0 }), 'stepTimeoutMs has to be'],
    ['a text for a limit', send({ intents: [], stepTimeoutMs: '60' }), 'stepTimeoutMs has to be'],
    [
      'an endless pause of a run',
      () => client.runAction('a', { pollIntervalMs: Infinity }),
      'pollIntervalMs has to be',
    ],
    ['a limit that is none, to pay', payOf({ stepTimeoutMs: NaN }), 'stepTimeoutMs has to be'],
    ['calls to pay', payOf({}, { calls: [call] }), 'chainBatches[0].calls has to be left out: name a call'],
    ['no way to pay', payOf({ pay: undefined }), 'pay has to be a function'],
    ['an account that registers nothing', payOf({ account: {} }), "account can't sign"],
    ['the account of another', payOf({ account: newUser() }), 'account is 0x'],
    ['a service without a scheme', () => createIntentClient({ baseUrl: 'localhost:3000' }), 'it is localhost:3000.'],
    [
      'a signed mode on demand',
      () =>
        sendOnDemand(client, {
          user: account.address,
          intents: [{ mode: '7702', chainBatches: [batch] }],
          pay: () => null,
        } as never),
      'mode has to be non-7702:on-demand; it is the string 7702.',
    ],
  ] as [string, () => unknown, string][]) {
    it(`is named with its place and the rule: ${what}`, async () => {
      expect(await messageOf(run)).to.contain(message)
    })
  }

  const key = `0x${'5e'.repeat(32)}`
  const onDemand = (user: unknown) => () => sendOnDemand(client, { user, intents: [], pay: () => null } as never)
  for (const [what, run] of [
    ['an account', send({ account: key })],
    ['an account as a short text', send({ account: '5e5e' })],
    ['an account as a number', send({ account: BigInt(key) })],
    ['the address of an account', send({ account: { ...account, address: key } })],
    ['the user', onDemand(key)],
    ['the user as a short text', onDemand('5e5e')],
    ['a recipient', inTransfer({ to: key })],
    ['a recipient as a number', inTransfer({ to: BigInt(key) })],
    ['a mode', inIntent({ mode: key })],
    ['a kind of signature', inIntent({ signatureType: key })],
  ] as [string, () => unknown][]) {
    it(`is not quoted where a key was given for ${what}`, async () => {
      const message = await messageOf(run)
      expect(message).to.match(/ has to be | is not /)
      expect(message)
        .not.to.contain('5e5e')
        .and.not.to.contain(String(BigInt(key)).slice(0, 12))
    })
  }

  it('takes an address of the service as text and as URL', () => {
    expect(() => createIntentClient({ baseUrl: new URL('https://intents.example.org/') })).not.to.throw()
  })

  it('rejects for what is no signal, and leaves no timer behind that throws later', async () => {
    const timers = () => process.getActiveResourcesInfo().filter((kind) => kind === 'Timeout').length
    // The test's own limit is there from the second turn on.
    await Promise.resolve()
    const before = timers()
    const signal = new AbortController() as unknown as AbortSignal
    const waits = [client.waitForAction('x', { signal }), client.getAction('x', { signal })]
    for (const wait of waits) {
      expect(await wait.catch((reason: unknown) => reason)).to.be.instanceOf(TypeError)
    }
    expect(timers()).to.equal(before)
  })
})
