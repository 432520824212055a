import { expect } from 'chai'
import { pino } from 'pino'
import { type Abi, createWalletClient, encodeFunctionData, type Hash, type Hex, http, parseGwei } from 'viem'
import { devTokenAbi } from '../../server/chain/generated/contracts.js'
import { devAccount } from '../../server/devnet/accounts.js'
import { rpc } from '../../server/devnet/anvil.js'
import { countedFromZero } from '../chain/faultyNode.js'
import { useServiceBehindNode } from '../support/useServiceBehindNode.js'
import { until } from '../support/until.js'
import { actionOf, fund, newUser, tokenOf, transferData } from '../support/wallets.js'

describe('a node that counts the logs of a single receipt from 0, and those of a block’s through the block', function () {
  this.timeout(60_000)
  const errors: { msg: string; hash: Hash }[] = []
  const log = pino(
    { level: 'error' },
    { write: (line) => void errors.push(JSON.parse(line) as (typeof errors)[number]) },
  )
  const { service, api, node } = useServiceBehindNode((chain) => chain, { log })

  it('has what a step has brought credited once, though it is reported as well', async () => {
    const [chain] = service.chains
    const [user, usd, amount] = [newUser(), tokenOf(chain, 'usd').address, 1_000n]
    await fund(chain, user.address, { usd: amount })
    node().behave({
      kind: 'change',
      change: ({ method }, result) => (method === 'eth_getTransactionReceipt' ? countedFromZero(result) : result),
    })
    const calls = [{ to: usd, value: 0n, data: transferData(chain.vault, amount) }]
    const { actionId } = (await api.post('/actions', await actionOf(user, chain, calls))).body

    // Something that logs comes before it in its block.
    const upstream = node().upstream!
    await rpc(upstream, 'evm_setAutomine', [false])
    await createWalletClient({ account: devAccount(0), transport: http(upstream) }).sendTransaction({
      chain: null,
      to: usd,
      data: encodeFunctionData({ abi: devTokenAbi as Abi, functionName: 'mint', args: [devAccount(7).address, 1n] }),
      maxFeePerGas: parseGwei('90'),
      maxPriorityFeePerGas: parseGwei('50'),
    })
    await api.execute(actionId, 0, 0, undefined, 0)
    const waiting = async () => ((await rpc(upstream, 'txpool_status', [])) as { pending: Hex }).pending
    await until(async () => Number(await waiting()) === 2, 'both are in the pool')
    await rpc(upstream, 'evm_mine', [])
    await rpc(upstream, 'evm_setAutomine', [true])
    const { body: step } = await api.execute(actionId, 0, 0)
    expect(step.status).to.equal('success')

    const hash = step.transactionHash as Hash
    const place = { transaction_hash: hash }
    const [credit] = await service.database.knex('credits').where(place).select('log_index')
    const told = countedFromZero(await rpc(upstream, 'eth_getTransactionReceipt', [hash])) as {
      logs: { address: string }[]
    }
    const transfer = told.logs.findIndex(({ address }) => address === usd)
    expect(Number(credit.log_index), 'the counts differ').to.be.greaterThan(transfer)

    const reported = await api.post('/coredeposit', {
      ...{ user: user.address, sender: user.address, txHash: hash, chainId: chain.chainId },
      ...{ tokenAddress: usd, amount: amount.toString() },
    })
    expect(reported.body.error.code).to.equal('transaction_already_used')
    const { tokens } = (await api.get(`/coredeposit/${user.address}`)).body.data
    expect(tokens[0].available).to.equal(amount.toString())
    expect(await service.database.knex('credits').where(place)).to.have.length(1)
    const said = errors.find((entry) => entry.hash === hash)
    expect(said?.msg, 'what operators are told').to.include('number the logs of a transaction differently')
  })
})
