import { type Address, concat, encodeFunctionData, type Hex, pad, toHex } from 'viem'
import { delegateAbi, solverVaultAbi } from '../../server/chain/generated/contracts.js'
import { createAccountModel, insist, type Sent, type SignedBatch, type SignedIntent } from './accountModel.js'
import { alter, hereOf, strip } from './alteredIntent.js'
import { chainId, tokenCall } from './chain.js'
import type { Outcome } from './evm.js'
import {
  batchId,
  type ContractIntent,
  executeData,
  failedTopic,
  fulfillData,
  fulfillManyData,
  fulfillStepSelector,
  noIntent,
  signIntent,
  skippedTopic,
} from './intents.js'
import { createCallMaker } from './invariantCalls.js'
import type { Bringing, Operation, TransferChoice } from './invariantOperations.js'
import type { World } from './invariantWorld.js'
import { createVaultModel, type Fulfilment, type Transfer } from './vaultModel.js'

type Of<Type extends Operation['type']> = Extract<Operation, { type: Type }>

/** One sequence of operations on a fresh world; `tally` counts the calls and what became of them. */
export function createRun(world: World, tally: Map<string, number>) {
  const { evm, vault, tokens } = world
  const accounts = createAccountModel(world)
  const money = createVaultModel(world)
  const intents: SignedIntent[] = []
  const keys: Hex[] = []
  const armed = new Set<Address>()
  const { nextNumber, failing, callsOf } = createCallMaker(world, intents)

  const count = (what: string) => tally.set(what, (tally.get(what) ?? 0) + 1)
  const userOf = (index: number) => world.users[index]!
  const addressOf = (by: string): Address =>
    by === 'second'
      ? world.secondOperator
      : by === 'owner'
        ? money.settings.owner
        : by === 'operator'
          ? world.operator
          : world.stranger
  const recipientOf = (index: number): Address =>
    [...world.recipients, ...world.users.map(({ address }) => address), vault, tokens.native][index]!
  const transferOf = ({ token, to, amount }: TransferChoice): Transfer => ({
    token: tokens[token],
    to: recipientOf(to),
    amount,
  })
  /** Only what has a way to take it; the accounts of users as their delegate of the moment does. */
  const takesNative = (to: Address) =>
    to !== world.proudRecipient && !['other', 'mute'].includes(accounts.kinds.get(to) ?? '')

  async function send(what: string, from: Address, to: Address | undefined, data: Hex, value = 0n): Promise<Outcome> {
    const outcome = await evm.send({ from, data, value, ...(to && { to }) })
    count('calls')
    count(`${what}: ${outcome.success ? 'done' : 'refused'}`)
    return outcome
  }

  /**
   * Sends a step by itself, or in a bundle behind one that can only fail; `around` is what that makes the vault call.
   * The outcome is then the step's own.
   */
  async function sendStep(what: string, from: Address, to: Address, data: Hex, isBundled: boolean) {
    if (!isBundled) return { outcome: await send(what, from, to, data), around: [] }
    const failing = { to: world.recipients[0]!, data: executeData(noIntent) }
    const outcome = await send(`bundle with ${what}`, from, vault, fulfillManyData([failing, { to, data }]))
    const itself = to === vault ? [{ to, data: concat([fulfillStepSelector, `0x${data.slice(10)}`]) }] : []
    const around = [failing, ...itself]
    if (!outcome.success) return { outcome, around }
    const isFault = ({ address, topics }: Outcome['logs'][number]) =>
      address === vault && [failedTopic, skippedTopic].includes(topics[0]!)
    const faults = outcome.logs.filter(isFault).map(({ topics }) => [topics[0], Number(topics[1])])
    insist(String(faults[0]) === String([failedTopic, 0]), 'A step that can only fail has not failed.')
    insist(faults.length < 2 || String(faults[1]) === String([failedTopic, 1]), 'A step was left out.')
    const success = faults.length < 2
    count(`${what} in a bundle: ${success ? 'done' : 'refused'}`)
    return { outcome: { ...outcome, success, logs: outcome.logs.filter((log) => !isFault(log)) }, around }
  }

  async function sign({ user, signatureType, batches, starts, lasts }: Of<'sign'>): Promise<SignedIntent> {
    const signer = userOf(user)
    const nbf = evm.now() + starts
    const exp = evm.now() + lasts
    const contents = batches.map(({ isElsewhere, calls: kinds, fails }) => {
      const { calls, tags, brings } = callsOf(kinds)
      if (fails) calls.push(failing())
      const pokes = kinds.includes('poke')
      return { chainId: isElsewhere ? 1n : chainId, calls, tokenTransfers: [], brings, tags, fails, pokes, isElsewhere }
    })
    const { digest, intent } = await signIntent(signer, contents, { signatureType, nbf, exp })
    const signed: SignedIntent = {
      user: signer.address,
      intent,
      batches: contents.map(({ calls, brings, tags, fails, pokes, isElsewhere }, index) => ({
        id: batchId(digest, index),
        user: signer.address,
        nbf,
        exp,
        isHere: !isElsewhere,
        calls,
        tags,
        brings,
        fails,
        pokes,
      })),
    }
    accounts.learn(signed)
    intents.push(signed)
    return signed
  }

  async function bring(signed: SignedIntent, bringing: Bringing): Promise<void> {
    const { way, tampering, operator, transfers, isOldKey, isBundled, pick } = bringing
    const all = signed.batches.map((_, index) => index)
    const here = hereOf(signed)
    const carried = { all, here, one: here.slice(pick % 2, (pick % 2) + 1), none: [] }[bringing.carried]
    const other = world.users.find(({ address }) => address !== signed.user)!.address
    const { intent, isTampered, account } = alter(signed, carried, tampering, other)
    const sent: Sent = { signed, carried, isTampered, account }
    const predicted = accounts.predict(sent)
    if (way === 'direct') {
      const by = addressOf(operator)
      const execute = executeData(intent)
      const { outcome, around } = await sendStep('execute', by, account, execute, isBundled)
      // In a bundle the account has to say that it ran something, as when the vault pays.
      const expected = !isBundled ? predicted.direct : money.settings.operators.has(by) ? predicted.vault : false
      expectSuccess(outcome, expected, 'execute')
      money.check(outcome, accounts.check(outcome), isBundled ? { execution: { account, execute }, around } : {})
      return
    }
    const paid = way === 'vault' ? [] : transfers.map(transferOf)
    await fulfill({ by: addressOf(operator), key: keyFor(isOldKey, pick), transfers: paid }, isBundled, {
      account,
      intent,
      can: predicted.vault,
    })
  }

  async function fulfill(
    fulfilment: Fulfilment,
    isBundled: boolean,
    execution?: { account: Address; intent: ContractIntent; can: boolean | undefined },
  ): Promise<void> {
    const { by, key, transfers } = fulfilment
    const can = execution === undefined ? true : execution.can
    const asked: Fulfilment = execution
      ? { ...fulfilment, account: execution.account, execute: executeData(execution.intent) }
      : fulfilment
    const isPossible = money.mayFulfill(asked) && money.canPay(transfers, takesNative)
    // What is armed may run a batch of a user while it is paid, so that his own may find itself run.
    const isCertain = !transfers.some(({ to, token }) => armed.has(to) || armed.has(token))
    const data = fulfillData(key, transfers, execution?.account, execution?.intent)
    const what = execution ? 'fulfill with account' : 'fulfill'
    const { outcome, around } = await sendStep(what, by, vault, data, isBundled)
    if (!isPossible) expectSuccess(outcome, isCertain ? false : undefined, 'fulfill')
    else expectSuccess(outcome, isCertain && can !== undefined ? can : undefined, 'fulfill')
    money.check(outcome, accounts.check(outcome), { fulfilment: asked, around })
  }

  function keyFor(isOld: boolean, pick: number): Hex {
    if (isOld && keys.length > 0) return keys[pick % keys.length]!
    const key = pad(toHex(nextNumber()), { size: 32 })
    keys.push(key)
    return key
  }

  async function own({ by, action, flag, cap, transfer }: Of<'own'>): Promise<void> {
    const { settings } = money
    const from = action === 'accept' && by === 'owner' ? (settings.heir ?? world.heir) : addressOf(by)
    const isOwner = from === settings.owner
    const withdrawal = transferOf(transfer)
    const { token, to, amount } = withdrawal
    const encode = (functionName: string, args: readonly unknown[]) =>
      encodeFunctionData({ abi: solverVaultAbi, functionName, args } as never)
    const heir = settings.owner === world.owner ? world.heir : world.owner
    const data = {
      operator: () => encode('setOperator', [world.secondOperator, flag]),
      cap: () => encode('setOutflowCap', [token, cap]),
      pause: () => encode('setPaused', [true]),
      resume: () => encode('setPaused', [false]),
      withdraw: () => encode('withdraw', [token, to, amount]),
      handOver: () => encode('transferOwnership', [heir]),
      accept: () => encode('acceptOwnership', []),
      renounce: () => encode('renounceOwnership', []),
    }[action]()
    const outcome = await send(action, from, vault, data)
    const possible = {
      operator: isOwner,
      cap: isOwner,
      pause: isOwner,
      resume: isOwner,
      withdraw: isOwner && money.canWithdraw(withdrawal, takesNative),
      handOver: isOwner,
      accept: from === settings.heir,
      renounce: false,
    }[action]
    expectSuccess(outcome, possible, action)
    money.check(outcome, accounts.check(outcome), action === 'withdraw' ? { withdrawal } : {})
    if (!outcome.success) return
    if (action === 'operator') settings.operators[flag ? 'add' : 'delete'](world.secondOperator)
    if (action === 'cap') settings.caps.set(token, cap)
    if (action === 'pause' || action === 'resume') settings.paused = action === 'pause'
    if (action === 'handOver') settings.heir = heir
    if (action === 'accept') [settings.owner, settings.heir] = [from, null]
  }

  async function arm({ what, with: payload, pick }: Of<'arm'>): Promise<void> {
    const target = what === 'recipient' ? world.reentrantRecipient : tokens.reentrant
    const signed = intents[pick % Math.max(intents.length, 1)]
    const loot = [{ to: world.stranger, token: tokens.good, amount: 1n }]
    const data = {
      fulfill: () => [vault, fulfillData(pad(toHex(nextNumber() + 2 ** 40), { size: 32 }), loot)],
      sameKey: () => [vault, fulfillData(keys.at(-1) ?? pad('0x1'), loot)],
      withdraw: () => [
        vault,
        encodeFunctionData({ abi: solverVaultAbi, functionName: 'withdraw', args: [tokens.good, world.stranger, 1n] }),
      ],
      execute: () => (signed ? [signed.user, executeData(strip(signed, hereOf(signed)))] : [vault, '0x']),
      nothing: () => [world.stranger, '0x'],
    }[payload]()
    const abi = world.abiOf('ReentrantRecipient') as never
    const outcome = await send(
      'arm',
      world.stranger,
      target,
      encodeFunctionData({ abi, functionName: 'arm', args: data } as never),
    )
    insist(outcome.success, 'Nobody could be armed.')
    armed[payload === 'execute' ? 'add' : 'delete'](target)
  }

  async function selfExecute({ user, isStranger, calls: kinds }: Of<'selfExecute'>): Promise<void> {
    const { address } = userOf(user)
    const { calls, tags, brings } = callsOf(kinds.filter((kind) => kind !== 'poke'))
    const data = encodeFunctionData({ abi: delegateAbi, functionName: 'selfExecute', args: [calls] })
    const outcome = await send('selfExecute', isStranger ? world.stranger : address, address, data)
    if (accounts.runsOurs(address)) expectSuccess(outcome, !isStranger, 'selfExecute')
    const isRun = outcome.success && !isStranger && accounts.runsOurs(address)
    const ran = accounts.check(outcome, isStranger ? undefined : { user: address, calls, tags })
    money.check(outcome, isRun ? [...ran, { brings } as SignedBatch] : ran)
  }

  async function deposit({ user, way, amount }: Of<'deposit'>): Promise<void> {
    const { address } = userOf(user)
    const token = way === 'token' ? tokens.good : tokens.native
    // Code that gives its money away as it ends: nothing can refuse or log that.
    const outcome =
      way === 'forced'
        ? await send('forced payment', address, undefined, concat(['0x73', vault, '0xff']), amount)
        : way === 'native'
          ? await send('payment', address, vault, '0x', amount)
          : await send('payment', address, token, tokenCall(token, vault, amount).data)
    expectSuccess(outcome, true, 'deposit')
    money.check(outcome, accounts.check(outcome), { deposit: { token, amount } })
  }

  /** The account's answer: yes for what has run and counts still, no for what never ran. */
  async function ask(user: string, batch: SignedBatch): Promise<void> {
    if (!accounts.runsOurs(user)) return
    const data = encodeFunctionData({ abi: delegateAbi, functionName: 'isChainBatchProcessed', args: [batch.id] })
    const isProcessed = BigInt(await evm.call(user as Address, data)) === 1n
    count('questions')
    if (!accounts.executed.has(batch.id)) insist(!isProcessed, 'A batch that never ran is said to have run.')
    else if (evm.now() <= batch.exp) insist(isProcessed, 'A batch that has run and not expired is forgotten.')
  }

  const carryOut = {
    passTime: ({ seconds }: Of<'passTime'>) => evm.passTime(seconds),
    async sign(operation: Of<'sign'>) {
      const signed = await sign(operation)
      if (!operation.isHeldBack) await bring(signed, operation.bringing)
    },
    async bringAgain({ bringing }: Of<'bringAgain'>) {
      if (intents.length > 0) await bring(intents[bringing.pick % intents.length]!, bringing)
    },
    pay: ({ operator, transfers, isOldKey, isBundled, pick }: Of<'pay'>) =>
      fulfill(
        { by: addressOf(operator), key: keyFor(isOldKey, pick), transfers: transfers.map(transferOf) },
        isBundled,
      ),
    selfExecute,
    own,
    deposit,
    async delegate({ user, kind, isSkipped }: Of<'delegate'>) {
      await world.delegate(userOf(user), kind, isSkipped)
      count('calls')
      if (!isSkipped) accounts.kinds.set(userOf(user).address, kind)
    },
    async write({ user }: Of<'write'>) {
      const data = encodeFunctionData({ abi: world.abiOf('OtherDelegate') as never, functionName: 'write' } as never)
      const outcome = await send('write', world.stranger, userOf(user).address, data)
      money.check(outcome, accounts.check(outcome))
    },
    arm,
    async ask({ pick }: Of<'ask'>) {
      const all = [...accounts.batches.values()]
      const batch = all[pick % Math.max(all.length, 1)]
      if (batch) await ask(batch.user, batch)
    },
  }

  return {
    async perform(operation: Operation): Promise<void> {
      await (carryOut[operation.type] as (operation: Operation) => unknown)(operation)
      await money.checkBalances()
    },

    /** Everything once more: nothing that has run runs again, whatever has expired, was evicted or delegated since. */
    async finish(): Promise<void> {
      for (const user of world.users) {
        await world.delegate(user, 'ours')
        accounts.kinds.set(user.address, 'ours')
      }
      for (const signed of intents) {
        for (const [index, batch] of signed.batches.entries()) {
          await ask(batch.user, batch)
          if (!accounts.executed.has(batch.id)) continue
          const data = executeData(strip(signed, [index]))
          const outcome = await send('replay', world.stranger, signed.user as Address, data)
          expectSuccess(outcome, false, 'replay')
          accounts.check(outcome)
        }
      }
      await money.checkBalances()
    },
  }
}

/** Where the model can tell what comes of a call, the chain has to agree: nothing that is due is refused either. */
function expectSuccess({ success, output }: Outcome, expected: boolean | undefined, what: string): void {
  insist(
    expected === undefined || success === expected,
    `${what} ${success ? 'went through' : `was refused: ${output}`}`,
  )
}
