import { expect } from 'chai'
import { createPublicClient, erc20Abi, http } from 'viem'
import { compareVaults } from '../../../scripts/reconcile/compareVaults.js'
import type { Action } from '../../../server/api/generated/types.gen.js'
import type { Database } from '../../../server/store/connection/database.js'
import { ledgerFaults } from '../../chaos/oracles.js'
import type { Api } from '../../support/api.js'
import { type LoadWorld, usdOf } from './loadWorld.js'
import type { Plan } from './scene.js'

/** Every fresh recipient has exactly what he was to get, and nothing where nothing was. */
export async function judgePayouts(world: LoadWorld, plans: readonly Plan[]): Promise<void> {
  const faults: string[] = []
  for (const chainIndex of [0, 1] as const) {
    const chain = world.chains[chainIndex]
    const reader = createPublicClient({ transport: http(chain.rpcUrls[0], { batch: { batchSize: 100 } }) })
    const address = usdOf(world, chainIndex)
    const judge = async (name: string, { recipient, amount }: Plan['payouts'][number]) => {
      const got = await reader.readContract({ address, abi: erc20Abi, functionName: 'balanceOf', args: [recipient] })
      if (got !== amount) faults.push(`${name}: ${recipient} on ${chain.chainId} got ${got} instead of ${amount}`)
    }
    for (const { name, payouts } of plans) {
      const here = payouts.filter((payout) => payout.chainIndex === chainIndex)
      await Promise.all(here.map((payout) => judge(name, payout)))
    }
  }
  expect(faults).to.deep.equal([])
}

/** The ledger is at rest and equal to the chains, and has paid what the plans say, no more and no less. */
export async function judgeLedger(world: LoadWorld, database: Database, plans: readonly Plan[]): Promise<void> {
  expect((await ledgerFaults({ world, database })).map(({ what }) => what)).to.deep.equal([])
  const { vaults, balanceFaults } = await compareVaults(database, world.chains)
  expect(balanceFaults).to.deep.equal([])
  for (const { chainId, token, unexplained, paid } of vaults) {
    const what = `${token.id} of the vault on ${chainId}`
    expect(unexplained, `${what}: unexplained`).to.equal(0n)
    const index = world.chains.findIndex((chain) => chain.chainId === chainId)
    const planned = token.id === 'usd' ? plans.reduce((sum, plan) => sum + plan.paid[index]!, 0n) : 0n
    expect(paid, `${what}: paid out`).to.equal(planned)
  }
}

/** The actions that a query finds, page by page, up to so many pages: each once, newest first. */
export async function readPages(api: Api, query: string, limit: number, pages = Infinity): Promise<string[]> {
  const ids: string[] = []
  let cursor: string | null = null
  let read = 0
  do {
    const path: string = `/actions?${query}&limit=${limit}${cursor ? `&cursor=${cursor}` : ''}`
    const { status, body } = await api.get(path)
    expect(status, path).to.equal(200)
    ids.push(...(body.actions as Action[]).map(({ actionId }) => actionId))
    cursor = body.nextCursor as string | null
    read += 1
  } while (cursor && read < pages)
  expect(ids, `${query}: newest first, each once`).to.deep.equal([...new Set(ids)].sort().reverse())
  return ids
}

/** One that is only there, for what is asked of it. */
export async function createAction(api: Api, body: object): Promise<string> {
  const reply = await api.post('/actions', body)
  expect(reply.status, JSON.stringify(reply.body)).to.equal(201)
  return reply.body.actionId as string
}
