import { type Hex, pad, toHex } from 'viem'
import { addressOf, contracts } from './loadWorld.js'
import { inCents, type Scene, type Shape, success } from './scene.js'

/** What many bring at the same moment, on the first chain. */

const most = { callBytes: 65_536, body: 262_144 }
/** As many rounds take 10 million gas. */
const manyRounds = 400_000

/** As much calldata as a body holds. */
export function largest(scene: Scene): ReturnType<Shape> {
  const payout = scene.fresh(0, 1)
  const noise = (bytes: number) => ({
    to: addressOf(`${scene.name}-nobody`),
    value: 0n,
    data: `0x${'a1'.repeat(bytes)}` as Hex,
  })
  const build = (...sizes: number[]) => alone(scene, [scene.pass(payout), ...sizes.map(noise)])
  return {
    cents: inCents(0, 1),
    async make() {
      const bare = JSON.stringify((await build(most.callBytes, 0)).action).length
      return { ...(await build(most.callBytes, Math.floor((most.body - bare) / 2) - 16)), payouts: [payout] }
    },
  }
}

/** Each with data of another length, so that nothing is known of any by the others. */
export function muchGas(scene: Scene): ReturnType<Shape> {
  const payout = scene.fresh(0, 1)
  const words = Number(scene.name.split('-').at(-1))
  const data = `${pad(toHex(manyRounds))}${'00'.repeat(32 * words)}` as Hex
  return {
    cents: inCents(0, 1),
    make: async () => ({
      ...(await alone(scene, [{ to: contracts.hungry, value: 0n, data }, scene.pass(payout)])),
      payouts: [payout],
    }),
  }
}

/** By the user himself, with whom nobody shares an account. */
async function alone({ own, allow, batch, sign }: Scene, calls: Parameters<Scene['batch']>[1]) {
  return {
    action: {
      user: own.address,
      chainAuthorizations: await allow(own),
      intents: [await sign(own, [batch(0, calls)], { signatureType: 'eip712' })],
    },
    steps: [{ intentIndex: 0, stepIndex: 0, ends: success }],
  }
}
