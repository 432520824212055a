import { expect } from 'chai'
import type { ChainConfig } from '../../server/domain/chainConfig.js'
import { nativeToken } from '../../server/domain/action.js'
import { readKnownDeployment } from '../../server/start/knownDeployment.js'
import { randomAddress } from '../support/builders.js'
import { freshDatabase } from '../support/database.js'

describe('credit in a native currency that no chains file has named', () => {
  it('is told, as nothing can be paid from it', async () => {
    const { database, drop } = await freshDatabase()
    const credit = {
      user: randomAddress(),
      chain_id: 1,
      token: nativeToken,
      available: '5',
      reserved: '1',
      wallet: '0',
    }
    await database.knex('balances').insert(credit)
    const chain = { chainId: 1, vault: randomAddress(), tokens: [] } as unknown as ChainConfig
    const told = async (chains: ChainConfig[]) => (await readKnownDeployment(database, chains)).unconfiguredCredit
    expect(await told([chain])).to.deep.equal([
      { chainId: 1, kind: 'token', address: nativeToken, users: 1, amount: 6n },
    ])
    const named = { ...chain, tokens: [{ address: nativeToken }] } as unknown as ChainConfig
    expect(await told([named])).to.deep.equal([])
    // Of a chain that the file has named at some time, too.
    await database
      .knex('known_contracts')
      .insert({ chain_id: 1, kind: 'vault', address: chain.vault, is_dropped: true })
    expect((await told([])).map(({ address }) => address)).to.deep.equal([nativeToken])
    await drop()
  })
})
