import { readFileSync, writeFileSync } from 'node:fs'
import { expect } from 'chai'
import { keccak256, zeroAddress } from 'viem'
import { diagnose } from '../../scripts/doctor/diagnose.js'
import { rpc } from '../../server/devnet/anvil.js'
import { devAccount, devKey } from '../../server/devnet/accounts.js'
import { createDatabase } from '../../server/store/connection/database.js'
import { doctorScene } from './doctorScene.js'

/** SQLite's own. */
const pageBytes = 4_096

describe('npm run doctor', function () {
  this.timeout(60_000)
  const {
    place,
    folder,
    devnet,
    old,
    change,
    meanwhile,
    without,
    database,
    otherBuild,
    behind,
    withPool,
    ofAnother,
    wholeUsd,
    keystore,
    remote,
    laneOf,
    openTransactionOf,
    url,
    asOwner,
    lowGas,
    setOperator,
    ofValue,
    usedBefore,
  } = doctorScene()

  async function ofTip(tip: string) {
    await ofValue()
    change((c) => (c.priorityFeePerGas = tip))
  }

  it('finds nothing wrong with a configuration that works', async () => {
    database()
    expect(await diagnose(place.env)).to.deep.equal([])
  })

  /** Has code on every chain of ours, and is no vault. */
  const factory = '0x4e59b44847b379578588920ca78fbf26c0b4956c'
  const nativeCap = { id: 'eth2', symbol: 'E', name: 'E', address: zeroAddress, decimals: 18, outflowCapPerDay: '7' }
  const usedElsewhere = (index: number) => {
    database(laneOf(index, 'active'))
    const { address } = devAccount(index)
    return meanwhile(() => rpc(url(), 'eth_sendTransactionSync', [{ from: address, to: address }]))
  }
  const breakPage = (page: number) => {
    database()
    const content = readFileSync(place.file)
    writeFileSync(place.file, content.fill(0xff, (page - 1) * pageBytes, page * pageBytes))
  }
  type Break = () => unknown
  const broken: [string, string, Break][] = [
    ['a setting that is none', 'config.invalid', () => (place.env.PORT = 'x')],
    ['a node that does not answer', 'rpc.unreachable', () => change((c) => (c.rpcUrls = ['http://127.0.0.1:9']))],
    ['a node of another chain', 'rpc.wrongChain', () => change((c) => (c.rpcUrls = devnet().chains[1]!.rpcUrls))],
    [
      'fewer nodes than have to agree',
      'rpc.tooFewAgree',
      () => change((c) => Object.assign(c, { agreement: 2, rpcUrls: [...c.rpcUrls, 'http://127.0.0.1:9'] })),
    ],
    ['a chain without EIP-7702', 'rpc.noEip7702', () => change((c) => (c.rpcUrls = [old().url]))],
    [
      'a node without receipts by block',
      'rpc.noBlockReceipts',
      () => without((c) => c.method === 'eth_getBlockReceipts'),
    ],
    [
      'a node without state overrides',
      'rpc.noStateOverride',
      () => without((c) => c.method === 'eth_call' && c.params.length > 2),
    ],
    ['a node without eth_simulateV1', 'rpc.noSimulation', () => without((c) => c.method === 'eth_simulateV1')],
    ['a vault that is not there', 'vault.missing', () => change((c) => (c.vault = `0x${'12'.repeat(20)}`))],
    ['a vault that is none', 'vault.foreign', () => change((c) => (c.vault = factory))],
    ['a delegate that is not there', 'delegate.missing', () => change((c) => (c.delegates = [`0x${'12'.repeat(20)}`]))],
    [
      'an older delegate that is not there',
      'delegate.missing',
      () => change((c) => c.delegates.push(`0x${'12'.repeat(20)}`)),
    ],
    ['an older delegate that is none', 'delegate.foreign', () => change((c) => c.delegates.push(c.tokens[0].address))],
    [
      'a vault that holds less than it should',
      'vault.low',
      () => change((c) => (c.tokens[0].minInventory = '9'.repeat(30))),
    ],
    [
      'a public node of another chain',
      'publicRpc.wrongChain',
      () => change((c) => (c.publicRpcUrl = devnet().chains[1]!.rpcUrls[0])),
    ],
    [
      'a public node that does not answer',
      'publicRpc.unreachable',
      () => change((c) => (c.publicRpcUrl = 'http://127.0.0.1:9')),
    ],
    [
      'a node that clients are shown with its path',
      'publicRpc.shared',
      () => change((c) => c.rpcUrls.push((c.publicRpcUrl = 'http://127.0.0.1:9/v2/0123456789abcdef'))),
    ],
    [
      'a former vault that is none',
      'formerVault.foreign',
      () => change((c) => (c.formerVaults = [devAccount(9).address])),
    ],
    [
      'a former vault that was left out',
      'vault.dropped',
      () => database(`INSERT INTO known_contracts VALUES (31337, 'vault', '0x${'12'.repeat(20)}', 0)`),
    ],
    [
      'a token that was taken out',
      'token.dropped',
      () => database(`INSERT INTO known_contracts VALUES (31337, 'token', '0x${'12'.repeat(20)}', 0)`),
    ],
    ['a delegate that is none', 'delegate.foreign', () => change((c) => (c.delegates = [c.tokens[0].address]))],
    ['an operator that is none', 'operator.notAllowed', () => (place.env.SOLVER_PRIVATE_KEYS = keccak256('0x01'))],
    ['an operator without gas', 'operator.noGas', () => (place.env.SOLVER_PRIVATE_KEYS = keccak256('0x01'))],
    ['an operator that owns the vault', 'vault.ownerIsOperator', () => (place.env.SOLVER_PRIVATE_KEYS = devKey(0))],
    ['a vault that is paused', 'vault.paused', () => meanwhile(() => asOwner('setPaused', [true]))],
    ['a vault without a token', 'vault.empty', () => meanwhile(() => asOwner('withdraw', wholeUsd()))],
    ['wrong decimals of a token', 'token.decimals', () => change((c) => (c.tokens[0].decimals = 8))],
    ['a token that is none', 'token.missing', () => change((c) => (c.tokens[0].address = `0x${'12'.repeat(20)}`))],
    [
      'a cap that the vault does not have',
      'vault.capDiffers',
      () => change((c) => (c.tokens[2] = { ...c.tokens[2], ...nativeCap })),
    ],
    [
      'a fee cap below the price of gas',
      'fees.capTooLow',
      () => change((c) => Object.assign(c, { maxFeePerGasCap: '1', priorityFeePerGas: '1' })),
    ],
    ['keys with the wrong password', 'keys.unusable', () => keystore('right', 'wrong')],
    ['keys that others can read', 'keys.readable', () => keystore('right', 'right')],
    ['a signer that is not there', 'signer.unavailable', () => remote()],
    [
      'a database of a newer build',
      'database.newer',
      () => database("INSERT INTO knex_migrations (name, batch) VALUES ('9999_later', 9)"),
    ],
    [
      'a migration that did not end',
      'database.migrationLocked',
      () => database('UPDATE knex_migrations_lock SET is_locked = 1'),
    ],
    [
      'a migration that is missing, though what comes next can not be looked at',
      'database.migrationsPending',
      () => database('DELETE FROM knex_migrations', 'DROP TABLE knex_migrations_lock'),
    ],
    [
      'a chain that was reset',
      'chain.reset',
      () => database(`INSERT INTO chain_identities VALUES (31337, '${keccak256('0x01')}')`),
    ],
    ['one node of another chain of the same id', 'rpc.wrongChain', () => ofAnother()],
    ['a signer that was paused', 'lane.paused', () => database(laneOf(1, 'paused'))],
    ['a key that is gone and whose lane holds payouts', 'lane.paused', () => database(laneOf(9, 'ahead'))],
    ['a key that is gone and has open transactions', 'signer.missing', () => database(openTransactionOf(9))],
    ['an operator whose key something else uses', 'operator.nonceAhead', () => usedElsewhere(1)],
    ['a key that is gone and that something else uses', 'operator.nonceAhead', () => usedElsewhere(9)],
    [
      'a transaction that the journal does not have and that waits in a pool',
      'operator.nonceAhead',
      () => {
        database(laneOf(1, 'active'))
        return withPool()
      },
    ],
    [
      'nodes of which none tells nonces',
      'operator.nonceUnknown',
      () => {
        database(laneOf(1, 'active'))
        return without((c) => c.method === 'eth_getTransactionCount')
      },
    ],
    ['a node that is behind the others', 'rpc.behind', () => behind()],
    ['a node without logs', 'rpc.noLogs', () => without((c) => c.method === 'eth_getLogs')],
    ['a node that is asked in the open', 'rpc.plainHttp', () => change((c) => (c.rpcUrls = ['http://0.0.0.0:9']))],
    ['a delegate of another build', 'delegate.otherBuild', () => otherBuild(devnet().chains[0]!.delegates[0]!)],
    ['a vault of another build', 'vault.otherBuild', () => otherBuild(devnet().chains[0]!.vault)],
    ['a vault of another owner', 'vault.wrongOwner', () => change((c) => (c.vaultOwner = devAccount(8).address))],
    [
      'an owner who has not accepted yet',
      'vault.ownershipPending',
      () => meanwhile(() => asOwner('transferOwnership', [devAccount(8).address])),
    ],
    ['a token of value without a cap', 'vault.noCap', () => ofValue()],
    ['an owner who could be a user of his inventory', 'vault.ownerUnnamed', () => ofValue()],
    ['a chain of value where one node is believed', 'rpc.noAgreement', () => ofValue()],
    ['a tip far above what the node suggests', 'rpc.tip', () => ofTip('100000000000')],
    ['a tip far below what the node suggests', 'rpc.tip', () => ofTip('1')],
    ['a key that was used before, beside no database', 'operator.usedBefore', () => usedBefore()],
    [
      'a key that was used before, beside an empty database',
      'operator.usedBefore',
      () => {
        database()
        return usedBefore()
      },
    ],
    [
      'an operator that is low on gas',
      'operator.lowGas',
      () => meanwhile(() => setOperator('anvil_setBalance', lowGas)),
    ],
    ['an operator that has code', 'operator.hasCode', () => meanwhile(() => setOperator('anvil_setCode', '0x00'))],
    ['a database that is none', 'database.damaged', () => writeFileSync(place.file, 'no database, '.repeat(100))],
    ['a database of which a page is broken', 'database.damaged', () => breakPage(20)],
    ['a database that is a folder', 'database.damaged', () => (place.env.DATABASE_URL = `sqlite:${folder}`)],
    ['a database without one of its tables', 'database.damaged', () => database('DROP TABLE lanes')],
    [
      'a place where no database can be made',
      'database.noPlace',
      () => (place.env.DATABASE_URL = `sqlite:${place.env.CHAINS_FILE}/x/service.sqlite`),
    ],
    [
      'a database that does not answer',
      'database.unreachable',
      () => (place.env.DATABASE_URL = 'mysql://u:p@127.0.0.1:9/x'),
    ],
  ]
  for (const [what, name, breakIt] of broken) {
    it(`finds ${what}`, async () => {
      const mend = await breakIt()
      const found = await diagnose(place.env)
      if (typeof mend === 'function') await mend()
      const finding = found.find((entry) => entry.name === name)
      expect(finding, JSON.stringify(found, null, 1)).to.not.equal(undefined)
      expect(finding!.remedy).to.not.equal('')
      expect(JSON.stringify(found)).not.to.contain('127.0.0.1:')
      // What is wrong with the database is not said of the nodes.
      if (name === 'database.damaged') expect(found.map((entry) => entry.name)).not.to.include('rpc.unreachable')
    })
  }

  for (const [what, vault] of [
    ['is not there', `0x${'12'.repeat(20)}`],
    ['is none', factory],
  ] as const) {
    it(`has nobody pay a vault that ${what}`, async () => {
      database()
      change((c) => Object.assign(c, { vault }))
      const found = await diagnose(place.env)
      expect(found.map(({ name }) => name)).to.deep.equal([vault === factory ? 'vault.foreign' : 'vault.missing'])
      expect(JSON.stringify(found)).not.to.contain('Send ')
    })
  }

  it('takes a key for used before by no service only where nobody has worked with the database', async () => {
    database(laneOf(1, 'active').replace(' 0, ', ' 1, '))
    const mend = await usedBefore()
    const found = await diagnose(place.env)
    await mend()
    expect(found.map(({ name }) => name)).not.to.include('operator.usedBefore')
  })

  it('says of a new database, beside keys that no chain has seen, when there is nothing to do', async () => {
    await ofValue()
    const found = await diagnose(place.env)
    expect(found.map(({ name }) => name))
      .to.include('database.new')
      .and.not.include('operator.usedBefore')
    expect(found.find(({ name }) => name === 'database.new')!.remedy).to.contain('if this is the first start of all')
  })

  it('names the node that fails while it is asked, and what it says', async () => {
    database()
    await without((c) => c.method === 'eth_getCode')
    const finding = (await diagnose(place.env)).find(({ name }) => name === 'rpc.unreachable')
    expect(finding?.what).to.match(/^rpcUrls\/0 fell silent .*: method not found$/)
    expect(finding?.remedy).to.contain('rpcUrls/0 of chain 31337')
  })

  it('finds a clock that is wrong', async () => {
    database()
    await rpc(url(), 'evm_mine', [])
    const found = await diagnose(place.env, () => Date.now() - 600_000)
    expect(found.filter(({ name }) => name === 'clock.skew').map(({ where }) => where)).to.include.members([
      'database',
      'chain 31337, rpcUrls/0',
    ])
  })

  it('finds a chain that stands still', async () => {
    database()
    const found = await diagnose(place.env, () => Date.now() + 3_600_000)
    expect(found.map(({ name }) => name)).to.include('rpc.stale')
  })

  it('says of a database in use that it could not look into it', async () => {
    const inUse = createDatabase({ kind: 'sqlite', file: place.file })
    await inUse.migrate()
    const found = await diagnose(place.env)
    await inUse.close()
    expect(found.map(({ name }) => name)).to.deep.equal(['database.inUse'])
  })
})
