import { readFileSync } from 'node:fs'
import { expect } from 'chai'
import { diagnose } from '../../scripts/doctor/diagnose.js'
import { doctorScene } from './doctorScene.js'

describe('npm run doctor, where something does not tell,', function () {
  this.timeout(60_000)
  const { place, without, database, devnet, usedBefore } = doctorScene()
  type Call = { method: string; params: unknown[] }
  const calls =
    (to: () => string) =>
    ({ method, params }: Call) =>
      method === 'eth_call' && (params[0] as { to?: string }).to?.toLowerCase() === to().toLowerCase()
  const [vault, delegate] = [() => devnet().chains[0]!.vault, () => devnet().chains[0]!.delegates[0]!]

  for (const [what, refused] of [
    ['calls of the vault', calls(vault)],
    ['calls of the delegate', calls(delegate)],
    ['calls of a token', calls(() => devnet().chains[0]!.tokens[0]!.address)],
    ['balances', ({ method }: Call) => method === 'eth_getBalance'],
  ] as const) {
    it(`takes nothing for missing where a node refuses ${what}`, async () => {
      database()
      await without(refused, { code: -32005, message: 'daily request count exceeded' })
      const found = await diagnose(place.env)
      expect(found.map(({ name, where }) => [name, where])).to.deep.equal([['rpc.unreachable', 'chain 31337']])
      expect(found[0]!.what).to.match(/^rpcUrls\/0 fell silent .*: daily request count exceeded$/)
    })
  }

  it('takes a revert for the answer of the contract', async () => {
    database()
    await without(calls(vault), { code: 3, message: 'execution reverted' })
    expect((await diagnose(place.env)).map(({ name }) => name)).to.deep.equal(['vault.foreign'])
  })

  it('says it of the database where that fails among the chains, and of no node', async () => {
    database('ALTER TABLE lanes RENAME COLUMN chain_id TO chain')
    const found = await diagnose(place.env)
    expect(found.map(({ name, where }) => [name, where])).to.deep.equal([['database.damaged', 'database']])
  })

  it('says of a used key beside an empty database that its lane will be held, and where that is told', async () => {
    database()
    const mend = await usedBefore()
    const found = (await diagnose(place.env)).find(({ name }) => name === 'operator.usedBefore')
    await mend()
    expect(found?.what).to.contain('its lane will be held (`lane_paused`)')
    const [, heading] = /see "([^"]+)" in server\/OPERATING\.md/.exec(found!.remedy)!
    const page = readFileSync(new URL('../../server/OPERATING.md', import.meta.url), 'utf8')
    expect(page.split(`### ${heading}\n`)[1]!.split('###')[0]).to.contain('`lane_paused`')
  })
})
