import type { Hex } from 'viem'
import { contracts } from './loadWorld.js'
import { type ChainIndex, type End, inCents, reverted, type Scene, type Shape } from './scene.js'

/** Actions that are accepted and whose steps fail, or are refused when they are asked for. */

/** He passes on what he does not have. */
export function poor({ chainIndex, fresh, pass, batch, signed }: Scene): ReturnType<Shape> {
  const payout = { ...fresh(chainIndex, 1), amount: 10n ** 30n }
  const calls = [pass(fresh(chainIndex, 0)), pass(payout)]
  return {
    make: async () => ({
      ...(await signed([batch(chainIndex, calls)], [reverted])),
      payouts: [{ ...payout, amount: 0n }],
    }),
  }
}

/** Takes all gas that there is; what it has moved before comes to nothing. */
export function burning({ random, chainIndex, fresh, pass, batch, signed }: Scene): ReturnType<Shape> {
  const payout = fresh(chainIndex, 5)
  const call = { to: random.pick([contracts.burner, contracts.loop, contracts.turncoat]), value: 0n, data: '0x' as Hex }
  const ends: End[] = [
    ...reverted,
    { status: 'error', code: 'gas_limit_exceeded' },
    { status: 'reverted', code: 'gas_limit_exceeded' },
  ]
  return {
    cents: inCents(chainIndex, 5),
    make: async () => ({
      ...(await signed([batch(chainIndex, [pass(payout), call])], [ends])),
      payouts: [{ ...payout, amount: 0n }],
    }),
  }
}

/** The first of two steps fails. */
export function broken({ chainIndex, fresh, pass, batch, signed }: Scene): ReturnType<Shape> {
  const other = (1 - chainIndex) as ChainIndex
  const [first, second] = [fresh(chainIndex, 1), fresh(other, 6)]
  const ends: End[] = [{ status: 'created' }, { status: 'error', code: 'previous_step_failed' }]
  return {
    cents: inCents(other, 6),
    async make() {
      const impossible = { ...first, amount: 10n ** 30n }
      const made = await signed([batch(chainIndex, [pass(impossible)]), batch(other, [pass(second)])])
      const [step0, step1] = made.steps
      return {
        ...made,
        steps: [
          { ...step0!, ends: reverted },
          { ...step1!, ends, refusal: 'previous_step_incomplete' as const },
        ],
        payouts: [first, second].map((payout) => ({ ...payout, amount: 0n })),
      }
    },
  }
}

export function early({ chainIndex, fresh, pass, batch, signed }: Scene): ReturnType<Shape> {
  const payout = fresh(chainIndex, 7)
  const [nbf, exp] = [4_000_000_000, 4_100_000_000]
  const ends: End[] = [{ status: 'error', code: 'intent_not_yet_valid' }]
  return {
    cents: inCents(chainIndex, 7),
    make: async () => ({
      ...(await signed([batch(chainIndex, [pass(payout)])], [ends], { nbf, exp })),
      payouts: [{ ...payout, amount: 0n }],
    }),
  }
}

/** Two intents want the whole of one deposit for the same recipient, who gets it once. */
export function contested(scene: Scene): ReturnType<Shape> {
  const { own, chainIndex, fresh, fromSolver, batch, sign, ownAction, depositOf } = scene
  const cents = 11
  const payout = fresh(chainIndex, cents)
  const amount = scene.units(0, cents)
  const batches = [batch(chainIndex, [], [fromSolver(payout)])]
  const ends: End[] = [{ status: 'success' }, { status: 'created' }, { status: 'error', code: 'insufficient_credit' }]
  return {
    cents: [cents, 0],
    payment: amount,
    make: async (txHash) => ({
      action: await ownAction(
        sign(own, batches, { signatureType: 'eip712', exp: 4_000_000_000 }),
        sign(own, batches, { signatureType: 'eip712', exp: 4_000_000_001 }),
      ),
      deposit: depositOf(txHash, amount),
      steps: [0, 1].map((intentIndex) => ({
        intentIndex,
        stepIndex: 0,
        ends,
        refusal: 'insufficient_credit' as const,
      })),
      payouts: [payout],
      paid: chainIndex === 0 ? [payout.amount, 0n] : [0n, payout.amount],
    }),
  }
}

/** The solver is to pay what nobody has paid. */
export function uncovered({ own, chainIndex, fresh, fromSolver, batch, sign }: Scene): ReturnType<Shape> {
  const payout = fresh(chainIndex, 8)
  return {
    make: async () => ({
      action: {
        user: own.address,
        chainAuthorizations: [],
        intents: [await sign(own, [batch(chainIndex, [], [fromSolver(payout)])], { signatureType: 'eip712' })],
      },
      steps: [{ intentIndex: 0, stepIndex: 0, ends: [{ status: 'created' }], refusal: 'insufficient_credit' }],
      payouts: [{ ...payout, amount: 0n }],
    }),
  }
}

/** Says that the calls move more than they do. */
export function mismatched({ shared, chainIndex, usd, fresh, pass, batch, signed }: Scene): ReturnType<Shape> {
  const payout = fresh(chainIndex, 9)
  const said = { from: shared.address, to: payout.recipient, token: usd(chainIndex), amount: payout.amount + 1n }
  return {
    cents: inCents(chainIndex, 9),
    make: async () => ({
      ...(await signed(
        [batch(chainIndex, [pass(payout)], [said])],
        [[{ status: 'error', code: 'transfer_mismatch' }]],
      )),
      payouts: [{ ...payout, amount: 0n }],
    }),
  }
}
