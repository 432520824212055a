import { type Address, decodeFunctionData, erc20Abi, getAddress, type Hex, toEventSelector } from 'viem'
import { insist, type SignedBatch } from './accountModel.js'
import type { Message, Outcome } from './evm.js'
import type { TokenKind, World } from './invariantWorld.js'

export type Transfer = { to: Address; token: Address; amount: bigint }
/** What an operator asked for. `execute`: what the vault would have to send to the account. */
export type Fulfilment = { by: Address; key: Hex; transfers: Transfer[]; account?: Address; execute?: Hex }

/** What else was asked of the vault. */
export type Asked = {
  fulfilment?: Fulfilment
  withdrawal?: Transfer
  deposit?: { token: Address; amount: bigint }
  /** A step of a bundle in which the vault only calls the account. */
  execution?: { account: Address; execute: Hex }
  /** What a bundle has the vault call besides: other steps, and itself. */
  around?: { to: Address; data: Hex }[]
}

export type VaultModel = ReturnType<typeof createVaultModel>

const fulfilledTopic = toEventSelector('Fulfilled(bytes32)')
const day = 86_400n

/** What the vault owns, owes and may do, compared with what the chain shows. */
export function createVaultModel(world: World) {
  const { vault, tokens, recipients } = world
  const balances = new Map<string, bigint>()
  const tracked = Object.entries(tokens).filter(([kind]) => kind !== 'noToken') as [TokenKind, Address][]
  const name = (token: Address, holder: Address) => `${token} ${holder}`
  const balance = (token: Address, holder: Address) => balances.get(name(token, holder)) ?? 0n
  const add = (token: Address, holder: Address, amount: bigint) => {
    if (holder === vault || recipients.includes(holder)) {
      balances.set(name(token, holder), balance(token, holder) + amount)
    }
  }
  for (const [, token] of tracked) balances.set(name(token, vault), world.stock)

  const settings = {
    owner: world.owner,
    heir: null as Address | null,
    paused: false,
    operators: new Set<Address>(world.operators),
    caps: new Map<Address, bigint>(),
    spent: new Map<Address, { day: bigint; amount: bigint }>(),
  }
  const fulfilled = new Set<Hex>()

  const spentToday = (token: Address) => {
    const spent = settings.spent.get(token)
    return spent?.day === world.evm.now() / day ? spent.amount : 0n
  }

  /** Whether a token moves, and what of it arrives. The owner's withdrawals are not measured. */
  function arrives(kind: TokenKind, amount: bigint, isMeasured: boolean): bigint | null {
    if (kind === 'fee') return isMeasured && amount >= 100n ? null : amount - amount / 100n
    if (kind === 'taking') return isMeasured && amount > 0n ? null : 0n
    // A contract that takes any call without a word passes for a silent token where nothing is measured.
    if (kind === 'noToken') return isMeasured ? null : 0n
    return ['native', 'good', 'silent', 'talkative', 'reentrant'].includes(kind) ? amount : null
  }

  /** Whether all transfers can be paid one after the other; `takesNative` tells of recipients that are users. */
  function canPay(transfers: Transfer[], takesNative: (to: Address) => boolean): boolean {
    const left = new Map<Address, bigint>()
    const counted = new Map<Address, bigint>()
    for (const { to, token, amount } of transfers) {
      const kind = world.kindOf(token)
      const cap = settings.caps.get(token) ?? 0n
      const spent = (counted.get(token) ?? spentToday(token)) + amount
      if (cap > 0n && spent > cap) return false
      counted.set(token, spent)
      if (to === vault || to === tokens.native || arrives(kind, amount, true) === null) return false
      const rest = (left.get(token) ?? balance(token, vault)) - amount
      if (rest < 0n || (kind === 'native' && !takesNative(to))) return false
      left.set(token, rest)
    }
    return true
  }

  /** Nothing leaves the vault but what was asked for: in order, each at most once, nothing beside it. */
  function checkMessages(
    messages: Message[],
    asked: { transfers: Transfer[]; account?: Address; execute?: Hex; around?: { to: Address; data: Hex }[] },
  ): void {
    const open = [...asked.transfers]
    const around = [...(asked.around ?? [])]
    let isOpen = asked.execute !== undefined
    for (const { from, to, value, data, isStatic, isDelegateCall } of messages) {
      if (from !== vault) continue
      insist(to !== null && !isDelegateCall, 'The vault made a contract or borrowed code.')
      if (isStatic) {
        const isQuestion =
          data.startsWith('0x70a08231') && asked.transfers.some(({ token }) => getAddress(token) === to)
        insist(isQuestion, 'The vault asked somebody something else than a balance.')
      } else if (around[0]?.to === to && around[0].data === data) {
        insist(value === 0n, 'The vault sent money along with a step.')
        around.shift()
      } else if (data === asked.execute && to === asked.account) {
        insist(
          isOpen && value === 0n && open.length === 0,
          'The vault called an account twice, too early or with money.',
        )
        isOpen = false
      } else {
        const next = open.shift()
        insist(next !== undefined, 'The vault made a call that nobody asked for.')
        const isNative = next.token === tokens.native
        insist(to === getAddress(isNative ? next.to : next.token), 'The vault called somebody else than asked for.')
        insist(value === (isNative ? next.amount : 0n), 'The vault sent another amount than asked for.')
        if (isNative) insist(data === '0x', 'The vault sent data along with native currency.')
        else {
          const { functionName, args } = decodeFunctionData({ abi: erc20Abi, data })
          const isAsked = functionName === 'transfer' && args[0] === getAddress(next.to) && args[1] === next.amount
          insist(isAsked, 'The vault called a token for something else than the transfer.')
        }
      }
    }
  }

  function pay(transfers: Transfer[], isMeasured: boolean): void {
    for (const { to, token, amount } of transfers) {
      const kind = world.kindOf(token)
      const arrived = arrives(kind, amount, isMeasured)
      insist(arrived !== null, `The vault paid with a token that it has to refuse: ${kind}`)
      if (kind !== 'taking' && kind !== 'noToken') add(token, vault, -amount)
      add(token, to, arrived)
    }
  }

  return {
    settings,
    fulfilled,
    tracked,
    canPay,

    /** Whether the owner's withdrawal goes through. */
    canWithdraw({ to, token, amount }: Transfer, takesNative: (to: Address) => boolean): boolean {
      const kind = world.kindOf(token)
      if (to === vault || to === tokens.native || arrives(kind, amount, false) === null) return false
      if (kind === 'taking' || kind === 'noToken') return true
      return amount <= balance(token, vault) && (kind !== 'native' || takesNative(to))
    },

    mayFulfill: ({ by, key }: Fulfilment) => settings.operators.has(by) && !settings.paused && !fulfilled.has(key),

    /** Checks a transaction, in which the vault was asked for at most one thing, and books it. */
    check(outcome: Outcome, ran: SignedBatch[], asked: Asked = {}): void {
      const { fulfilment, withdrawal, deposit, execution, around = [] } = asked
      const transfers = fulfilment?.transfers ?? (withdrawal ? [withdrawal] : [])
      checkMessages(outcome.messages, { ...execution, ...fulfilment, transfers, around })
      const keys = outcome.logs
        .filter(({ address, topics }) => address === vault && topics[0] === fulfilledTopic)
        .map(({ topics }) => topics[1]!)
      const expected = outcome.success && fulfilment ? [fulfilment.key] : []
      insist(
        String(keys) === String(expected),
        'The vault says that it carried out another step than it was asked for.',
      )
      for (const batch of ran) {
        for (const [token, amount] of batch.brings) add(token as Address, vault, amount)
      }
      if (!outcome.success) return
      if (deposit) add(deposit.token, vault, deposit.amount)
      if (withdrawal) pay([withdrawal], false)
      if (!fulfilment) return
      insist(settings.operators.has(fulfilment.by) && !settings.paused, 'The vault obeyed somebody it must not obey.')
      insist(!fulfilled.has(fulfilment.key), 'A step was carried out twice.')
      fulfilled.add(fulfilment.key)
      for (const { token, amount } of fulfilment.transfers) {
        const cap = settings.caps.get(token) ?? 0n
        if (cap === 0n) continue
        const total = spentToday(token) + amount
        insist(total <= cap, 'More was paid on one day than the cap allows.')
        settings.spent.set(token, { day: world.evm.now() / day, amount: total })
      }
      pay(fulfilment.transfers, true)
    },

    /** To the wei: what the vault and its recipients own is what the model says. */
    async checkBalances(): Promise<void> {
      for (const [kind, token] of tracked) {
        for (const holder of [vault, ...recipients]) {
          const real = kind === 'native' ? await world.evm.nativeOf(holder) : await world.evm.tokenOf(token, holder)
          const expected = balance(token, holder)
          insist(
            real === expected,
            `${holder === vault ? 'The vault' : holder} has ${real} of ${kind}, not ${expected}.`,
          )
        }
      }
    },
  }
}
