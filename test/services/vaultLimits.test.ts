import { expect } from 'chai'
import { type Abi, encodeFunctionData } from 'viem'
import { encodeFulfill } from '../../server/chain/contracts.js'
import { solverVaultAbi } from '../../server/chain/generated/contracts.js'
import { devAccount } from '../../server/devnet/accounts.js'
import { rpc } from '../../server/devnet/anvil.js'
import { createMetrics } from '../../server/process/metrics.js'
import { randomAddress, randomHash } from '../support/builders.js'
import { until } from '../support/until.js'
import { useServiceOnChains } from '../support/useTestService.js'
import { sendFrom, tokenOf } from '../support/wallets.js'

describe('what keeps a vault from paying', function () {
  this.timeout(60_000)
  const { service, api } = useServiceOnChains((chain) => chain)
  const a = () => service.chains[0]

  const byOwner = (functionName: string, args: unknown[]) =>
    sendFrom(a(), devAccount(0), {
      to: a().vault,
      data: encodeFunctionData({ abi: solverVaultAbi as Abi, functionName, args }),
    })
  const told = async (code: string) => {
    const { body } = await api.get('/health')
    return (body.data.findings as { code: string; chainId: number; message: string }[]).find(
      (finding) => finding.code === code && finding.chainId === a().chainId,
    )
  }
  const isOver = (code: string) => until(async () => !(await told(code)), `${code} to be over`, 10_000, 200)

  it('is told of while its owner has paused it', async () => {
    expect(await told('vault_paused')).to.equal(undefined)
    await byOwner('setPaused', [true])
    await until(() => told('vault_paused'), 'health to tell', 10_000, 200)
    await byOwner('setPaused', [false])
    await isOver('vault_paused')
  })

  it('is told of when less than a tenth of a day’s cap is left', async () => {
    const { address: token } = tokenOf(a(), 'usd')
    // No key of the service, whose nonces are its own.
    const operator = devAccount(9)
    await byOwner('setOperator', [operator.address, true])
    await byOwner('setOutflowCap', [token, 1_000n])
    const pay = (amount: bigint) =>
      sendFrom(a(), operator, {
        to: a().vault,
        data: encodeFulfill({
          stepKey: randomHash(),
          transfers: [{ to: randomAddress(), token, amount }],
          account: null,
          intent: null,
          stepIndex: 0,
        }),
      })
    await pay(900n)
    const { number } = (await rpc(a().rpcUrls[0]!, 'eth_getBlockByNumber', ['latest', false])) as { number: string }
    const seen = async () => {
      const { body } = await api.get('/health')
      return (body.data.chains as { chainId: number; blockNumber: number }[]).some(
        ({ chainId, blockNumber }) => chainId === a().chainId && blockNumber >= Number(number),
      )
    }
    await until(seen, 'health to see the block', 10_000, 200)
    expect(await told('outflow_cap_low'), 'a tenth is left').to.equal(undefined)
    await pay(1n)
    const { message } = await until(() => told('outflow_cap_low'), 'health to tell', 10_000, 200)
    expect(message).to.include('pays 99 of usd more today')
    await byOwner('setOutflowCap', [token, 0n])
    await isOver('outflow_cap_low')
  })

  it('shows in the metrics by the error code of the steps that it ends', async () => {
    const metrics = createMetrics('0')
    metrics.countStep(1, 'success')
    metrics.countStep(1, 'reverted', 'execution_reverted')
    const text = await metrics.text({
      status: 'ok',
      version: '0',
      database: 'ok',
      chains: [],
      draining: false,
      findings: [],
    })
    expect(text).to.include('steps_settled_total{chain="1",status="success",code=""} 1')
    expect(text).to.include('steps_settled_total{chain="1",status="reverted",code="execution_reverted"} 1')
  })
})
