import { type Hex, pad, toHex } from 'viem'
import { onDemandIntent, transferData } from '../../support/wallets.js'
import { addressOf, contracts } from './loadWorld.js'
import { type ChainIndex, inCents, type Scene, type Shape, success } from './scene.js'

/** Actions that succeed, up to the most of everything that the interface allows. */

const most = {
  intents: 16,
  batches: 16,
  calls: 64,
  transfers: 32,
  authorizations: 64,
  callBytes: 65_536,
  body: 262_144,
}

export function plain({ random, chainIndex, fresh, pass, batch, signed }: Scene): ReturnType<Shape> {
  const cents = 1 + random.below(500)
  const payout = fresh(chainIndex, cents)
  return {
    cents: inCents(chainIndex, cents),
    make: async () => ({ ...(await signed([batch(chainIndex, [pass(payout)])])), payouts: [payout] }),
  }
}

/** The user pays the vault on one chain; on the other the solver pays up to as many recipients as there may be. */
export function across(scene: Scene): ReturnType<Shape> {
  const { random, chainIndex, fresh, fromSolver, batch, signed, usd, vault } = scene
  const other = (1 - chainIndex) as ChainIndex
  const payouts = Array.from({ length: random.pick([1, 2, most.transfers]) }, () => fresh(other, 1 + random.below(50)))
  const cents = Number(payouts.reduce((sum, { amount }) => sum + amount, 0n) / scene.units(other, 1))
  const pay = { to: usd(chainIndex), value: 0n, data: transferData(vault(chainIndex), scene.units(chainIndex, cents)) }
  const paid: [bigint, bigint] = [0n, 0n]
  paid[other] = scene.units(other, cents)
  return {
    cents: inCents(chainIndex, cents),
    async make() {
      const batches = [batch(chainIndex, [pay]), batch(other, [], payouts.map(fromSolver))]
      return { ...(await signed(batches, undefined, { signatureType: 'eip712' })), payouts, paid }
    },
  }
}

/** As many calls as a batch may have. */
export function widest({ chainIndex, fresh, pass, batch, signed }: Scene): ReturnType<Shape> {
  const payouts = Array.from({ length: most.calls }, (_, index) => fresh(chainIndex, 1 + (index % 7)))
  const cents = payouts.reduce((sum, _, index) => sum + 1 + (index % 7), 0)
  return {
    cents: inCents(chainIndex, cents),
    make: async () => ({ ...(await signed([batch(chainIndex, payouts.map(pass))])), payouts }),
  }
}

/** Much calldata: up to what a call, and what a body may have. */
export function longest(scene: Scene): ReturnType<Shape> {
  const { random, name, chainIndex, fresh, pass, batch, signed } = scene
  const payout = fresh(chainIndex, 1)
  const fill = random.pick(['00', 'ff', 'a1'])
  const noise = (bytes: number) => ({
    to: addressOf(`${name}-nobody`),
    value: 0n,
    data: `0x${fill.repeat(bytes)}` as Hex,
  })
  const sizes = random.pick([[8_192], [30_000], [20_000, 20_000], [most.callBytes], 'full'] as const)
  const build = (some: readonly number[]) => signed([batch(chainIndex, [pass(payout), ...some.map(noise)])])
  return {
    cents: inCents(chainIndex, 1),
    async make() {
      if (sizes !== 'full') return { ...(await build(sizes)), payouts: [payout] }
      const bare = JSON.stringify((await build([most.callBytes, 0])).action).length
      return { ...(await build([most.callBytes, Math.floor((most.body - bare) / 2)])), payouts: [payout] }
    },
  }
}

/** As many batches as an intent may have, from chain to chain. */
export function deepest({ fresh, pass, batch, signed }: Scene): ReturnType<Shape> {
  const payouts = Array.from({ length: most.batches }, (_, index) => fresh((index % 2) as ChainIndex, 1))
  return {
    cents: [most.batches, most.batches],
    make: async () => ({
      ...(await signed(payouts.map((payout) => batch(payout.chainIndex, [pass(payout)])))),
      payouts,
    }),
  }
}

/** As many intents as an action may have; they need not wait for each other, but for the one account. */
export function manyIntents({ shared, fresh, pass, batch, sign, allow }: Scene): ReturnType<Shape> {
  const payouts = Array.from({ length: most.intents }, (_, index) => fresh((index % 2) as ChainIndex, 2))
  return {
    cents: [2 * most.intents, 2 * most.intents],
    make: async () => ({
      action: {
        user: shared.address,
        chainAuthorizations: await allow(shared),
        intents: await Promise.all(payouts.map((payout) => sign(shared, [batch(payout.chainIndex, [pass(payout)])]))),
      },
      steps: payouts.map((_, intentIndex) => ({ intentIndex, stepIndex: 0, ends: success })),
      payouts,
    }),
  }
}

/** As many steps as an action may have; its client asks for those of one intent only. */
export function giant(scene: Scene): ReturnType<Shape> {
  const { name, shared, fresh, pass, batch, sign, allow } = scene
  const nobody = { to: addressOf(`${name}-nobody`), value: 0n, data: '0x' as Hex }
  const payouts = Array.from({ length: most.batches }, (_, index) => fresh((index % 2) as ChainIndex, 1))
  const asked = payouts.map((payout) => batch(payout.chainIndex, [pass(payout)]))
  const idle = payouts.map((payout) => batch(payout.chainIndex, [nobody]))
  return {
    cents: [most.batches, most.batches],
    make: async () => ({
      action: {
        user: shared.address,
        chainAuthorizations: await allow(shared),
        // The window makes each of them another one.
        intents: await Promise.all([
          ...Array.from({ length: most.intents - 1 }, (_, index) => sign(shared, idle, { exp: 4_000_000_000 + index })),
          sign(shared, asked),
        ]),
      },
      steps: payouts.map((_, stepIndex) => ({ intentIndex: most.intents - 1, stepIndex, ends: success })),
      payouts,
    }),
  }
}

/** As many authorizations as an action may have, of which one or none is for the account's nonce. */
export function manyAuthorizations(scene: Scene): ReturnType<Shape> {
  const { shared, allow, chainIndex, fresh, pass, batch, signed } = scene
  const payout = fresh(chainIndex, 3)
  return {
    cents: inCents(chainIndex, 3),
    async make() {
      const made = await signed([batch(chainIndex, [pass(payout)])])
      const nonces = Array.from({ length: most.authorizations / 2 }, (_, nonce) => nonce)
      const chainAuthorizations = (await Promise.all(nonces.map((nonce) => allow(shared, nonce)))).flat()
      return { ...made, action: { ...made.action, chainAuthorizations }, payouts: [payout] }
    },
  }
}

/** The user has paid by a transaction of his own, and registers it; the solver pays him, in one part or in many. */
export function onDemand(scene: Scene): ReturnType<Shape> {
  const { random, own, usd, chainId, vault } = scene
  const cents = most.transfers * (1 + random.below(20))
  const parts = random.pick([1, most.transfers])
  const paid = scene.units(1, cents)
  const part = { from: 'solver', to: own.address, token: usd(1), amount: paid / BigInt(parts) }
  const pay = { from: own.address, to: vault(0), token: usd(0), amount: scene.units(0, cents) }
  const action = random.pick(['execute', 'register'])
  return {
    cents: [cents, 0],
    payment: pay.amount,
    make: async (hash) => ({
      action: {
        user: own.address,
        intents: [
          onDemandIntent([
            { chainId: chainId(0), tokenTransfers: [pay] },
            { chainId: chainId(1), tokenTransfers: Array.from({ length: parts }, () => part) },
          ]),
        ],
      },
      steps: [
        { intentIndex: 0, stepIndex: 0, order: { action, hash }, ends: success },
        { intentIndex: 0, stepIndex: 1, ends: success },
      ],
      payouts: [{ chainIndex: 1, recipient: own.address, amount: paid }],
      paid: [0n, paid],
    }),
  }
}

/** The solver pays many on a deposit that is recorded before; nothing is delegated. */
export function onCredit(scene: Scene): ReturnType<Shape> {
  const { random, own, fresh, fromSolver, batch, sign, ownAction, depositOf } = scene
  const at = random.below(2) as ChainIndex
  const payouts = Array.from({ length: random.pick([1, 8, most.transfers]) }, () => fresh(at, 1 + random.below(90)))
  const total = payouts.reduce((sum, { amount }) => sum + amount, 0n)
  const cents = Number(total / scene.units(at, 1))
  const amount = scene.units(0, cents)
  return {
    cents: [cents, 0],
    payment: amount,
    make: async (txHash) => ({
      action: await ownAction(sign(own, [batch(at, [], payouts.map(fromSolver))], { signatureType: 'eip712' })),
      deposit: depositOf(txHash, amount),
      steps: [{ intentIndex: 0, stepIndex: 0, ends: success }],
      payouts,
      paid: at === 0 ? [total, 0n] : [0n, total],
    }),
  }
}

/** Much gas, up to most of what a bundle may have, or more than that. */
export function hungry({ random, chainIndex, fresh, pass, batch, signed }: Scene): ReturnType<Shape> {
  const payout = fresh(chainIndex, 4)
  const rounds = random.pick([60_000, 150_000, 400_000, 600_000])
  const call = { to: contracts.hungry, value: 0n, data: pad(toHex(rounds)) }
  return {
    cents: inCents(chainIndex, 4),
    make: async () => ({ ...(await signed([batch(chainIndex, [call, pass(payout)])])), payouts: [payout] }),
  }
}
