import { expect } from 'chai'
import { type Address, getAddress } from 'viem'
import type { Chain } from '../../server/chain/chain.js'
import { findPermission } from '../../server/engine/steps/permission.js'
import type { StepWork } from '../../server/store/actions/steps.js'
import { randomAddress } from '../support/builders.js'

describe('the permission for an account', () => {
  const [user, delegate, former] = [randomAddress(), randomAddress(), randomAddress()]

  it('is the authorization for its present nonce, of an allowed delegate', async () => {
    const permission = await find([
      { address: former, nonce: 5 },
      { address: delegate, nonce: 5 },
    ])
    expect(permission).to.deep.include({ outcome: 'granted', delegate })
  })

  it('is refused with both nonces where they differ', async () => {
    const permission = await find([
      { address: delegate, nonce: 4 },
      { address: former, nonce: 5 },
    ])
    expect(messageOf(permission)).to.match(/for nonce 4, the account's nonce is 5\.$/)
  })

  it('is refused with the delegate’s name where it was allowed once and is no more', async () => {
    const permission = await find([{ address: former, nonce: 5 }])
    expect(messageOf(permission)).to.contain(`names ${getAddress(former)}, which is not allowed as a delegate any more`)
  })

  function find(given: { address: Address; nonce: number }[]) {
    const chainAuthorizations = given.map((authorization) => ({ ...authorization, chainId: 1 }))
    const work = { user, chainAuthorizations, intent: { mode: '7702' }, batch: { chainId: 1, calls: [{}] } }
    const account = { nonce: 5, balance: 0n, delegate: null, hasForeignCode: false }
    const chain = { config: { delegates: [delegate] }, accounts: () => Promise.resolve([account]) }
    return findPermission(work as unknown as StepWork, chain as unknown as Chain)
  }

  function messageOf(permission: Awaited<ReturnType<typeof findPermission>>): string {
    if (permission.outcome === 'granted') throw new Error('granted')
    expect(permission.error).to.include({ code: 'authorization_invalid', retryable: true })
    return permission.error.message
  }
})
