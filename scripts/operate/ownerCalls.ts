import { type Address, encodeFunctionData, type Hex, numberToHex, padHex } from 'viem'
import { ChainUnavailable } from '../../server/chain/chain.js'
import { encodeBalanceOf, encodeIsOperator } from '../../server/chain/contracts.js'
import { solverVaultAbi } from '../../server/chain/generated/contracts.js'
import { createRpc } from '../../server/chain/nodes/rpc.js'
import { call, readWord, resultOf } from '../../server/chain/nodes/rpcFormat.js'
import type { RpcCall } from '../../server/chain/nodes/rpcNode.js'
import { nativeToken } from '../../server/domain/action.js'
import { type ChainConfig, isVault, vaultsOf, fundersOf } from '../../server/domain/chainConfig.js'
import { readAddress, readAmount, readChainId, readSomebody } from './words.js'

export const ownerUsage =
  'owner pause|unpause|accept [<chainId>] | owner revoke <operator> [<chainId>] | ' +
  'owner withdraw <chainId> <token> <to> <amount>'

/** A call that a vault takes from one account only. */
type Order = {
  what: string
  data: Hex
  /** The vault's function that names the account. */
  sender: 'owner' | 'pendingOwner'
  /** Undefined: every chain. */
  chainId: string | undefined
  /** Asks a vault for what may make the call needless or fail, and says that of the answer, or null. */
  ask: (vault: Address) => RpcCall
  remark: (word: bigint) => string | null
  /** Whether a former vault that answers so is not worth a word. */
  isNothing?: (word: bigint) => boolean
  /** Of what the file tells. */
  check?: (chain: ChainConfig) => string[]
}

/**
 * The calls by which the vaults' owner does something, for him to sign elsewhere, and what speaks against them.
 * Those of former vaults too: what was signed for one before may be sent still. Sends nothing and signs
 * nothing. Null: the words are no order.
 */
export async function describeOwnerCalls(words: string[], chains: readonly ChainConfig[]): Promise<string[] | null> {
  const order = readOrder(words)
  if (!order) return null
  const id = order.chainId === undefined ? null : readChainId(order.chainId)
  const chosen = chains.filter(({ chainId }) => id === null || chainId === id)
  if (chosen.length === 0) throw new Error(`There is no chain ${id} in the configuration`)
  const lines = chosen.map(async (chain) => {
    const remarks = order.check?.(chain).map((remark) => `${chain.chainId}: ${remark}`) ?? []
    const calls = await Promise.all(vaultsOf(chain).map((vault) => describeCall(order, chain, vault)))
    return [...remarks, ...calls.flat()]
  })
  return (await Promise.all(lines)).flat()
}

function readOrder([order, ...words]: string[]): Order | null {
  if (order === 'pause' && words.length <= 1) return pausing(true, words[0])
  if (order === 'unpause' && words.length <= 1) return pausing(false, words[0])
  if (order === 'accept' && words.length <= 1) return accepting(words[0])
  if (order === 'revoke' && words[0] && words.length <= 2) return revoking(words[0], words[1])
  const [chainId, token, to, amount] = words
  if (order !== 'withdraw' || !chainId || !token || !to || !amount || words.length > 4) return null
  return withdrawing(chainId, readAddress(token, '<token>'), readSomebody(to, '<to>'), readAmount(amount))
}

function pausing(isOn: boolean, chainId: string | undefined): Order {
  return {
    what: isOn ? 'pause payouts' : 'let payouts go on',
    data: encodeFunctionData({ abi: solverVaultAbi, functionName: 'setPaused', args: [isOn] }),
    ...{ sender: 'owner', chainId },
    ask: viewing('paused'),
    remark: (isPaused) => (isPaused !== BigInt(isOn) ? null : isOn ? 'is paused already' : 'is not paused'),
  }
}

function revoking(operator: string, chainId: string | undefined): Order {
  const key = readSomebody(operator, '<operator>')
  return {
    what: `take the right of the operator ${key}`,
    data: encodeFunctionData({ abi: solverVaultAbi, functionName: 'setOperator', args: [key, false] }),
    ...{ sender: 'owner', chainId },
    ask: (vault) => call('eth_call', { to: vault, data: encodeIsOperator(key) }, 'latest'),
    remark: (isOperator) => (isOperator === 0n ? `knows no operator ${key}` : null),
  }
}

function accepting(chainId: string | undefined): Order {
  return {
    what: 'accept the ownership',
    data: encodeFunctionData({ abi: solverVaultAbi, functionName: 'acceptOwnership' }),
    ...{ sender: 'pendingOwner', chainId },
    ask: viewing('pendingOwner'),
    remark: (next) => (next === 0n ? 'is given to nobody: its owner has to call transferOwnership first' : null),
    isNothing: (next) => next === 0n,
  }
}

function withdrawing(chainId: string, token: Address, to: Address, amount: bigint): Order {
  const isNative = token === nativeToken
  return {
    what: `withdraw ${amount} of ${token} to ${to}`,
    data: encodeFunctionData({ abi: solverVaultAbi, functionName: 'withdraw', args: [token, to, amount] }),
    ...{ sender: 'owner', chainId },
    ask: (vault) =>
      isNative
        ? call('eth_getBalance', vault, 'latest')
        : call('eth_call', { to: token, data: encodeBalanceOf(vault) }, 'latest'),
    remark: (held) => (held < amount ? `holds ${held} of it only` : null),
    isNothing: (held) => held === 0n,
    check(chain) {
      if (isVault(to, chain))
        throw new Error(`<to> is a vault of chain ${chain.chainId}, which what is withdrawn is to leave`)
      const isKnown = chain.tokens.some(({ address }) => address === token)
      return [
        ...(isKnown || isNative ? [] : [`the chains file names no token ${token}`]),
        ...(fundersOf(chain).includes(to)
          ? []
          : [
              `${to} is not in inventoryFrom of the chains file: add it and start all processes anew before anything is sent back ` +
                'from there, or anyone may have it paid to him on another chain',
            ]),
      ]
    },
  }
}

function viewing(functionName: 'owner' | 'pendingOwner' | 'paused'): Order['ask'] {
  return (vault) =>
    call('eth_call', { to: vault, data: encodeFunctionData({ abi: solverVaultAbi, functionName }) }, 'latest')
}

/** As `npm run deploy` says what is left for the owner. */
async function describeCall(order: Order, chain: ChainConfig, vault: Address): Promise<string[]> {
  const { chainId } = chain
  const rpc = createRpc(chainId, chain.rpcUrls)
  const readOf = (asked: RpcCall) =>
    rpc
      .read([asked], ([answer]) => readWord(resultOf(answer)))
      .catch((error: unknown) => {
        if (error instanceof ChainUnavailable) return error
        throw error
      })
  const [name, place] = vault === chain.vault ? ['the vault', ''] : ['the former vault', ', at the former vault']
  const title = order.sender === 'owner' ? 'the owner' : 'the pending owner'
  const [sender, found] = await Promise.all([readOf(viewing(order.sender)(vault)), readOf(order.ask(vault))])
  if (!(found instanceof ChainUnavailable) && vault !== chain.vault && order.isNothing?.(found)) return []
  const who = sender instanceof ChainUnavailable ? title : `${title} ${padHex(numberToHex(sender), { size: 20 })}`
  const remark = found instanceof ChainUnavailable ? null : order.remark(found)
  return [
    ...(sender instanceof ChainUnavailable
      ? [`${chainId}: no node tells ${title} of ${name} ${vault} (${sender.reason})`]
      : []),
    ...(remark === null ? [] : [`${chainId}: ${name} ${vault} ${remark}`]),
    // Where it is given to nobody, nobody has to.
    ...(sender === 0n ? [] : [`${chainId}: ${who} has to ${order.what}${place}: to ${vault} data ${order.data}`]),
  ]
}
