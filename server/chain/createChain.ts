import { type Address, type Hash, zeroHash } from 'viem'
import { inParts } from './nodes/inParts.js'
import { nativeToken } from '../domain/action.js'
import { type ChainConfig, vaultsOf } from '../domain/chainConfig.js'
import { chunk } from '../lists/chunk.js'
import { createCertainty } from './certainty.js'
import type { Chain } from './chain.js'
import { createContractCodes } from './contractCodes.js'
import {
  encodeBalanceOf,
  encodeDecimals,
  encodeIsChainBatchProcessed,
  encodeIsFulfilled,
  encodeIsOperator,
} from './contracts.js'
import { createLogSearch } from './findLog.js'
import { createMissingReceipts } from './missingReceipts.js'
import { createArrivalMeter } from './measureArrivals.js'
import { isRevert } from './nodes/isRevert.js'
import { createRpc, maxCalls, type RpcOptions } from './nodes/rpc.js'
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
  receiptOf,
  resultOf,
  transactionOf,
} from './nodes/rpcFormat.js'
import type { RpcAnswer } from './nodes/rpcNode.js'
import { createOperatorRights } from './operatorRights.js'
import { readFlag, tellsFlag } from './readFlag.js'
import { createBlockReceipts, readReceipts } from './readReceipts.js'
import { sendToAll } from './sendToAll.js'
import { createSimulator, rerun } from './simulation/simulate.js'
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

    receipts: (hashes) => readReceipts(rpc, hashes),

    missingReceipts: createMissingReceipts(rpc, readBlockReceipts),

    async areUnknown(hashes) {
      const parts = chunk(hashes, maxCalls).map(async (part) => {
        const calls = part.map((hash) => call('eth_getTransactionByHash', hash))
        const told = await rpc.readEach(calls, (answers) => answers.every((answer) => resultOf(answer) === null))
        const answered = told.filter((isUnknown) => isUnknown !== null)
        return answered.length >= config.agreement && answered.every(Boolean)
      })
      return (await Promise.all(parts)).every(Boolean)
    },

    seenMined(hashes) {
      return inParts(hashes, maxCalls, async (part) => {
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

    accounts(addresses, nonceOf) {
      const methods = ['eth_getTransactionCount', 'eth_getBalance', 'eth_getCode']
      const tags = [nonceOf, 'latest', 'latest']
      return inParts(addresses, Math.floor(maxCalls / methods.length), (part) => {
        const calls = part.flatMap((address) => methods.map((method, index) => call(method, address, tags[index])))
        return rpc.read(calls, (answers) => chunk(answers.map(resultOf), methods.length).map(readAccount))
      })
    },

    nonces(addresses, nonceOf) {
      return inParts(addresses, maxCalls, async (part) => {
        const calls = part.map((address) => call('eth_getTransactionCount', address, nonceOf))
        const told = await rpc.readEach(calls, (answers) => answers.map((answer) => readNumber(resultOf(answer))), {
          graceMs: slowNodeMs,
        })
        return part.map((_address, index) => told.map((node) => node && node[index]!))
      })
    },

    balances(holder, tokens) {
      return inParts(tokens, maxCalls, (part) => {
        const calls = part.map((token) =>
          token === nativeToken
            ? call('eth_getBalance', holder, 'latest')
            : call('eth_call', { to: token, data: encodeBalanceOf(holder) }, 'latest'),
        )
        return rpc.read(calls, (answers) => answers.map(readBalance), { isAnswer: isRevert })
      })
    },

    decimals(tokens, { waits } = { waits: false }) {
      return inParts(tokens, maxCalls, async (part) => {
        const calls = part.map((to) => call('eth_call', { to, data: encodeDecimals() }, 'latest'))
        const graceMs = waits ? Infinity : slowNodeMs
        const told = await rpc.readEach(calls, (answers) => answers.map(readDecimals), { graceMs })
        return part.map((_token, index) => told.map((node) => node && node[index]!))
      })
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
