import { expect } from 'chai'
import type { Hex, SignedAuthorization } from 'viem'
import { recoverAuthorizationAddress } from 'viem/utils'
import { ChainMismatchError, IntentError } from '../../sdk/src/errors.js'
import { sendOnDemand } from '../../sdk/src/sendOnDemand.js'
import { signAuthorization } from '../../sdk/src/sign.js'
import { eip712IntentDigest, recoverIntentSigner } from '../../sdk/src/signing.js'
import { newUser } from '../support/wallets.js'
import { errorOf } from './scriptedClient.js'
import { delegate, good, signingScene, stranger, vault } from './signingScene.js'

/** As it was signed by one account for one chain. */
type Signed = { chainAuthorizations: [SignedAuthorization]; intents: [{ signature: Hex }] }

describe('what is signed', () => {
  const { account, intents, service, watched } = signingScene()

  async function mismatchOf(promise: Promise<unknown>): Promise<ChainMismatchError> {
    const error = await promise.catch((reason: unknown) => reason)
    expect(error).to.be.instanceOf(ChainMismatchError)
    return error as ChainMismatchError
  }

  it('is there to be looked at before, with the digests computed here', async () => {
    const { client } = await service([good])
    const prepared = await client.prepareAction({ account, intents })
    expect(prepared.authorizations).to.deep.equal([{ address: delegate, chainId: 31337, nonce: 3 }])
    expect(prepared.chains).to.deep.equal([{ chainId: 31337, delegate, vault }])
    const [intent] = prepared.intents
    expect(intent!.digest).to.equal(eip712IntentDigest(intent!))
    const request = await client.signAction(prepared, { account })
    expect(request.chainAuthorizations).to.have.length(1)
    const signature = (request.intents[0] as { signature: `0x${string}` }).signature
    expect(await recoverIntentSigner({ ...intent!, signature })).to.equal(account.address)
  })

  it('authorizes nothing where the account is delegated to another delegate that the service takes', async () => {
    const code = `0xef0100${stranger.slice(2)}`.toLowerCase()
    const both = { ...good, delegates: [delegate, stranger] }
    const { client } = await service([both], undefined, code)
    expect((await client.prepareAction({ account: { address: account.address }, intents })).authorizations).to.be.empty
    // Who names the one that he trusts trusts no other.
    const expectation = { delegates: { 31337: delegate } }
    const trusting = await client.prepareAction({ account, intents, expect: expectation })
    expect(trusting.authorizations).to.deep.equal([{ address: delegate, chainId: 31337, nonce: 3 }])
    const { client: other } = await service([{ ...good, delegates: [delegate] }], undefined, code)
    expect((await other.prepareAction({ account, intents })).authorizations).to.have.length(1)
  })

  for (const [part, changed] of [
    ['delegate', { delegate: stranger, solver: vault }],
    ['vault', { delegate, solver: stranger }],
  ] as const) {
    it(`is refused when the ${part} has changed since the caller read the chains`, async () => {
      const { client, posted } = await service([good, changed])
      const { signed, account: signer } = watched()
      await client.getChains()
      const error = await mismatchOf(client.send({ account: signer, intents }))
      expect(error).to.include({ reason: 'changed', part, chainId: 31337, actual: stranger, retryable: false })
      expect(signed).to.deep.equal([])
      expect(posted()).to.deep.equal([])
      // Whoever has read the chains again has seen the change.
      await client.getChains()
      expect((await client.prepareAction({ account, intents })).chains[0]?.[part]).to.equal(stranger)
    })

    it(`is refused when the ${part} changes between preparation and signing`, async () => {
      const { client, posted } = await service([good, changed])
      const { signed, account: signer } = watched()
      const error = await mismatchOf(client.send({ account: signer, intents }))
      expect(error).to.include({ reason: 'changed', part, expected: part === 'vault' ? vault : delegate })
      expect(signed).to.deep.equal([])
      expect(posted()).to.deep.equal([])
    })

    it(`is refused when the ${part} is not the one that the caller expects`, async () => {
      const expectation = { delegates: { 31337: delegate }, vaults: { 31337: vault } }
      const { client } = await service([changed], expectation)
      const { signed, account: signer } = watched()
      expect(await mismatchOf(client.send({ account: signer, intents }))).to.include({ reason: 'unexpected', part })
      const pay = () => Promise.reject(new Error('It has been paid.'))
      const batches = [{ chainId: 31337, tokenTransfers: intents[0]!.chainBatches[0]!.tokenTransfers.slice() }]
      const onDemand = sendOnDemand(client, { user: account.address, intents: [{ chainBatches: batches }], pay })
      expect(await mismatchOf(onDemand)).to.include({ reason: 'unexpected', part })
      expect(signed).to.deep.equal([])
      // Nor are they given to be built into an action, however they change from one reading to the next.
      expect(await mismatchOf(client.getChains())).to.include({ reason: 'unexpected', part })
      const lowerCase = { ...expectation, [`${part}s`]: { 31337: stranger.toLowerCase() } }
      await client.prepareAction({ account, intents, expect: lowerCase })
    })
  }

  it('is refused where a contract that was there is none any more', async () => {
    for (const part of ['delegate', 'solver'] as const) {
      const { client } = await service([good, { ...good, [part]: '' }])
      await client.getChains()
      const error = await mismatchOf(client.prepareAction({ account, intents }))
      expect(error).to.include({ reason: 'changed', part: part === 'solver' ? 'vault' : part, actual: '' })
    }
  })

  it('may be looked at on chains that the caller’s list does not name', async () => {
    const { client } = await service([good], { vaults: { 1: vault } })
    expect(await client.getChains()).to.have.length(1)
  })

  it('is refused on a chain that the caller’s list does not name', async () => {
    const { client } = await service([good])
    const error = await mismatchOf(client.prepareAction({ account, intents, expect: { vaults: { 1: vault } } }))
    expect(error).to.include({ reason: 'unexpected', part: 'vault', expected: null })
  })

  it('is refused when an authorization signed before names a delegate that is not expected', async () => {
    const { client } = await service([good])
    const signed = { address: stranger, chainId: 31337, nonce: 0, r: '0x1', s: '0x1' } as const
    const preparing = client.prepareAction({
      account,
      intents,
      chainAuthorizations: [signed],
      expect: { delegates: { 31337: delegate } },
    })
    expect(await mismatchOf(preparing)).to.include({ part: 'delegate', actual: stranger })
  })

  it('is nothing where what the caller expects is misspelled or no address', async () => {
    const { client } = await service([good])
    const { signed, account: signer } = watched()
    const prepared = await client.prepareAction({ account: signer, intents })
    for (const trust of [{ vault: { 31337: vault } }, { delegates: { 31337: 5 } }, null, []]) {
      const signing = client.signAction(prepared, { account: signer, expect: trust as never })
      expect((await errorOf(signing, IntentError)).message).to.match(/^expect/)
    }
    expect(signed).to.deep.equal([])
    await client.signAction(prepared, { account: signer, expect: { delegates: undefined, vaults: { 31337: vault } } })
  })

  it('is refused when it was altered after it was prepared, or is another account’s', async () => {
    const { client } = await service([good])
    const { signed, account: signer } = watched()
    const prepared = await client.prepareAction({ account: signer, intents })
    const [intent] = prepared.intents
    const altered = { ...prepared, intents: [{ ...intent!, exp: intent!.exp + 1 }] }
    expect(await client.signAction(altered, { account: signer }).catch((e: unknown) => e)).to.be.instanceOf(IntentError)
    const other = newUser()
    expect(await client.signAction(prepared, { account: other }).catch((e: unknown) => e)).to.be.instanceOf(IntentError)
    expect(signed).to.deep.equal([])
  })

  for (const [what, alter] of [
    ['contract', { address: stranger }],
    ['chain', { chainId: 1 }],
  ] as const) {
    it(`is no authorization whose ${what} was altered after it was prepared`, async () => {
      const { client } = await service([good], { delegates: { 31337: delegate }, vaults: { 31337: vault } })
      const { signed, account: signer } = watched()
      const prepared = await client.prepareAction({ account: signer, intents })
      const authorizations = prepared.authorizations.map((draft) => ({ ...draft, ...alter }))
      const refusal = await client
        .signAction({ ...prepared, authorizations }, { account: signer })
        .catch((e: Error) => e)
      expect(refusal).to.be.instanceOf(IntentError)
      expect((refusal as Error).message).to.contain('A chain or an authorization was altered')
      expect(signed).to.deep.equal([])
    })
  }

  it('is for nothing but what was checked, whatever else was added to it on its way', async () => {
    const { client } = await service([good])
    const prepared = await client.prepareAction({ account, intents })
    const authorizations = prepared.authorizations.map((draft) => ({
      ...draft,
      delegate: stranger,
      contractAddress: stranger,
    }))
    const altered = {
      ...prepared,
      authorizations,
      intents: prepared.intents.map((one) => ({ ...one, account: newUser() })),
    }
    const request = (await client.signAction(altered, { account })) as unknown as Signed
    const [{ address, chainId, nonce, r, s, yParity }] = request.chainAuthorizations
    expect(address).to.equal(delegate)
    const signer = await recoverAuthorizationAddress({
      authorization: { address, chainId, nonce, r, s, yParity: yParity! },
    })
    expect(signer).to.equal(account.address)
    const plain = (await client.signAction(prepared, { account })) as unknown as Signed
    expect(request.intents[0].signature).to.equal(plain.intents[0].signature)
  })

  it('is nothing once an authorization was altered, added, left out or replaced', async () => {
    const { client } = await service([good])
    const { signed, account: signer } = watched()
    const prepared = await client.prepareAction({ account: signer, intents })
    const [draft] = prepared.authorizations
    const own = await signAuthorization({ account, delegate, chainId: 31337, nonce: 3 })
    const given = await client.prepareAction({ account: signer, intents, chainAuthorizations: [own] })
    for (const altered of [
      { ...prepared, authorizations: [{ ...draft!, nonce: 4 }] },
      { ...prepared, authorizations: [draft!, { ...draft!, nonce: 4 }] },
      { ...prepared, authorizations: [] },
      { ...prepared, chainAuthorizations: [own] },
      { ...given, chainAuthorizations: [{ ...own, nonce: 4 }] },
      { ...given, chainAuthorizations: [] },
    ]) {
      const refusal = await errorOf(client.signAction(altered, { account: signer }), IntentError)
      expect(refusal.message).to.equal(
        'A chain or an authorization was altered, added or left out after it was prepared.',
      )
    }
    expect(signed).to.deep.equal([])
    expect((await client.signAction(given, { account: signer })).chainAuthorizations).to.deep.equal([own])
  })

  it('is nothing where an authorization would be encoded as one for every chain, or is none', async () => {
    const { client } = await service([good])
    const { signed, account: signer } = watched()
    const prepared = await client.prepareAction({ account: signer, intents })
    const own = await signAuthorization({ account, delegate, chainId: 31337, nonce: 3 })
    const altered = { ...prepared, authorizations: [...prepared.authorizations, { ...own, nonce: NaN }] }
    const refusal = await errorOf(client.signAction(altered, { account: signer }), IntentError)
    expect(refusal.message).to.contain('authorizations[1].nonce has to be a whole number')
    for (const address of [undefined, 5, `0x${'5e'.repeat(32)}`]) {
      const changed = { ...prepared, authorizations: [{ ...prepared.authorizations[0]!, address: address as never }] }
      const { message } = await errorOf(client.signAction(changed, { account: signer }), IntentError)
      expect(message).to.contain('authorizations[0].address has to be').and.not.to.contain('5e5e')
    }
    const chainAuthorizations = [{ ...own, chainId: 0 }]
    const preparing = client.prepareAction({ account: signer, intents, chainAuthorizations })
    const why = await errorOf(preparing, IntentError)
    expect(why.message).to.contain('chainAuthorizations[0].chainId has to be a whole number above 0')
    expect(signed).to.deep.equal([])
  })

  it('is nothing where an intent has a kind of signature that there is not', async () => {
    const { client } = await service([good])
    const { signed, account: signer } = watched()
    const prepared = await client.prepareAction({ account: signer, intents })
    const altered = prepared.intents.map((intent) => ({ ...intent, signatureType: 'foo' as never }))
    const signing = client.signAction({ ...prepared, intents: altered }, { account: signer })
    expect((await errorOf(signing, IntentError)).message).to.contain("'eip712' or 'ecdsa'")
    expect(signed).to.deep.equal([])
  })

  it('is nothing when the list of contracts was shortened, so that there was nothing to compare', async () => {
    const { client } = await service([good, { delegate: stranger, solver: vault }])
    const { signed, account: signer } = watched()
    const prepared = await client.prepareAction({ account: signer, intents })
    const authorizations = prepared.authorizations.map((draft) => ({ ...draft, address: stranger }))
    const altered = { ...prepared, authorizations, chains: [] }
    expect(await client.signAction(altered, { account: signer }).catch((e: unknown) => e)).to.be.instanceOf(IntentError)
    expect(signed).to.deep.equal([])
  })

  it('is held to the contracts that the caller expects once more, whatever the prepared action says', async () => {
    const { client } = await service([good, { delegate: stranger, solver: vault }])
    const { signed, account: signer } = watched()
    const expected = { delegates: { 31337: delegate } }
    const prepared = await client.prepareAction({ account: signer, intents, expect: expected })
    const authorizations = prepared.authorizations.map((draft) => ({ ...draft, address: stranger }))
    const chains = prepared.chains.map((chain) => ({ ...chain, delegate: stranger }))
    const signing = client.signAction({ ...prepared, authorizations, chains }, { account: signer, expect: expected })
    expect(await mismatchOf(signing)).to.include({ reason: 'unexpected', part: 'delegate', actual: stranger })
    const foreign = { address: stranger, chainId: 31337, nonce: 0, r: '0x1', s: '0x1' } as const
    const replaced = { ...prepared, authorizations: [], chainAuthorizations: [foreign] }
    const sending = client.signAction(replaced, { account: signer, expect: expected })
    expect(await mismatchOf(sending)).to.include({ reason: 'unexpected', actual: stranger })
    expect(signed).to.deep.equal([])
  })

  it('is nothing at all for an intent that holds at no time, however it came to be prepared', async () => {
    const { client, posted } = await service([good])
    const { signed, account: signer } = watched()
    const refusal = (promise: Promise<unknown>) => promise.catch((error: unknown) => error)
    const empty = intents.map((intent) => ({ ...intent, nbf: 9, exp: 9 }))
    expect(await refusal(client.prepareAction({ account: signer, intents: empty }))).to.be.instanceOf(IntentError)
    expect(await refusal(client.send({ account: signer, intents: empty }))).to.be.instanceOf(IntentError)
    const prepared = await client.prepareAction({ account: signer, intents })
    const changed = prepared.intents.map(({ digest: _digest, ...intent }) => ({ ...intent, nbf: intent.exp }))
    const emptied = changed.map((intent) => ({ ...intent, digest: eip712IntentDigest(intent) }))
    const signing = client.signAction({ ...prepared, intents: emptied }, { account: signer })
    expect(await refusal(signing)).to.be.instanceOf(IntentError)
    expect(signed).to.deep.equal([])
    expect(posted()).to.deep.equal([])
  })
})
