import { type Address, concatHex, type Hex, padHex } from 'viem'
import { call, delegationTo, readObject } from '../../server/chain/nodes/rpcFormat.js'
import type { RpcAnswer } from '../../server/chain/nodes/rpcNode.js'
import type { Ask } from './contractReader.js'
import type { Findings } from './finding.js'

/** Code that returns 42, whoever is called. */
const answering: Hex = '0x602a60005260206000f3'
const borrower: Address = '0x00000000000000000000000000000000000b0b01'
const lender: Address = '0x00000000000000000000000000000000000b0b02'

/**
 * Whether a node knows what the service asks for. `place` is where the operator has written it
 * down. Throws when it falls silent.
 */
export async function checkAbilities(
  { ask, place, redact }: { ask: Ask; place: string; redact: (text: string) => string },
  { fault, warn }: Findings,
): Promise<void> {
  const target = { to: borrower, data: '0x' }
  const overriding = (code: Hex, extra = {}) => call('eth_call', target, 'latest', { [borrower]: { code }, ...extra })
  const designator = overriding(delegationTo(lender), { [lender]: { code: answering } })
  const simulation = call('eth_simulateV1', { blockStateCalls: [{ calls: [target] }] }, 'latest')
  const [receipts, plain, borrowed, simulated, raw, logs] = await ask([
    call('eth_getBlockReceipts', 'latest'),
    overriding(answering),
    designator,
    simulation,
    call('eth_getBlockByNumber', 'latest', false),
    call('eth_getLogs', { fromBlock: 'latest', toBlock: 'latest', topics: [padHex('0x1', { size: 32 })] }),
  ])
  const said = (answer: RpcAnswer | undefined) => (answer?.error ? ` (${redact(answer.error.message)})` : '')

  if (!Array.isArray(receipts?.result)) {
    const what = `it does not know eth_getBlockReceipts${said(receipts)}; each receipt is asked for by itself`
    warn('rpc.noBlockReceipts', what, `Use a node that knows it in ${place}, or expect many more requests.`)
  }
  if (!isAnswer(plain)) {
    const what = `it does not take state overrides in eth_call${said(plain)}; first delegations can't be simulated, and steps that are refused wait`
    fault('rpc.noStateOverride', what, `Use a node that knows them in ${place}.`)
  }
  // A block since Prague commits to its requests. Chains of another make may not; there, overriding tells.
  const header = readObject(raw?.result)
  const knows7702 = header['requestsHash'] ? true : header['blobGasUsed'] === undefined && isAnswer(borrowed)
  if (!knows7702) {
    const what = `it shows no sign of EIP-7702 (Prague)${said(borrowed)}; mode 7702 can't work`
    fault('rpc.noEip7702', what, 'Use a chain and a node with the Prague rules.')
  }
  if (!Array.isArray(simulated?.result)) {
    const what = `it does not know eth_simulateV1${said(simulated)}; transfers are not compared before sending, and a payment that is found once the node has forgotten its block's state waits`
    warn('rpc.noSimulation', what, `Use a node that knows it in ${place}.`)
  }
  if (!Array.isArray(logs?.result)) {
    const what = `it does not answer eth_getLogs${said(logs)}; executions by others can't be found`
    warn('rpc.noLogs', what, `Use a node that answers it in ${place}.`)
  }
}

function isAnswer(answer: RpcAnswer | undefined): boolean {
  return answer?.result === padHex(concatHex(['0x2a']), { size: 32 })
}
