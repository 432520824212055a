import {
  type Address,
  createPublicClient,
  createWalletClient,
  encodeFunctionData,
  erc20Abi,
  type Hash,
  type Hex,
  http,
  parseUnits,
  type PrivateKeyAccount,
} from 'viem'
import { devTokenAbi } from '../../server/chain/generated/contracts.js'
import { devAccount } from '../../server/devnet/accounts.js'
import { minedReceipt } from '../../server/devnet/minedReceipt.js'

type ListedChain = {
  chainId: number
  rpcUrl: string
  solver: Address
  delegate: Address
  tokens: { id: string; address: Address; decimals: number }[]
}

export type DemoChain = ReturnType<typeof connectOne>

/** The two local chains that the service lists. */
export async function connect(listed: { data: { chains: ListedChain[] } }): Promise<[DemoChain, DemoChain]> {
  const [a, b] = listed.data.chains.filter((chain) => [31337, 31338].includes(chain.chainId)).map(connectOne)
  if (!a || !b) throw new Error('The demo needs the service on its embedded development chains.')
  return [a, b]
}

export function transferData(to: Address, amount: bigint): Hex {
  return encodeFunctionData({ abi: erc20Abi, functionName: 'transfer', args: [to, amount] })
}

function connectOne(listed: ListedChain) {
  const transport = http(listed.rpcUrl)
  const reader = createPublicClient({ transport })
  const usd = listed.tokens.find((token) => token.id === 'usd')!

  async function confirmed(hash: Hash): Promise<Hash> {
    const receipt = await minedReceipt(reader, hash)
    if (receipt.status !== 'success') throw new Error(`${hash} was reverted`)
    return hash
  }

  return {
    chainId: listed.chainId,
    vault: listed.solver,
    delegate: listed.delegate,
    usd,
    /** Dollars in the token's smallest unit. */
    units: (amount: string) => parseUnits(amount, usd.decimals),
    usdOf: (holder: Address) =>
      reader.readContract({ address: usd.address, abi: erc20Abi, functionName: 'balanceOf', args: [holder] }),
    nativeOf: (holder: Address) => reader.getBalance({ address: holder }),
    nonceOf: (holder: Address) => reader.getTransactionCount({ address: holder }),
    gasOf: async (hash: Hash) => (await reader.getTransactionReceipt({ hash })).gasUsed,

    /** Makes dollars out of nothing; account 0 owns the token. */
    async mint(to: Address, amount: string): Promise<void> {
      const wallet = createWalletClient({ account: devAccount(0), transport })
      const args = [to, parseUnits(amount, usd.decimals)] as const
      await confirmed(
        await wallet.writeContract({ chain: null, address: usd.address, abi: devTokenAbi, functionName: 'mint', args }),
      )
    },

    /** Gives an account native currency for its own transactions; account 5 is a user's. */
    async fundGas(to: Address): Promise<void> {
      const wallet = createWalletClient({ account: devAccount(5), transport })
      await confirmed(await wallet.sendTransaction({ chain: null, to, value: parseUnits('0.1', 18) }))
    },

    /** A user's own transaction, mined. */
    async send(account: PrivateKeyAccount, transaction: { to: Address; data: Hex }): Promise<Hash> {
      const wallet = createWalletClient({ account, transport })
      return confirmed(await wallet.sendTransaction({ chain: null, ...transaction }))
    },
  }
}
