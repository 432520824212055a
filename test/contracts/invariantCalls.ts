import { type Abi, type Address, concat, encodeFunctionData, type Hex, pad, toHex } from 'viem'
import type { SignedIntent } from './accountModel.js'
import { hereOf, strip } from './alteredIntent.js'
import { tokenCall } from './chain.js'
import { type Call, executeData, noIntent } from './intents.js'
import type { CallKind } from './invariantOperations.js'
import type { World } from './invariantWorld.js'

/** Makes calls no two of which are equal, so that each one's effect tells who signed it and when. */
export function createCallMaker(world: World, intents: SignedIntent[]) {
  const { vault, probe, tokens } = world
  const abi = world.abiOf('InvariantProbe') as Abi
  let numbers = 0
  const nextNumber = () => (numbers += 1)
  const probed = (functionName: string, args: readonly unknown[], value = 0n): Call => ({
    to: probe,
    value,
    data: encodeFunctionData({ abi, functionName, args }),
  })
  const word = (number: number): Hex => pad(toHex(number), { size: 32 })

  /** Calls back into an account with an intent that was signed before, whatever becomes of it. */
  function poke(): Call {
    const number = nextNumber()
    const inner = intents[number % Math.max(intents.length, 1)]
    const data = executeData(inner ? strip(inner, hereOf(inner)) : noIntent)
    return probed('poke', [(inner?.user ?? world.users[0].address) as Address, concat([data, word(number)])])
  }

  return {
    nextNumber,

    /** A call that reverts. */
    failing: (): Call => ({ to: probe, value: 0n, data: concat([probed('fail', []).data, word(nextNumber())]) }),

    /** The calls, the numbers that they leave at the probe, and what they pay the vault. */
    callsOf(kinds: readonly CallKind[]) {
      const tags: string[] = []
      const brings = new Map<string, bigint>()
      const note = (value = 0n): Call => {
        const tag = nextNumber()
        tags.push(String(tag))
        return probed('note', [BigInt(tag)], value)
      }
      const payVault = (token: Address, amount: bigint): Call => {
        brings.set(token, (brings.get(token) ?? 0n) + amount)
        return token === tokens.native ? { to: vault, value: amount, data: '0x' } : tokenCall(token, vault, amount)
      }
      const makers: Record<CallKind, () => Call> = {
        note,
        valued: () => note(3n),
        poke,
        payNative: () => payVault(tokens.native, BigInt(nextNumber())),
        payToken: () => payVault(tokens.good, BigInt(nextNumber())),
      }
      const calls = [note(), ...kinds.map((kind) => makers[kind]()), note()]
      return { calls, tags, brings }
    },
  }
}
