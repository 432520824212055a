import type { Action } from './amounts.js'
import type { Account, BaseError, Chain as ViemChain, Client, Hash, Hex, LocalAccount, Transport } from 'viem'
import { addChain, getChainId, sendTransaction, signMessage, signTypedData, switchChain } from 'viem/actions'
import { abortable, throwIfAborted } from './abortable.js'
import { requireAccount } from './authorizations.js'
import { createIntentClient, type IntentClient } from './client.js'
import type { IntentClientOptions } from './clientOptions.js'
import { IntentError } from './errors.js'
import { keccak256 } from './keccak256.js'
import type { PrepareOptions, PreparedAction } from './prepareAction.js'
import type { SendOptions } from './send.js'
import { type OnDemandOptions, type Payment, sendOnDemand } from './sendOnDemand.js'
import type { SigningAccount } from './sign.js'

export { type OnDemandBatch, type OnDemandOptions, type Payment, sendOnDemand } from './sendOnDemand.js'

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
        pay: (payment) => payWith(client, payment, intents, what.signal),
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
    signMessage: ({ message }) => signMessage(client, { account, message }),
    signTypedData: (typedData) => signTypedData(client, { ...typedData, account } as never),
  }
}

type WalletClient = Client<Transport, ViemChain | undefined, Account | undefined>

async function payWith(
  client: WalletClient,
  { chainId, ...payment }: Payment,
  intents: IntentClient,
  signal: AbortSignal | undefined,
): Promise<Hash> {
  const account = accountOf(client)
  const isThere = async () => (await getChainId(client)) === chainId
  if (!(await isThere())) {
    if (account.type === 'json-rpc') await switchTo(client, chainId, intents, signal)
    if (!(await isThere())) {
      throw new IntentError(`The wallet is not on chain ${chainId}.`)
    }
  }
  // What a contract pays could never be told to be its own.
  const code = await client.request({ method: 'eth_getCode', params: [account.address, 'latest'] })
  requireAccount(account.address, code, chainId)
  throwIfAborted(signal)
  // In lower case, since viem refuses capitals that are no checksum (EIP-55).
  const to = payment.to.toLowerCase()
  // Waited for to the end: who is asked to pay may do so after an abort, and the hash must not get lost.
  let signed: Hex | undefined
  const signTransaction = async (...given: never[]) => (signed = await (account as Signing).signTransaction(...given))
  // No copy of all that it has: it may be of a class, and have methods that want it as `this`.
  const { address, type, nonceManager } = account as LocalAccount
  try {
    const from = { address, type, nonceManager, signTransaction }
    return await sendTransaction(client, { ...payment, account: from, chain: null, to } as never)
  } catch (error) {
    if (!signed || refusals.test((error as BaseError).details)) throw error
    // A node that gave no answer may have taken it, so it is given the same bytes, which can't pay twice, until it says
    // something of them, nine times in half a minute. Where it does not, the service finds out whether they are there.
    await client.request({ method: 'eth_sendRawTransaction', params: [signed] }, { retryCount: 8 }).catch(() => null)
    return keccak256(signed)
  }
}

type Signing = { signTransaction: (...given: never[]) => Promise<Hex> }

/**
 * What nodes say of a transaction that they don't take. Whoever says anything else may have taken it, as a gateway that has
 * passed it on and waits no longer.
 */
const refusals = /gas|underpriced|insufficient|exceeds|invalid [st]|too high/i

/** What wallets answer when they don't know the chain (EIP-3326). */
const unknownChainCode = 4902

/** A wallet that does not know the chain is asked to add it (EIP-3085), as the service describes it. */
async function switchTo(
  client: WalletClient,
  chainId: number,
  intents: IntentClient,
  signal: AbortSignal | undefined,
): Promise<void> {
  const switchIt = () => abortable(() => switchChain(client, { id: chainId }), signal)
  try {
    await switchIt()
  } catch (error) {
    if (!saysUnknownChain(error)) throw error
    const [chain] = await intents.checkChains([chainId], { signal })
    if (!chain?.rpcUrl) throw error
    const { name, rpcUrl, explorerUrl: url } = chain
    const rpcUrls = { default: { http: [rpcUrl] } }
    const added = { ...chain, id: chainId, rpcUrls, ...(url && { blockExplorers: { default: { name, url } } }) }
    await abortable(() => addChain(client, { chain: added }), signal)
    // Some have changed to it by that.
    if ((await getChainId(client)) !== chainId) await switchIt()
  }
}

/** Some answer with the code of an internal error, and have this one within. */
function saysUnknownChain(error: unknown, depth = 0): boolean {
  const { code, cause, data, originalError } = Object(error) as Record<string, unknown>
  const isWithin = (inner: unknown) => saysUnknownChain(inner, depth + 1)
  return code === unknownChainCode || (depth < 4 && [cause, data, originalError].some(isWithin))
}

function accountOf(client: WalletClient): Account {
  if (client.account) return client.account
  throw new IntentError('The wallet has no account.')
}
