import { expect } from 'chai'
import { type Address, encodeFunctionData, erc20Abi } from 'viem'
import { type ChainBatch, nativeToken } from '../../server/domain/action.js'
import { vaultPayments } from '../../server/domain/vaultPayments.js'
import { aBatch, aTransfer, randomAddress } from '../support/builders.js'

describe('what a batch pays a vault by its own words', () => {
  const [vault, former, token, user] = [randomAddress(), randomAddress(), randomAddress(), randomAddress()] as const
  const chain = { vault, formerVaults: [former] }
  const transfer = (to: Address) => encodeFunctionData({ abi: erc20Abi, functionName: 'transfer', args: [to, 5n] })
  const tokensOf = (fields: Partial<ChainBatch>) =>
    vaultPayments(aBatch({ tokenTransfers: [], calls: [], ...fields }), chain).map(({ token, where }) => [
      token,
      `${where.list}/${where.index}/${where.field}`,
    ])

  it('is what it declares of the user’s', () => {
    const declared = [aTransfer({ from: user, to: vault, token }), aTransfer({ from: user, to: user, token })]
    expect(tokensOf({ tokenTransfers: declared })).to.deep.equal([[token, 'tokenTransfers/0/token']])
    expect(tokensOf({ tokenTransfers: [aTransfer({ from: 'solver', to: vault, token })] })).to.deep.equal([])
  })

  it('is what its calls plainly transfer, to a former vault too', () => {
    const calls = [
      { to: token, value: 0n, data: transfer(user) },
      { to: token, value: 0n, data: transfer(former) },
      { to: vault, value: 1n, data: '0x' as const },
      { to: user, value: 1n, data: '0x' as const },
      { to: token, value: 0n, data: `${transfer(vault)}00` as const },
    ]
    expect(tokensOf({ calls })).to.deep.equal([
      [token, 'calls/1/to'],
      [nativeToken, 'calls/2/value'],
    ])
  })

  it('is told once where it is declared and called', () => {
    const tokenTransfers = [aTransfer({ from: user, to: vault, token })]
    const calls = [{ to: token, value: 0n, data: transfer(vault) }]
    expect(tokensOf({ tokenTransfers, calls })).to.deep.equal([[token, 'tokenTransfers/0/token']])
  })
})
