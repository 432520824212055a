import { getAddress, type Hex, toEventSelector } from 'viem'
import type { Log, Message, Outcome } from './evm.js'
import { type Call, type ContractIntent } from './intents.js'
import type { DelegateKind, World } from './invariantWorld.js'

/**
 * A batch that an account signed. Its first and last call and some between leave a number of their own at the probe.
 */
export type SignedBatch = {
  id: Hex
  user: string
  nbf: bigint
  exp: bigint
  isHere: boolean
  calls: Call[]
  tags: string[]
  /** What it pays the vault, by token. */
  brings: Map<string, bigint>
  /** Whether one of its calls reverts, and whether one calls back into an account. */
  fails: boolean
  pokes: boolean
}
export type SignedIntent = { user: string; intent: ContractIntent; batches: SignedBatch[] }
/** What was sent: which of the batches, and whether anything was changed that the signature covers. */
export type Sent = { signed: SignedIntent; carried: number[]; isTampered: boolean; account: string }

export type AccountModel = ReturnType<typeof createAccountModel>

const executedTopic = toEventSelector('ChainBatchExecuted(bytes32)')
const notedTopic = toEventSelector('Noted(address,uint256)')
const ecrecover = '0x0000000000000000000000000000000000000001'

/** Breaks the run with a sentence. */
export function insist(condition: boolean, sentence: string): asserts condition {
  if (!condition) throw new Error(sentence)
}

/** What accounts have signed and what they have run, compared with what the chain shows. */
export function createAccountModel(world: World) {
  const batches = new Map<Hex, SignedBatch>()
  const byTag = new Map<string, SignedBatch>()
  const byCall = new Map<string, SignedBatch>()
  const executed = new Set<Hex>()
  const kinds = new Map<string, DelegateKind>(world.users.map(({ address }) => [address, 'ours']))

  const nameOf = (user: string, { to, value, data }: Pick<Call, 'to' | 'value' | 'data'>) =>
    `${user} ${getAddress(to)} ${value} ${data.toLowerCase()}`
  const isInTime = ({ nbf, exp }: SignedBatch) => world.evm.now() >= nbf && world.evm.now() <= exp
  const runsOurs = (user: string) => ['ours', 'next'].includes(kinds.get(user)!)

  /**
   * No account calls anything but what it has signed, in time, and has not run before; not even what is undone later.
   */
  function checkMessages(messages: Message[], selfCalls: Set<string>): void {
    for (const message of messages) {
      if (!kinds.has(message.from) || message.to === null) continue
      if (message.isStatic && message.to === ecrecover) continue
      const name = nameOf(message.from, { to: message.to, value: message.value, data: message.data })
      if (selfCalls.has(name)) continue
      const batch = byCall.get(name)
      insist(batch !== undefined, `An account made a call that it has not signed: ${name}`)
      insist(!message.isDelegateCall, 'An account borrowed code for a call.')
      insist(batch.isHere && isInTime(batch), 'A batch ran on another chain or out of its time.')
      insist(!executed.has(batch.id), 'A call of a batch that had run before was made again.')
    }
  }

  /** Batches run whole, in order and once. Answers those that did. */
  function readLogs(logs: Log[], selfTags: Set<string>): SignedBatch[] {
    const seen = new Map<SignedBatch, string[]>()
    const ran: SignedBatch[] = []
    for (const { address, topics } of logs) {
      if (address === world.probe && topics[0] === notedTopic) {
        const user = getAddress(`0x${topics[1]!.slice(26)}`)
        const tag = BigInt(topics[2]!).toString()
        if (selfTags.delete(`${user} ${tag}`)) continue
        const batch = byTag.get(tag)
        insist(batch !== undefined && batch.user === user, 'An account had an effect that it has not signed.')
        seen.set(batch, [...(seen.get(batch) ?? []), tag])
      }
      if (kinds.has(address) && topics[0] === executedTopic) {
        const batch = batches.get(topics[1]!)
        insist(batch !== undefined && batch.user === address, 'An account says that it ran what it has not signed.')
        insist(runsOurs(address), 'A batch ran in an account that has another delegate.')
        insist(!executed.has(batch.id), 'A batch ran twice.')
        insist(String(seen.get(batch)) === String(batch.tags), 'A batch did not run whole and in order.')
        seen.delete(batch)
        executed.add(batch.id)
        ran.push(batch)
      }
    }
    insist(seen.size === 0, 'A batch had effects and was not marked.')
    return ran
  }

  return {
    kinds,
    batches,
    executed,
    runsOurs,

    learn(signed: SignedIntent): void {
      for (const batch of signed.batches) {
        batches.set(batch.id, batch)
        for (const tag of batch.tags) byTag.set(tag, batch)
        for (const call of batch.calls) byCall.set(nameOf(batch.user, call), batch)
      }
    },

    /** Whether a call of `execute` at an account succeeds, and whether the vault takes it; undefined: can't be told. */
    predict({ signed, carried, isTampered, account }: Sent): { direct?: boolean; vault?: boolean } {
      const kind = kinds.get(account)!
      if (kind === 'none' || kind === 'empty') return { direct: true, vault: false }
      if (kind === 'boasting') return { direct: true, vault: true }
      if (kind === 'mute' || kind === 'other') return { direct: false, vault: false }
      const sent = carried.map((index) => signed.batches[index]!)
      const now = world.evm.now()
      const { nbf, exp } = signed.intent
      const isRefused = isTampered || signed.user !== account || now < nbf || now > exp
      if (isRefused || sent.some((batch) => !batch.isHere || executed.has(batch.id))) {
        // A batch that calls back may have run before the refused one is reached, which undoes it.
        return { direct: false, vault: false }
      }
      if (sent.some(({ fails }) => fails)) return { direct: false, vault: false }
      if (sent.some(({ pokes }) => pokes)) return {}
      return { direct: true, vault: sent.length > 0 }
    },

    /** Checks a transaction, in which accounts may have sent themselves calls, and answers what batches it ran. */
    check(outcome: Outcome, self?: { user: string; calls: Call[]; tags: string[] }): SignedBatch[] {
      const selfCalls = new Set(self?.calls.map((call) => nameOf(self.user, call)))
      const selfTags = new Set(self?.tags.map((tag) => `${self.user} ${tag}`))
      checkMessages(outcome.messages, selfCalls)
      insist(outcome.success || outcome.logs.length === 0, 'A transaction that failed left logs.')
      return readLogs(outcome.logs, selfTags)
    },
  }
}
