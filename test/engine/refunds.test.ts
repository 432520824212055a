import { expect } from 'chai'
import { type Address, type Hash, type Hex, numberToHex, toHex } from 'viem'
import { rpc } from '../../server/devnet/anvil.js'
import { bundleScene } from '../support/bundleScene.js'
import { newUser, reader } from '../support/wallets.js'

/** A contract that clears slots, and one that calls it and goes on whatever came of that. */
type Forgiving = { outer: Address; inner: Address; slots: number }

/**
 * What a simulation used is after refunds (EIP-3529), so that a limit by that alone would be too little for the work: a
 * call that goes on when what it calls has run out of gas would count as carried out without it.
 */
describe('a call whose gas is refunded in part, and that goes on when what it calls has failed', function () {
  this.timeout(60_000)
  const scene = bundleScene()
  const { a } = scene

  async function forgiving(slots: number): Promise<Forgiving> {
    const [inner, outer] = [newUser().address, newUser().address]
    // for (n = slots; n-- > 0; ) slot[n] = 0
    await scene.setCode(inner, `0x61${numberToHex(slots, { size: 2 }).slice(2)}5b600190035f81558060035700`)
    // CALL with all gas; POP; STOP
    await scene.setCode(outer, `0x5f5f5f5f5f73${inner.slice(2)}5af15000`)
    for (let slot = 0; slot < slots; slot++) await rpc(url(), 'anvil_setStorageAt', [inner, word(slot), word(1)])
    return { inner, outer, slots }
  }

  /** Of a step for each, asked for together; answers how many slots of each still hold something. */
  async function leftAfter(service: Parameters<typeof scene.askOf>[0], places: Forgiving[]): Promise<number[]> {
    const wanted = []
    for (const { outer } of places) {
      const user = newUser()
      wanted.push({ user, intent: await scene.intentOf(user, [{ to: outer, value: 0n, data: '0x' }]) })
    }
    const steps = await scene.ends(service, await scene.askOf(service, wanted))
    expect(steps.map(({ status }) => status)).to.deep.equal(places.map(() => 'success'))
    return Promise.all(places.map(stillSet))
  }

  async function stillSet({ inner, slots }: Forgiving): Promise<number> {
    const slot = (place: number) => reader(a()).getStorageAt({ address: inner, slot: word(place) })
    const values = await Promise.all(Array.from({ length: slots }, (_none, place) => slot(place)))
    return values.filter((value) => BigInt(value as Hex) !== 0n).length
  }

  for (const slots of [30, 60, 250]) {
    it(`does all its work: ${slots} slots`, async () => {
      const place = await forgiving(slots)
      await scene.emptyDatabase()
      await scene.withService({}, async (service) => {
        expect(await leftAfter(service, [place])).to.deep.equal([0])
      })
    })
  }

  it('does all its work in a bundle', async () => {
    const places = [await forgiving(80), await forgiving(80)]
    await scene.emptyDatabase()
    await scene.withService({}, async (service) => {
      expect(await leftAfter(service, places)).to.deep.equal([0, 0])
    })
  })

  it('is not given too little by what another of its form took', async () => {
    const places = [await forgiving(100), await forgiving(108), await forgiving(110)]
    await scene.emptyDatabase()
    await scene.withService({}, async (service) => {
      for (const place of places) expect(await leftAfter(service, [place]), String(place.slots)).to.deep.equal([0])
    })
  })

  const url = () => a().rpcUrls[0]!
})

const word = (value: number): Hash => toHex(value, { size: 32 })
