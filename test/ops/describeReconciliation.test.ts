import { expect } from 'chai'
import type { Reconciliation, VaultReport } from '../../scripts/reconcile/compareVaults.js'
import { countFaults, describeReconciliation } from '../../scripts/reconcile/describeReconciliation.js'
import type { TokenConfig } from '../../server/domain/chainConfig.js'
import { randomAddress, randomHash, usdOn1 } from '../support/builders.js'

const token = { id: 'usd', symbol: 'USD', name: 'Dollar', address: usdOn1, decimals: 6 } as TokenConfig
const nothing: Reconciliation = {
  vaults: [],
  groups: [],
  balanceFaults: [],
  notLookedAt: [],
  unsettled: [],
  pending: [],
}

describe('what reconcile tells', () => {
  it('ends in order where there is nothing to tell', () => {
    expect(describeReconciliation(nothing)).to.deep.equal(['Everything is explained.'])
    expect(countFaults(nothing)).to.equal(0)
  })

  it('names what waits in a pool and the journal does not have, which counts as a fault', () => {
    const signer = randomAddress()
    const compared = { ...nothing, pending: [{ chainId: 8453, signer, nonce: 12, node: 2 }] }
    const [line, last] = describeReconciliation(compared)
    expect(line).to.contain(`FAULT a transaction of ${signer} with nonce 12`)
    expect(line).to.contain('rpcUrls/2 of chain 8453')
    expect(last).to.equal('1 faults.')
    expect(countFaults(compared)).to.equal(1)
  })

  it('tells an unknown payout in tokens, and how to book it in the smallest unit', () => {
    const hash = randomHash()
    const vault: VaultReport = {
      ...{ chainId: 1, token, balance: 0n, recorded: 0n, unrecorded: [], withdrawn: 0n, paid: 0n },
      owed: { available: 0n, reserved: 0n },
      unexplained: -25_500_000n,
      suspects: [{ kind: 'unbooked', hash, onChain: 25_500_000n }],
    }
    const lines = describeReconciliation({ ...nothing, vaults: [vault] })
    const line = lines.find((one) => one.includes(hash))
    expect(line).to.contain(`${hash} paid 25.5, of which the ledger knows nothing`)
    expect(line).to.contain(`npm run operate -- payout acknowledge 1 ${usdOn1} ${hash} 25500000 [<user>]`)
  })
})
