import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import { keccak256, recoverTransactionAddress, type TransactionSerialized } from 'viem'
import { createRemoteSigners } from '../../server/chain/keys/remoteSigner.js'
import { createSigner } from '../../server/chain/keys/signer.js'
import { type SignerMood, startRemoteSigner } from '../support/remoteSigner.js'
import { account, authorize, lower, unsignedTransaction } from './devChain.js'

describe('a remote signer', () => {
  const folder = mkdtempSync(join(tmpdir(), 'signer-'))
  const keys = [keccak256('0x01'), keccak256('0x02')]
  const local = keys.map((key) => createSigner(key))
  let remote: Awaited<ReturnType<typeof startRemoteSigner>>

  before(async () => (remote = await startRemoteSigner(keys)))
  afterEach(() => remote.mood('well'))
  after(async () => {
    await remote.stop()
    rmSync(folder, { recursive: true, force: true })
  })

  const open = (url = remote.url) =>
    createRemoteSigners(
      url,
      local.map((signer) => signer.address),
    )

  it('signs for each of its addresses, both kinds of transactions', async () => {
    const authorization = await authorize(account(4), lower(account(3).address), 2)
    for (const authorizations of [[], [authorization]]) {
      for (const signer of open()) {
        const raw = await signer.signTransaction({ ...unsignedTransaction, authorizations })
        const from = await recoverTransactionAddress({ serializedTransaction: raw as TransactionSerialized })
        expect(lower(from)).to.equal(signer.address)
        expect(raw.slice(0, 4)).to.equal(authorizations.length > 0 ? '0x04' : '0x02')
      }
    }
  })

  it('is reached through a unix socket as well', async () => {
    const other = await startRemoteSigner(keys, join(folder, 'socket'))
    expect(other.url).to.equal(`unix:${join(folder, 'socket')}`)
    expect(await open(other.url)[0]!.signTransaction(unsignedTransaction)).to.match(/^0x02/)
    await other.stop()
  })

  const failures: [SignerMood, RegExp][] = [
    ['hangs up', /connection/],
    ['refuses', /HTTP 500/],
    ['takes another key', /another key/],
    ['talks nonsense', /no signature/],
    ['silent', /no answer within/],
  ]
  for (const [mood, reason] of failures) {
    it(`that ${mood} gives an error with the reason, and signs again when it is well`, async function () {
      this.timeout(15_000)
      const [signer] = open()
      await signer!.signTransaction(unsignedTransaction)
      await remote.mood(mood)
      const failure = await signer!.signTransaction(unsignedTransaction).then(
        () => null,
        (error: Error) => error,
      )
      expect(failure?.message).to.match(reason)
      await remote.mood('well')
      expect(await signer!.signTransaction(unsignedTransaction)).to.match(/^0x02/)
    })
  }

  it('that does not hold a key says so', async () => {
    const [signer] = createRemoteSigners(remote.url, [lower(account(5).address)])
    const failure = await signer!.signTransaction(unsignedTransaction).catch((error: Error) => error.message)
    expect(failure).to.contain('does not hold the key')
  })
})
