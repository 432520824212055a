import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { encryptKeystoreJson } from 'ethers/wallet'
import { type Abi, encodeFunctionData, keccak256, parseEther } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { solverVaultAbi } from '../../server/chain/generated/contracts.js'
import { type Anvil, rpc, startAnvil } from '../../server/devnet/anvil.js'
import { devAccount } from '../../server/devnet/accounts.js'
import { type Devnet, startDevnet } from '../../server/devnet/devnet.js'
import { startFaultyNode } from '../chain/faultyNode.js'
import { bundledProgram } from '../support/bundledProgram.js'
import { chainsFileOf } from '../support/chainsFile.js'

export type Env = Record<string, string>
type FileToken = { address: string; decimals: number; airdrop?: object; minInventory?: string }
type FileChain = {
  chainId: number
  rpcUrls: string[]
  vault: string
  delegates: string[]
  tokens: [FileToken, FileToken, FileToken]
} & Record<string, unknown>

/** A place that the doctor finds nothing wrong with, made anew for each test, and the ways in which it is broken. */
export function doctorScene() {
  const folder = mkdtempSync(join(tmpdir(), 'doctor-'))
  let devnet: Devnet
  let old: Anvil
  let prepareDatabase: string[]
  const nodes: Awaited<ReturnType<typeof startFaultyNode>>[] = []

  before(async () => {
    devnet = await startDevnet({ dataDir: folder })
    old = await startAnvil({ chainId: 31337, hardfork: 'cancun' })
    prepareDatabase = await bundledProgram('test/support/prepareDatabase.ts')
  })
  const place = { env: {} as Env, file: '' }
  let count = 0
  beforeEach(() => {
    place.file = join(folder, `service-${++count}.sqlite`)
    place.env = { ...chainsFileOf(devnet, folder), DATABASE_URL: `sqlite:${place.file}` }
  })
  afterEach(async () => {
    for (const node of nodes.splice(0)) await node.stop()
  })
  after(async () => {
    await old.stop()
    await devnet.stop()
    rmSync(folder, { recursive: true, force: true })
  })

  /** Changes the first chain of the chains file. */
  function change(how: (chain: FileChain) => void) {
    const content = JSON.parse(readFileSync(place.env.CHAINS_FILE!, 'utf8')) as { chains: FileChain[] }
    how(content.chains[0]!)
    writeFileSync(place.env.CHAINS_FILE!, JSON.stringify(content))
  }

  const url = () => devnet.chains[0]!.rpcUrls[0]!
  /** Changes the first chain itself for the time of a diagnosis. */
  async function meanwhile(break_: () => Promise<unknown>) {
    const snapshot = await rpc(url(), 'evm_snapshot', [])
    await break_()
    return () => rpc(url(), 'evm_revert', [snapshot])
  }
  const asOwner = (functionName: string, args: unknown[]) =>
    rpc(url(), 'eth_sendTransactionSync', [
      {
        from: devAccount(0).address,
        to: devnet.chains[0]!.vault,
        data: encodeFunctionData({ abi: solverVaultAbi as Abi, functionName, args }),
      },
    ])

  /** A node in front of the first chain that does not know a method, or refuses it with that error. */
  async function without(
    refused: (call: { method: string; params: unknown[] }) => boolean,
    error = { code: -32601, message: 'method not found' },
  ) {
    const node = await startFaultyNode(url())
    nodes.push(node)
    node.behave({
      kind: 'answer',
      answer: (call) => (refused(call) ? { error } : null),
    })
    change((chain) => (chain.rpcUrls = [node.url]))
  }

  /** Makes the service's database, with what the statements do to it. */
  function database(...statements: string[]) {
    const args = [...prepareDatabase, place.file, ...statements]
    const { status, stderr } = spawnSync(process.execPath, args, { encoding: 'utf8' })
    if (status !== 0) throw new Error(stderr)
  }

  /** Enough for some steps, and not for many. */
  const lowGas = `0x${parseEther('0.005').toString(16)}`
  const setOperator = (method: string, value: string) => rpc(url(), method, [devAccount(1).address, value])

  /** The same code with a byte behind it that nothing runs into. */
  function otherBuild(address: string) {
    return meanwhile(async () => {
      const code = (await rpc(url(), 'eth_getCode', [address, 'latest'])) as string
      await rpc(url(), 'anvil_setCode', [address, `${code}00`])
    })
  }

  /** A node whose pool has transactions of every account. */
  async function withPool() {
    const node = await startFaultyNode(url())
    nodes.push(node)
    node.behave({
      kind: 'answer',
      answer: ({ method, params }) =>
        method === 'eth_getTransactionCount' && params[1] === 'pending' ? { result: '0x400' } : null,
    })
    change((chain) => (chain.rpcUrls = [node.url]))
  }

  /** A second node that knows the first block only. */
  async function behind() {
    const genesis = await rpc(url(), 'eth_getBlockByNumber', ['0x0', false])
    const node = await startFaultyNode(url())
    nodes.push(node)
    node.behave({
      kind: 'answer',
      answer: ({ method, params }) =>
        method === 'eth_getBlockByNumber' && params[0] === 'latest' ? { result: genesis } : null,
    })
    change((chain) => chain.rpcUrls.push(node.url))
  }

  /** A first node of another chain, in a database that knows the right one. */
  async function ofAnother() {
    const { hash } = (await rpc(url(), 'eth_getBlockByNumber', ['0x0', false])) as { hash: string }
    database(`INSERT INTO chain_identities VALUES (31337, '${hash}')`)
    const node = await startFaultyNode(url())
    nodes.push(node)
    node.behave({
      kind: 'answer',
      answer: ({ method, params }) =>
        method === 'eth_getBlockByNumber' && params[0] === '0x0'
          ? { result: { number: '0x0', hash: keccak256('0x01') } }
          : null,
    })
    change((chain) => chain.rpcUrls.unshift(node.url))
  }

  /** All dollars of the first chain's vault. */
  function wholeUsd() {
    const { address, decimals } = devnet.chains[0]!.tokens[0]!
    return [address, devAccount(9).address, 1_000_000n * 10n ** BigInt(decimals)]
  }

  async function keystore(word: string, said: string) {
    const privateKey = devnet.operatorKeys[0]!
    const { address } = privateKeyToAccount(privateKey)
    const json = await encryptKeystoreJson({ address, privateKey }, word, { scrypt: { N: 1024 } })
    writeFileSync(join(folder, 'key.json'), json, { mode: 0o644 })
    writeFileSync(join(folder, 'password'), `${said}\n`, { mode: 0o644 })
    delete place.env.SOLVER_PRIVATE_KEYS
    Object.assign(place.env, {
      SOLVER_KEYS_FILE: join(folder, 'key.json'),
      SOLVER_KEYS_PASSWORD_FILE: join(folder, 'password'),
    })
  }

  /** No chain for tests any more, with what such a one may not have taken out. */
  async function ofValue() {
    await keystore('right', 'right')
    change((c) => {
      c.testnet = false
      for (const token of c.tokens) delete token.airdrop
    })
  }

  /** The same, and the operator has sent something there. */
  async function usedBefore() {
    await ofValue()
    const { address } = devAccount(1)
    return meanwhile(() => rpc(url(), 'eth_sendTransactionSync', [{ from: address, to: address }]))
  }

  function remote() {
    delete place.env.SOLVER_PRIVATE_KEYS
    place.env.SOLVER_SIGNER_URL = `unix:${join(folder, 'no-signer')}`
    place.env.SOLVER_SIGNER_ADDRESSES = devAccount(1).address
  }

  function laneOf(index: number, status: string) {
    const signer = devAccount(index).address.toLowerCase()
    return `INSERT INTO lanes VALUES (31337, '${signer}', 0, '${status}', 'as a test', 0)`
  }

  /** An open transaction of that account, mined nowhere. */
  function openTransactionOf(index: number) {
    const signer = devAccount(index).address.toLowerCase()
    const values = [31337, signer, 0, signer, '0x', '[]', 21_000, '[]', 'open', 0, 0, 0]
    const columns = 'chain_id, signer, nonce, to_address, data, authorizations, gas_limit, signed_for, status'
    const written = values.map((value) => (typeof value === 'number' ? value : `'${value}'`)).join(', ')
    return `INSERT INTO transactions (${columns}, signed_at, created_at, updated_at) VALUES (${written})`
  }

  return {
    place,
    folder,
    devnet: () => devnet,
    old: () => old,
    change,
    meanwhile,
    without,
    database,
    otherBuild,
    behind,
    withPool,
    ofAnother,
    wholeUsd,
    keystore,
    remote,
    laneOf,
    openTransactionOf,
    url,
    asOwner,
    lowGas,
    setOperator,
    ofValue,
    usedBefore,
  }
}
