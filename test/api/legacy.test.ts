import { expect } from 'chai'
import type { Address } from 'viem'
import { useTestService } from '../support/useTestService.js'
import { authorization, newUser } from '../support/wallets.js'

describe('a refused `POST /transaction/submit`', () => {
  const { service, api } = useTestService()
  const user = newUser()
  const call = { to: user.address, value: '0', data: '0x' }
  const batch = { hash: `0x${'00'.repeat(32)}`, chainId: '31337', calls: [call] }
  const forged = { signature: `0x${'11'.repeat(64)}1b`, chainBatches: [batch] }

  async function issuesOf(change: object): Promise<[string, string][]> {
    const body = { address: user.address, authorization: [] as object[], intentAuthorization: forged, ...change }
    const reply = await api.post('/transaction/submit', body)
    expect(reply.status).to.equal(400)
    expect(reply.body.error.code).to.equal('validation_failed')
    for (const { path } of reply.body.error.issues) expect(partAt(body, path), path).to.not.equal(undefined)
    return reply.body.error.issues.map((issue: { path: string; code: string }) => [issue.path, issue.code])
  }

  /** What a JSON Pointer names in a body. */
  function partAt(body: object, path: string): unknown {
    const steps = path.split('/').slice(1)
    return steps.reduce<unknown>((part, step) => (part as Record<string, unknown> | undefined)?.[step], body)
  }

  it('names the places of the body that was sent, not those of the action that it becomes', async () => {
    const [a] = service.chains
    expect(await issuesOf({ intentAuthorization: { ...forged, nbf: 5, exp: 4 } })).to.have.deep.members([
      ['/intentAuthorization/exp', 'expired'],
      ['/intentAuthorization/nbf', 'window_empty'],
      ['/intentAuthorization/chainBatches/0/hash', 'hash_mismatch'],
      ['/intentAuthorization/signature', 'signature_mismatch'],
    ])
    expect(await issuesOf({ address: a.vault })).to.deep.include(['/address', 'user_not_allowed'])
    const tuple = await authorization(user, { ...a, delegates: [user.address.toLowerCase() as Address] })
    expect(await issuesOf({ authorization: [tuple] })).to.deep.include([
      '/authorization/0/address',
      'delegate_not_allowed',
    ])
    const elsewhere = { ...forged, chainBatches: [batch, { ...batch, chainId: 5 }] }
    expect(await issuesOf({ intentAuthorization: elsewhere })).to.deep.include([
      '/intentAuthorization/chainBatches/1/chainId',
      'chain_unsupported',
    ])
  })

  it('takes no chain id beyond 2^53-1 in digits, since it would be read as another one', async () => {
    const [chain] = service.chains
    const tuple = await authorization(user, chain)
    const rule = 'must be a chain id from 1 to 9007199254740991, as a number or in decimal digits without leading zeros'
    for (const chainId of ['9007199254740992', '9007199254740993', '9999999999999999', '10000000000000000']) {
      const body = {
        address: user.address,
        authorization: [{ ...tuple, chainId }],
        intentAuthorization: { ...forged, chainBatches: [{ ...batch, chainId }] },
      }
      const { status, body: answer } = await api.post('/transaction/submit', body)
      expect(status, chainId).to.equal(400)
      const code = chainId.length > 16 ? 'pattern' : 'format'
      expect(answer.error.issues).to.have.deep.members([
        { path: '/authorization/0/chainId', message: `chainId ${rule}`, code },
        { path: '/intentAuthorization/chainBatches/0/chainId', message: `chainId ${rule}`, code },
      ])
    }
    const highest = { ...batch, chainId: '9007199254740991' }
    expect(
      await issuesOf({
        authorization: [{ ...tuple, chainId: highest.chainId }],
        intentAuthorization: { ...forged, chainBatches: [highest] },
      }),
    ).to.deep.include(['/intentAuthorization/chainBatches/0/chainId', 'chain_unsupported'])
  })
})
