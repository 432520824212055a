import type { Action } from './amounts.js'
import type { Account, BaseError, Chain as ViemChain, Client, Hash, Hex, LocalAccount, RpcError, Transport } from 'viem'
import { addChain, sendTransaction, signMessage, signTypedData, switchChain } from 'viem/actions'
import { abortable, throwIfAborted } from './abortable.js'
import { requireAccount } from './authorizations.js'
import { createIntentClient, type IntentClient } from './client.js'
import type { IntentClientOptions } from './clientOptions.js'
import { IntentError } from './errors.js'
import { keccak256 } from './keccak256.js'
import type { PrepareOptions, PreparedAction } from './prepareAction.js'
import type { SendOptions } from './send.js'
import { type OnDemandOptions, type Payment, sendOnDemand, type TellSigned } from './sendOnDemand.js'
import type { SigningAccount } from './sign.js'

export {
  type OnDemandBatch,
  type OnDemandOptions,
  type Payment,
  sendOnDemand,
  type TellSigned,
} from './sendOnDemand.js'

/** What `intentActions` adds to a wallet client. */
export type IntentActions = {
  /** The client of the service, for all that needs no account. */
  intents: IntentClient
  /** Signs intents of mode `7702`, carries them out, and resolves with the finished action; see `send`. */
  sendIntents: (what: Omit<SendOptions, 'account'>) => Promise<Action>
  /** What `sendIntents` would sign. Signs nothing. */
  prepareIntents: (what: Omit<PrepareOptions, 'account'>) => Promise<PreparedAction>
  /**
   * Pays by the wallet's own transactions and has the solver carry out the rest; see `sendOnDemand`. Asks the wallet
   * to change to the chain of each payment.
   */
  sendOnDemand: (what: Omit<OnDemandOptions, 'account' | 'user' | 'pay'>) => Promise<Action>
}

/**
 * A viem extension: `walletClient.extend(intentActions({ baseUrl }))`. The wallet client's account signs and acts; a
 * local account can do everything, the account of a wallet everything but authorize a delegate (EIP-7702).
 */
export function intentActions(options: IntentClientOptions) {
  const intents = createIntentClient(options)
  return <T extends Transport, C extends ViemChain | undefined, A extends Account | undefined>(
    client: Client<T, C, A>,
  ): IntentActions => ({
    intents,
    sendIntents: (what) => intents.send({ ...what, account: walletAccount(client) }),
    prepareIntents: (what) => intents.prepareAction({ ...what, account: walletAccount(client) }),
    sendOnDemand: (what) => {
      const account = walletAccount(client)
      return sendOnDemand(intents, {
        ...what,
        user: account.address,
        account,
        pay: (payment, tellSigned) => payWith(client, payment, tellSigned, intents, what),
      })
    },
  })
}

/**
 * The account of a wallet client as `send` and the signing functions take it. One that holds its key is itself; that of
 * a wallet (JSON-RPC) is asked for each signature, and can't sign EIP-7702 authorizations.
 */
export function walletAccount(client: WalletClient): SigningAccount {
  const account = accountOf(client)
  if (account.type === 'local') return account
  return {
    address: account.address,
    signMessage: (message) => signMessage(client, { ...message, account }),
    signTypedData: (typedData) => signTypedData(client, { ...typedData, account } as never),
  }
}

type Trusting = Pick<OnDemandOptions, 'signal' | 'expect'>

type WalletClient = Client<Transport, ViemChain | undefined, Account | undefined>

async function payWith(
  client: WalletClient,
  { chainId, to, value, data }: Payment,
  tellSigned: TellSigned,
  intents: IntentClient,
  how: Trusting,
): Promise<Hash> {
  const account = accountOf(client)
  const isLocal = account.type === 'local'
  const isThere = async () => Number(await client.request({ method: 'eth_chainId' })) === chainId
  if (!isLocal && !(await isThere())) await switchTo(client, chainId, intents, how)
  // What a contract pays could never be told to be its own.
  const code = await client.request({ method: 'eth_getCode', params: [account.address, 'latest'] })
  requireAccount(account.address, code, chainId)
  throwIfAborted(how.signal)
  // Last, since the wallet may change to another one by then, for another tab or call.
  if (!(await isThere())) throw new IntentError(`The wallet is not on chain ${chainId}.`)
  // Waited for to the end: who is asked to pay may do so after an abort, and the hash must not get lost.
  let raw: Hex | undefined
  let untold: unknown
  const signTransaction = async (...given: never[]) => {
    const signed = await (account as Signing).signTransaction(...given)
    try {
      await tellSigned(signed)
    } catch (reason) {
      throw (untold = reason)
    }
    return (raw = signed)
  }
  // No copy of all that it has: it may be of a class, and have methods that want it as `this`.
  const { address, type, nonceManager } = account as LocalAccount
  // A wallet is told the chain as well: it may be on another one by the time that its user agrees, and refuses then.
  const request = ({ method, params: [payment] = [] }: { method: string; params?: object[] }, how: never) =>
    client.request({ method, params: payment && [{ ...payment, chainId: `0x${chainId.toString(16)}` }] } as never, how)
  const sender = (isLocal ? client : { ...client, request }) as WalletClient
  try {
    return await sendTransaction(sender, {
      account: { address, type, nonceManager, signTransaction },
      // In lower case, since viem refuses capitals that are no checksum (EIP-55).
      to: to.toLowerCase(),
      value,
      data,
      // The data is the batch's to the byte: what a client marks its transactions with would make it another payment.
      dataSuffix: '0x',
      chain: null,
    } as never)
  } catch (error) {
    // Only an answer with a code (JSON-RPC) is a node's own: a gateway that has passed it on, and
    // waits no longer, may say anything.
    const { code } = ((error as BaseError).walk() ?? error) as RpcError
    // And of several nodes (`fallback`) it is the last one's, while another may have it.
    const isOne = !(client.transport as { transports?: unknown }).transports
    if (!raw || (isOne && code < -1 && refusals.test((error as BaseError).details))) throw untold ?? error
    // Who gave no answer may have taken it, so it is given the same bytes, which can't pay twice, until it says
    // something of them, nine times in half a minute. Where it does not, the service finds out whether they are there.
    await client.request({ method: 'eth_sendRawTransaction', params: [raw] }, { retryCount: 8 }).catch(() => null)
    return keccak256(raw)
  }
}

type Signing = { signTransaction: (...given: never[]) => Promise<Hex> }

/** What nodes say of a transaction that they don't take. */
const refusals = /gas|underpriced|insufficient|exceeds|invalid [st]|too high/i

/** A wallet that does not know the chain is asked to add it (EIP-3085), as the service describes it. */
async function switchTo(client: WalletClient, chainId: number, intents: IntentClient, how: Trusting): Promise<void> {
  const switchIt = () => abortable(() => switchChain(client, { id: chainId }), how.signal)
  try {
    await switchIt()
  } catch (error) {
    if (!saysUnknownChain(error)) throw error
    const [chain] = await intents.checkChains([chainId], how)
    if (!chain?.rpcUrl) throw error
    const { name, rpcUrl, explorerUrl: url } = chain
    const rpcUrls = { default: { http: [rpcUrl] } }
    const added = { ...chain, id: chainId, rpcUrls, blockExplorers: url && { default: { name, url } } }
    await abortable(() => addChain(client, { chain: added as ViemChain }), how.signal)
    // Some have changed to it by that, and say so at once.
    await switchIt()
  }
}

/** By code 4902 (EIP-3326), which some have within an internal error. What a signal aborts with may be anything. */
function saysUnknownChain(error: unknown) {
  return (error as Caused).walk?.(({ code, data }) => (data?.originalError?.code ?? code) === 4902)
}

type Caused = {
  walk?: (is: (cause: { code?: number; data?: { originalError?: { code: number } } }) => boolean) => unknown
}

function accountOf(client: WalletClient): Account {
  if (client.account) return client.account
  throw new IntentError('The wallet has no account.')
}
