import { type Address, encodeFunctionData, type Hash, parseUnits, toHex } from 'viem'
import { devTokenAbi } from '../../../server/chain/generated/contracts.js'
import { rpc } from '../../../server/devnet/anvil.js'
import { devAccount } from '../../../server/devnet/accounts.js'
import { sendAll } from '../../chaos/world.js'
import { transferData } from '../../support/wallets.js'
import { load, type LoadWorld, units, usdOf } from './loadWorld.js'
import type { ChainIndex, Draft, Plan } from './scene.js'
import { draftOf } from './shapes.js'

/** Makes all plans of a run, whose users then have what they need: tokens, and payments made. Past the service. */
export async function preparePlans(world: LoadWorld): Promise<Plan[]> {
  return plansOf(
    world,
    Array.from({ length: load.actions }, (_, index) => draftOf(world, index)),
  )
}

/** The same for given drafts. */
export async function plansOf(world: LoadWorld, drafts: readonly Draft[]): Promise<Plan[]> {
  for (const chainIndex of [0, 1] as const) await fundUsers(world, drafts, chainIndex)
  const payments = await Promise.all(drafts.map((draft) => payOf(world, draft)))
  const plans: Plan[] = []
  // One after the other: all at once they would need each other's memory, and time out on what they wait for.
  for (const [index, { name, shape, user, finish }] of drafts.entries()) {
    plans.push({ name, shape, user, ...(await finish(payments[index]!)) })
  }
  return plans
}

async function fundUsers(world: LoadWorld, drafts: readonly Draft[], chainIndex: ChainIndex): Promise<void> {
  const cents = new Map<Address, number>()
  for (const { user, cents: needed } of drafts) {
    cents.set(user.address, (cents.get(user.address) ?? 0) + needed[chainIndex])
  }
  const mints = [...cents].map(([user, sum]) => ({
    to: usdOf(world, chainIndex),
    data: encodeFunctionData({
      abi: devTokenAbi,
      functionName: 'mint',
      args: [user, units(world, chainIndex, sum)],
    }),
  }))
  await sendAll(world.chains[chainIndex], devAccount(0), mints)
}

/** The user's own payment into the vault of the first chain, if his plan needs one. */
async function payOf(world: LoadWorld, { user, payment }: Draft): Promise<Hash | null> {
  if (payment === null) return null
  const [chain] = world.chains
  await rpc(chain.rpcUrls[0]!, 'anvil_setBalance', [user.address, toHex(parseUnits('1', 18))])
  const [hash] = await sendAll(chain, user, [{ to: usdOf(world, 0), data: transferData(chain.vault, payment) }])
  return hash!
}
