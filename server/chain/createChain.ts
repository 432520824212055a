import { type Address, type Hash, zeroHash } from 'viem'
import { nativeToken } from '../domain/action.js'
import { type ChainConfig, vaultsOf } from '../domain/chainConfig.js'
import { chunk } from '../lists/chunk.js'
import type { Chain, Receipt, SendOutcome } from './chain.js'
import { createContractCodes } from './contractCodes.js'
import {
  encodeBalanceOf,
  encodeDecimals,
  encodeIsChainBatchProcessed,
  encodeIsFulfilled,
  encodeIsOperator,
} from './contracts.js'
import { createAbility } from './nodes/ability.js'
import { createCertainty } from './certainty.js'
import { createLogSearch } from './findLog.js'
import { createLostReceipts } from './lostReceipts.js'
import { createArrivalMeter } from './measureArrivals.js'
import { createOperatorRights } from './operatorRights.js'
import { readFlag, tellsFlag } from './readFlag.js'
import { createRpc, maxCalls, type Rpc, type RpcOptions } from './nodes/rpc.js'
import {
  call,
  orNull,
  quantity,
  readAccount,
  readBalance,
  readBigInt,
  readBlock,
  readDecimals,
  readNumber,
  readReceipt,
  readTransactionHashes,
  readArray,
  receiptOf,
  resultOf,
  transactionOf,
} from './nodes/rpcFormat.js'
import { NodeFailure } from './nodes/nodeFailure.js'
import type { RpcAnswer, RpcError, RpcNode } from './nodes/rpcNode.js'
import { classifySend, combineOutcomes, type NodeAnswer, type NodeOutcome } from './sendOutcome.js'
import { saysNoSuchMethod } from './nodes/noSuchMethod.js'
import { createSimulator, rerun } from './simulation/simulate.js'
import { isRevert } from './nodes/isRevert.js'
import { readVaultLimits } from './vaultLimits.js'

/** How much longer than the first a node may take where one answer would do. */
const slowNodeMs = 1_000

/** The chains of a configuration, by chain id. */
export function createChains(configs: readonly ChainConfig[], options: RpcOptions = {}): Map<number, Chain> {
  return new Map(configs.map((config) => [config.chainId, createChain(config, options)]))
}

/** One chain through JSON-RPC. */
export function createChain(config: ChainConfig, options: RpcOptions = {}): Chain {
  const rpc = createRpc(config.chainId, config.rpcUrls, options)
  const { findFulfilment, findExecution } = createLogSearch(rpc, config)
  const readBlockReceipts = createBlockReceipts(rpc)
  const codeOf = createContractCodes(rpc)

  return {
    config,
    simulate: createSimulator(rpc),
    rerun: (request) => rerun(rpc, request),
    measureArrivals: createArrivalMeter(rpc, { agreement: config.agreement, blockReceipts: readBlockReceipts }),
    findFulfilment,
    findExecution,
    blockReceipts: readBlockReceipts,

    head: rpc.readHead,

    blockByNumber(number) {
      return rpc.read([call('eth_getBlockByNumber', quantity(number), false)], ([block]) =>
        orNull(resultOf(block), readBlock),
      )
    },

    async receipts(hashes) {
      const parts = await Promise.all(chunk(hashes, maxCalls).map((part) => readReceipts(rpc, part)))
      return parts.flat()
    },

    lostReceipts: createLostReceipts(rpc, readBlockReceipts),

    async areUnknown(hashes) {
      const parts = chunk(hashes, maxCalls).map(async (part) => {
        const calls = part.map((hash) => call('eth_getTransactionByHash', hash))
        const told = await rpc.readEach(calls, (answers) => answers.every((answer) => resultOf(answer) === null))
        const answered = told.filter((isUnknown) => isUnknown !== null)
        return answered.length >= config.agreement && answered.every(Boolean)
      })
      return (await Promise.all(parts)).every(Boolean)
    },

    async seenMined(hashes) {
      const parts = chunk(hashes, maxCalls).map(async (part) => {
        const calls = part.map((hash) => call('eth_getTransactionReceipt', hash))
        const told = await rpc.readEach(calls, (answers) => answers.map((answer) => resultOf(answer) !== null))
        const answered = told.filter((node) => node !== null)
        if (answered.length < config.agreement)
          throw rpc.unavailable(
            'eth_getTransactionReceipt',
            `${answered.length} nodes answer, fewer than have to agree`,
          )
        return part.map((_hash, index) => answered.some((node) => node[index]))
      })
      return (await Promise.all(parts)).flat()
    },

    ...createCertainty(rpc, config),

    nodes: rpc.readHeads,

    knows(hash) {
      return rpc.read([call('eth_getTransactionByHash', hash)], ([transaction]) => resultOf(transaction) !== null)
    },

    async transaction(hash, { asksAll } = { asksAll: false }) {
      const calls = [
        call('eth_getTransactionByHash', hash),
        call('eth_getTransactionReceipt', hash),
        call('eth_getBlockByNumber', 'latest', false),
      ]
      const decode = ([transaction, receipt, head]: RpcAnswer[]) => ({
        transaction: orNull(resultOf(transaction), (value) => transactionOf(value, hash)),
        receipt: orNull(resultOf(receipt), (value) => receiptOf(value, hash)),
        head: readBlock(resultOf(head)),
      })
      const told = await rpc.read(calls, decode)
      const mayBeMined = told.transaction ? told.transaction.blockNumber !== null : asksAll
      if (!mayBeMined || (told.transaction && told.receipt)) return told
      const whole = (answers: RpcAnswer[]) => {
        const other = decode(answers)
        return other.transaction && other.receipt ? other : null
      }
      const others = await rpc.readUntil(calls, whole, (soFar) => soFar.some((other) => other !== null))
      return others.find((other) => other !== null) ?? told
    },

    async accounts(addresses, nonceOf) {
      const methods = ['eth_getTransactionCount', 'eth_getBalance', 'eth_getCode']
      const tags = [nonceOf, 'latest', 'latest']
      const parts = chunk(addresses, Math.floor(maxCalls / methods.length)).map((part) => {
        const calls = part.flatMap((address) => methods.map((method, index) => call(method, address, tags[index])))
        return rpc.read(calls, (answers) => chunk(answers.map(resultOf), methods.length).map(readAccount))
      })
      return (await Promise.all(parts)).flat()
    },

    async nonces(addresses, nonceOf) {
      const parts = chunk(addresses, maxCalls).map(async (part) => {
        const calls = part.map((address) => call('eth_getTransactionCount', address, nonceOf))
        const told = await rpc.readEach(calls, (answers) => answers.map((answer) => readNumber(resultOf(answer))), {
          graceMs: slowNodeMs,
        })
        return part.map((_address, index) => told.map((node) => node && node[index]!))
      })
      return (await Promise.all(parts)).flat()
    },

    async balances(holder, tokens) {
      const parts = chunk(tokens, maxCalls).map((part) => {
        const calls = part.map((token) =>
          token === nativeToken
            ? call('eth_getBalance', holder, 'latest')
            : call('eth_call', { to: token, data: encodeBalanceOf(holder) }, 'latest'),
        )
        return rpc.read(calls, (answers) => answers.map(readBalance), { isAnswer: isRevert })
      })
      return (await Promise.all(parts)).flat()
    },

    async decimals(tokens, { waits } = { waits: false }) {
      const parts = chunk(tokens, maxCalls).map(async (part) => {
        const calls = part.map((to) => call('eth_call', { to, data: encodeDecimals() }, 'latest'))
        const graceMs = waits ? Infinity : slowNodeMs
        const told = await rpc.readEach(calls, (answers) => answers.map(readDecimals), { graceMs })
        return part.map((_token, index) => told.map((node) => node && node[index]!))
      })
      return (await Promise.all(parts)).flat()
    },

    async areVaults(addresses, { waits } = { waits: false }) {
      const data = encodeIsFulfilled(zeroHash)
      const calls = addresses.map((to) => call('eth_call', { to, data }, 'latest'))
      const graceMs = waits ? Infinity : slowNodeMs
      const told = await rpc.readEach(calls, (answers) => answers.map(tellsFlag), { graceMs })
      return addresses.map((_address, index) => told.map((node) => node && node[index]!))
    },

    vaultLimits: (tokens) => readVaultLimits(rpc, config.vault, tokens),

    async isFulfilled(stepKey, since) {
      const data = encodeIsFulfilled(stepKey)
      const ask = (to: Address) => readFlag(rpc, { to, data, since, isThere: true })
      return (await Promise.all(vaultsOf(config).map(ask))).includes(true)
    },

    gasOfTransfer(account) {
      return rpc.read([call('eth_estimateGas', { from: account, to: account })], ([gas]) => readBigInt(resultOf(gas)))
    },

    suggestedTip() {
      return rpc.read([call('eth_maxPriorityFeePerGas')], ([tip]) => readBigInt(resultOf(tip)))
    },

    async areOperators(signers) {
      const flags = await Promise.all(
        signers.map((signer) => readFlag(rpc, { to: config.vault, data: encodeIsOperator(signer) })),
      )
      return flags.map((flag) => flag !== false)
    },

    operatorRights: createOperatorRights(rpc, config),

    isChainBatchProcessed: (account, chainBatchId, since) => remembersBatch(account, chainBatchId, { since }),
    isChainBatchPending: (account, chainBatchId) => remembersBatch(account, chainBatchId, { tag: 'pending' }),

    send(signed) {
      return sendToAll(rpc, config.chainId, signed)
    },
  }

  /** Every delegate keeps the batches that have run at the same place, so that the current one reads them for all. */
  async function remembersBatch(
    account: Address,
    chainBatchId: Hash,
    when: { since: bigint | undefined } | { tag: 'pending' },
  ): Promise<boolean> {
    const code = await codeOf(config.delegates[0]!)
    const data = encodeIsChainBatchProcessed(chainBatchId)
    return (await readFlag(rpc, { to: account, data, code, ...when })) === true
  }
}

type Signed = Parameters<Chain['send']>[0]

/** The first node that has the transaction answers for all; without one, all are waited for. */
async function sendToAll(rpc: Rpc, chainId: number, signed: Signed): Promise<SendOutcome> {
  const outcomes = rpc.senders.map(async (node): Promise<NodeOutcome> => {
    const answer = await sendTo(node, signed)
    const text = rpc.redact(answer.text)
    if (answer.kind !== 'otherChain') return { kind: answer.kind, text }
    // A node that has come to be of another chain knows nothing of ours; only one that is of ours is believed.
    return { kind: (await isOfChain(node, chainId)) ? 'dead' : 'ambiguous', text }
  })
  const pooled = outcomes.map((outcome) =>
    outcome.then(({ kind, text }) =>
      kind === 'accepted' || kind === 'known' ? { kind, text } : Promise.reject(new Error(kind)),
    ),
  )
  return Promise.any(pooled).catch(async () => combineOutcomes(await Promise.all(outcomes)))
}

async function sendTo(node: Pick<RpcNode, 'ask'>, { raw, hash }: Signed): Promise<NodeAnswer> {
  try {
    const [answer] = await node.ask([call('eth_sendRawTransaction', raw)])
    if (answer?.error) {
      const { message, data } = answer.error
      const text = typeof data === 'string' ? `${message}: ${data}` : message
      return { kind: classifySend(text), text }
    }
    const named = String(answer?.result).toLowerCase() === hash
    return named ? { kind: 'accepted', text: 'ok' } : { kind: 'ambiguous', text: 'the node names another transaction' }
  } catch (error) {
    if (!(error instanceof NodeFailure)) return { kind: 'ambiguous', text: 'no answer' }
    return { kind: error.isUnreached ? 'unreached' : 'ambiguous', text: error.message }
  }
}

async function isOfChain(node: Pick<RpcNode, 'ask'>, chainId: number): Promise<boolean> {
  try {
    const [answer] = await node.ask([call('eth_chainId')])
    return Number(answer?.result) === chainId
  } catch {
    return false
  }
}

/** Whole blocks where the node knows eth_getBlockReceipts, else every receipt by its hash in a second round trip. */
function createBlockReceipts(rpc: Rpc): Chain['blockReceipts'] {
  const wholeBlocks = createAbility()
  return async (number, { isGuess } = { isGuess: false }) => {
    const calls = [call('eth_getBlockByNumber', quantity(number), false)]
    if (wholeBlocks.isThere()) calls.push(call('eth_getBlockReceipts', quantity(number)))
    const found = await rpc.read(
      calls,
      ([block, receipts]) => {
        const value = resultOf(block)
        if (value === null || value === undefined) return null
        if (receipts?.error && saysNoSuchMethod(receipts.error)) wholeBlocks.deny()
        return {
          block: readBlock(value),
          hashes: readTransactionHashes(value),
          receipts: receipts && !receipts.error ? orNull(receipts.result, readReceiptList) : null,
        }
      },
      {
        isAnswer: (error, { method }) =>
          method === 'eth_getBlockReceipts' && (saysNoSuchMethod(error) || isMissing(error)),
        isGuess,
      },
    )
    if (!found) return null
    const { block, hashes } = found
    const receipts = found.receipts ?? (wholeBlocks.isThere() ? null : await readAll(hashes))
    if (!receipts) return null
    // Block and receipts may come from either side of a reorganisation; together they must be one block.
    const told = new Set(receipts.map((receipt) => receipt.hash))
    const isWhole =
      receipts.every(({ blockHash }) => blockHash === block.hash) && hashes.every((hash) => told.has(hash))
    return isWhole ? { block, receipts } : null
  }

  async function readAll(hashes: readonly Hash[]): Promise<Receipt[]> {
    const parts = await Promise.all(chunk(hashes, maxCalls).map((part) => readReceipts(rpc, part)))
    return parts.flat().filter((receipt) => receipt !== null)
  }
}

/** Whether a node says that it does not have a block; some say null for that. */
function isMissing({ message }: RpcError): boolean {
  return /(?:block|header|receipts?|resource) not found|unknown block/i.test(message)
}

function readReceiptList(value: unknown): Receipt[] {
  return readArray(value).map(readReceipt)
}

function readReceipts(rpc: Rpc, hashes: readonly Hash[]): Promise<(Receipt | null)[]> {
  const calls = hashes.map((hash) => call('eth_getTransactionReceipt', hash))
  return rpc.read(calls, (answers) =>
    answers.map((answer, index) => orNull(resultOf(answer), (value) => receiptOf(value, hashes[index]!))),
  )
}
