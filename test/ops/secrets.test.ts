import { randomBytes } from 'node:crypto'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import { encryptKeystoreJson } from 'ethers/wallet'
import { createConnection } from 'mysql2/promise'
import { keccak256 } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { type Devnet, startDevnet } from '../../server/devnet/devnet.js'
import { type FaultyNode, startFaultyNode } from '../chain/faultyNode.js'
import { createApi, type Reply } from '../support/api.js'
import { chainsFileOf } from '../support/chainsFile.js'
import { newSchema } from '../support/mysqlSchemas.js'
import { freePort } from '../support/freePort.js'
import { spawnService, type SpawnedService } from '../support/spawnedService.js'
import { until } from '../support/until.js'
import { createSecretFlows } from './secretFlows.js'

const secret = (name: string) => `${name}-${randomBytes(9).toString('hex')}`

/** A node's address with a credential in each place where providers put one. */
function withCredentials(node: FaultyNode, keep: (text: string) => void): string {
  const [user, password] = [secret('rpcUser'), `${secret('rpc')}!&ä`]
  const [path, query] = [secret('pathkey'), secret('apikey')]
  const pair = Buffer.from(`${user}:${password}`).toString('base64')
  for (const text of [user, password, encodeURIComponent(password), path, query, pair]) keep(text)
  return `${node.url.replace('://', `://${user}:${encodeURIComponent(password)}@`)}/v3/${path}?apikey=${query}`
}

describe('what the service says at LOG_LEVEL=trace', function () {
  this.timeout(240_000)
  const folder = mkdtempSync(join(tmpdir(), 'secrets-'))
  /** By what they are, so that a failure says which one was found. */
  const secrets = new Map<string, string>()
  const keep = (what: string) => (text: string) => void secrets.set(text, what)
  const heard: string[] = []
  let devnet: Devnet
  let leaky: FaultyNode
  let good: FaultyNode
  const urls = new Map<FaultyNode, string>()
  let mysql: { url: string; drop: () => Promise<void> } | null = null
  let service: SpawnedService
  let metricsUrl: string
  let env: Record<string, string>

  before(async () => {
    devnet = await startDevnet({ dataDir: folder })
    leaky = await startFaultyNode(devnet.chains[0]!.rpcUrls[0]!)
    good = await startFaultyNode(devnet.chains[0]!.rpcUrls[0]!)
    urls.set(leaky, withCredentials(leaky, keep('a credential of the node that leaks')))
    urls.set(good, withCredentials(good, keep('a credential of the node that works')))
    mysql = process.env.TEST_DATABASE === 'mysql' ? await withPassword(keep('the password of the database')) : null
    const port = await freePort()
    metricsUrl = `http://127.0.0.1:${port}/metrics`
    env = {
      ...deployment([...urls.values()]),
      ...(await keystore()),
      DATA_DIR: folder,
      DATABASE_URL: mysql?.url ?? `sqlite:${join(folder, 'service.sqlite')}`,
      LOG_LEVEL: 'trace',
      METRICS_PORT: String(port),
    }
    service = await spawnService(env)
    expect(service.url, service.said()).to.not.equal(null)
  })
  after(async () => {
    await service?.stop()
    await mysql?.drop()
    await Promise.all([leaky?.stop(), good?.stop()])
    await devnet?.stop()
    rmSync(folder, { recursive: true, force: true })
  })

  function deployment(rpcUrls: string[]): { CHAINS_FILE: string } {
    const { CHAINS_FILE } = chainsFileOf(devnet, folder)
    const content = JSON.parse(readFileSync(CHAINS_FILE, 'utf8')) as { chains: { rpcUrls: string[] }[] }
    content.chains[0]!.rpcUrls = rpcUrls
    writeFileSync(CHAINS_FILE, JSON.stringify(content))
    return { CHAINS_FILE }
  }

  async function keystore() {
    const password = secret('keystore "pass"')
    keep('the password of the keystore')(password)
    const privateKey = devnet.operatorKeys[0]!
    for (const key of devnet.operatorKeys) keep('the key of an operator')(key.slice(2))
    const { address } = privateKeyToAccount(privateKey)
    const json = await encryptKeystoreJson({ address, privateKey }, password, { scrypt: { N: 1024 } })
    writeFileSync(join(folder, 'key.json'), json, { mode: 0o600 })
    writeFileSync(join(folder, 'password'), password, { mode: 0o600 })
    return { SOLVER_KEYS_FILE: join(folder, 'key.json'), SOLVER_KEYS_PASSWORD_FILE: join(folder, 'password') }
  }

  /** What a node may say in its errors: where it was asked, by whom, and what for. */
  function leak(node: FaultyNode, only?: string): void {
    const url = urls.get(node)!
    const { username, password } = new URL(url)
    const pair = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`
    node.behave({
      kind: 'answer',
      answer: ({ method, params }) => {
        if (only !== undefined && method !== only) return null
        const header = Buffer.from(pair).toString('base64')
        const message = `${method} at ${url} by ${pair} (Basic ${header}) refused: ${JSON.stringify(params)}`
        return { error: { code: -32_000, message } }
      },
    })
  }

  function expectNothing(text: string, where: string): void {
    const lower = text.toLowerCase()
    for (const [needle, what] of secrets) {
      const at = lower.indexOf(needle.toLowerCase())
      const around = text.slice(Math.max(0, at - 200), at + 60)
      expect(at, `${where} holds ${what}: …${around}`).to.equal(-1)
    }
  }

  it('holds no key, password, credential or signature, and its answers and metrics hold none either', async () => {
    const remember = ({ headers, body }: Reply) =>
      void heard.push(JSON.stringify({ headers: Object.fromEntries(headers), body }))
    const token = secret('bearer')
    keep('a client’s own credential')(token)
    const plain = createApi(service.url!)
    const api = createApi(service.url!, {
      headers: { authorization: `Bearer ${token}`, cookie: `session=${token}` },
      onReply: remember,
    })
    const flows = createSecretFlows(api, plain, devnet.chains, (text, what) => keep(what)(text))
    leak(leaky)
    await flows.signed('eip712')
    await flows.signed('ecdsa')
    await flows.onDemandAndRefund()
    await flows.deposit()
    await flows.airdrop()
    await flows.legacy()
    await flows.refused()

    // For a while no node takes a transaction, and each tells why.
    leak(leaky, 'eth_sendRawTransaction')
    leak(good, 'eth_sendRawTransaction')
    const late = flows.signed('eip712')
    await until(() => service.said().includes('eth_sendRawTransaction at'), 'a refused transaction')
    good.behave({ kind: 'pass' })
    leak(leaky)
    await late

    // For a while no node tells anything else.
    leak(good)
    await until(async () => (await api.get('/health')).body.data?.status === 'down', 'the chain to be down')
    await flows.whileDown()
    good.behave({ kind: 'pass' })
    await until(async () => (await api.get('/health')).body.data?.status !== 'down', 'the chain to be back')
    if (mysql) {
      // The rest of what databases say in their errors: the statement, with all its values.
      await run(mysql.url, 'DROP TABLE venue_tx_hashes')
      await flows.intoTheMissingTable()
    }
    const metrics = await (await fetch(metricsUrl)).text()
    expect(metrics).to.contain('steps_settled_total')
    await service.stop()

    const raws = [...leaky.requests, ...good.requests]
      .flat()
      .filter(({ method }) => method === 'eth_sendRawTransaction')
      .map(({ params }) => String(params[0]))
    expect(raws.length).to.be.greaterThan(4)
    for (const raw of raws) keep('a raw transaction')(raw.slice(0, 140))

    // The flows have really been there, and so have the nodes' words.
    const said = service.said()
    expect(said).to.contain('"msg":"transaction sent"')
    expect(said).to.contain('eth_getBlockByNumber at')
    expect(said).to.contain('"operationId":"getLegacyStepStatus"')
    expect(heard.length).to.be.greaterThan(20)
    expectNothing(said, 'the log')
    expectNothing(heard.join('\n'), 'an answer')
    expectNothing(metrics, '/metrics')
  })

  it('tells no node of the trace that a request belongs to', () => {
    expect(leaky.headers.length).to.be.greaterThan(10)
    for (const headers of [...leaky.headers, ...good.headers]) {
      expect(headers).not.to.have.any.keys('traceparent', 'tracestate', 'x-request-id')
    }
  })

  const wrong: [string, () => Record<string, string>][] = [
    ['a wrong password of the keystore', () => ({ SOLVER_KEYS_PASSWORD_FILE: write('wrong', secret('wrongpass')) })],
    ['a database that is not there', () => ({ DATABASE_URL: `mysql://service:${fresh('dbpass')}@127.0.0.1:9/x` })],
    ['a DATABASE_URL that is none', () => ({ DATABASE_URL: `postgres://service:${fresh('dbpass')}@127.0.0.1:9/x` })],
    [
      'a signer’s address with a login',
      () => ({ SOLVER_KEYS_FILE: '', SOLVER_KEYS_PASSWORD_FILE: '', ...signerWithLogin() }),
    ],
    [
      'plain keys that are none',
      () => ({ SOLVER_KEYS_FILE: '', SOLVER_KEYS_PASSWORD_FILE: '', SOLVER_PRIVATE_KEYS: `0x${fresh('key')}` }),
    ],
    ['a node’s address that is none', () => deployment([`ws://user:${fresh('rpcpass')}@127.0.0.1:9/${fresh('path')}`])],
  ]
  const signerWithLogin = () => ({
    SOLVER_SIGNER_URL: `http://web3signer:${fresh('signerpass')}@127.0.0.1:9000`,
    SOLVER_SIGNER_ADDRESSES: `0x${'12'.repeat(20)}`,
  })
  const fresh = (name: string) => {
    const text = secret(name)
    keep(`the ${name} of a start that is refused`)(text)
    return text
  }
  const write = (name: string, text: string) => {
    keep('a wrong password')(text)
    writeFileSync(join(folder, name), text, { mode: 0o600 })
    return join(folder, name)
  }
  for (const [what, change] of wrong) {
    it(`holds nothing secret when it does not start for ${what}`, async () => {
      const refused = await spawnService({
        ...env,
        DATABASE_URL: `sqlite:${join(folder, 'other.sqlite')}`,
        ...change(),
      })
      await refused.stop('SIGKILL')
      expect(refused.url).to.equal(null)
      expect(refused.said()).to.match(/could not start|has problems/)
      expectNothing(refused.said(), 'what it says')
    })
  }
})

/** A user of the test server who needs a password, and his schema. */
async function withPassword(keep: (text: string) => void) {
  const server = await newSchema()
  const schema = new URL(server.url).pathname.slice(1)
  const password = `${secret('db')}@/#`
  const user = `u_${keccak256(Buffer.from(schema)).slice(2, 12)}`
  await run(server.url, `CREATE USER '${user}'@'%' IDENTIFIED BY '${password}'`)
  await run(server.url, `GRANT ALL ON ${schema}.* TO '${user}'@'%'`)
  const url = new URL(server.url)
  url.username = user
  url.password = encodeURIComponent(password)
  keep(password)
  keep(encodeURIComponent(password))
  return {
    url: url.toString(),
    async drop() {
      await run(server.url, `DROP USER '${user}'@'%'`)
      await server.drop()
    },
  }
}

async function run(url: string, sql: string): Promise<void> {
  const connection = await createConnection(url)
  await connection.query(sql)
  await connection.end()
}
