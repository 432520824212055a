import { join } from 'node:path'
import { expect } from 'chai'
import { loadConfig } from '../../server/config/config.js'
import { address, goodChain, goodFile, goodToken, key, mistyped, published, useConfig, zero } from './configScene.js'

const vault = `0x${'cd'.repeat(20)}`
const other = `0x${'ef'.repeat(20)}`
const withFormer = (...formerVaults: string[]) => ({
  groups: { usd: {} },
  chains: [{ ...goodChain, vault, delegates: [`0x${'12'.repeat(20)}`], formerVaults }],
})
const withChain = (change: object) => ({ ...goodFile, chains: [{ ...goodChain, ...change }] })

describe('the configuration', () => {
  const { load, problems } = useConfig()

  it('has defaults by which an empty environment will do', () => {
    const loaded = loadConfig({})
    expect(loaded.ok && loaded.config).to.include({ port: 3000, host: '127.0.0.1', role: 'all', deployment: null })
    expect(loaded.ok && loaded.config).to.include({ dataDir: '.data', logLevel: 'info', rateLimitPerMinute: 0 })
    expect(loaded.ok && loaded.config.corsOrigins).to.deep.equal(['*'])
    expect(loaded.ok && loaded.config.database).to.deep.equal({ kind: 'sqlite', file: join('.data', 'service.sqlite') })
    expect(loaded.ok && loaded.config.bundling).to.deep.equal({ maxSteps: 40, waitMs: 5 })
  })

  it('reads a chains file, with its defaults and credentials from the environment', () => {
    const loaded = load({}, goodFile)
    if (!loaded.ok) throw new Error(loaded.problems.join())
    const [chain] = loaded.config.deployment!.chains
    expect(chain).to.deep.include({ confirmations: 12, rpcUrls: ['https://rpc.example.org/secret-credential'] })
    expect(chain!.tokens[0]).to.include({ group: 'usd', openCapPerDay: null })
  })

  it('gives without credit only where a token has open funding', () => {
    for (const [funding, openCapPerDay] of [
      ['credit', null],
      ['open', 7n],
    ] as const) {
      const loaded = load({}, withChain({ testnet: true, tokens: [{ ...goodToken, funding, openCapPerDay: '7' }] }))
      expect(loaded.ok && loaded.config.deployment!.chains[0]!.tokens[0]).to.include({ openCapPerDay })
    }
  })

  it('has what a chain allows a step, which is not set where the file does not say it', () => {
    for (const [maxStepGas, expected] of [
      [8_000_000, 8_000_000n],
      [undefined, undefined],
    ] as const) {
      const loaded = load({}, withChain({ maxStepGas }))
      expect(loaded.ok && loaded.config.deployment!.chains[0]!.maxStepGas).to.equal(expected)
    }
  })

  it('takes addresses with a right checksum, in one case throughout, and zero for the native currency', () => {
    const native = { ...goodToken, id: 'eth', group: undefined, decimals: 18, address: zero }
    for (const vault of [published, published.toLowerCase(), `0x${published.slice(2).toUpperCase()}`]) {
      expect(problems({}, withChain({ vault, tokens: [goodToken, native] }))).to.deep.equal([])
    }
  })

  const broken: [string, Record<string, string>, unknown, string][] = [
    ['a port beyond the range', { PORT: '70000' }, undefined, 'PORT'],
    ['an unknown role', { ROLE: 'boss' }, undefined, 'ROLE'],
    ['an unknown log level', { LOG_LEVEL: 'loud' }, undefined, 'LOG_LEVEL'],
    ['a database of another kind', { DATABASE_URL: 'postgres://x/y' }, undefined, 'DATABASE_URL'],
    ['a MySQL address without a database', { DATABASE_URL: 'mysql://u:p@h:1/' }, undefined, 'DATABASE_URL'],
    ['an origin that is none', { CORS_ORIGINS: 'https://a.example/path' }, undefined, 'CORS_ORIGINS'],
    [
      'a chains file that is missing',
      { CHAINS_FILE: '/nonexistent.json', SOLVER_PRIVATE_KEYS: key },
      undefined,
      'CHAINS_FILE',
    ],
    ['a chains file that is no JSON', {}, '{', 'is no JSON'],
    ['a missing field', {}, { chains: [{ ...goodChain, vault: undefined }] }, 'vault'],
    [
      'an unknown field, with the near one',
      {},
      { ...goodFile, chains: [{ ...goodChain, confirmation: 3 }] },
      'did you mean "confirmations"',
    ],
    ['a credential that is not set', { RPC_KEY: '' }, goodFile, 'RPC_KEY'],
    ['less gas than steps take', {}, withChain({ maxStepGas: 499_999 }), '/chains/0/maxStepGas'],
    ['gas that is no number', {}, withChain({ maxStepGas: '8000000' }), '/chains/0/maxStepGas'],
    ['a former vault that is the vault', {}, withFormer(vault), 'is the vault, which is no former one'],
    ['a former vault that is there twice', {}, withFormer(other, other), `formerVaults: ${other} is there twice`],
    ['a former vault that is a token', {}, withFormer(goodToken.address), 'is the token "usd"'],
    ['a former vault that is no address', {}, withFormer('0x12'), '/formerVaults/0'],
    ['a chain that is there twice', {}, { ...goodFile, chains: [goodChain, goodChain] }, 'twice'],
    ['a group that is not there', {}, { groups: {}, chains: [goodChain] }, '"usd"'],
    [
      'plain keys on a real chain',
      { DATABASE_URL: 'sqlite:' },
      { ...goodFile, chains: [{ ...goodChain, testnet: false }] },
      'SOLVER_PRIVATE_KEYS',
    ],
    [
      'open funding on a real chain',
      { ROLE: 'api', DATABASE_URL: 'sqlite:', SOLVER_PRIVATE_KEYS: '', SOLVER_SIGNER_ADDRESSES: address },
      {
        ...goodFile,
        chains: [{ ...goodChain, testnet: false, tokens: [{ ...goodToken, funding: 'open', openCapPerDay: '1' }] }],
      },
      'open funding',
    ],
    [
      'open funding of nothing',
      {},
      withChain({ testnet: true, tokens: [{ ...goodToken, funding: 'open', openCapPerDay: '0' }] }),
      'openCapPerDay above 0',
    ],
    [
      'open funding without a cap',
      {},
      withChain({ testnet: true, tokens: [{ ...goodToken, funding: 'open' }] }),
      'openCapPerDay above 0',
    ],
    [
      'a group that every object has',
      {},
      { chains: [{ ...goodChain, tokens: [{ ...goodToken, group: 'constructor' }] }] },
      '"constructor"',
    ],
    [
      'a node that would agree with itself',
      {},
      { ...goodFile, chains: [{ ...goodChain, agreement: 2, rpcUrls: ['https://a.example', 'https://a.example/'] }] },
      'only 1 different',
    ],
    [
      'finality beyond which nobody looks back',
      {},
      { ...goodFile, chains: [{ ...goodChain, confirmations: 200 }] },
      '/reorganisationBlocks: is 128, and has to be 0 (never) or above',
    ],
    [
      'finality of a large amount beyond which nobody looks back',
      {},
      {
        ...goodFile,
        chains: [{ ...goodChain, tokens: [{ ...goodToken, confirmations: [{ amount: '9', confirmations: 128 }] }] }],
      },
      'which is up to 128 confirmations',
    ],
    [
      'a credential that clients would be shown',
      {},
      { ...goodFile, chains: [{ ...goodChain, publicRpcUrl: 'https://rpc.example.org/v2/secret-credential' }] },
      'holds a credential',
    ],
    [
      'a login that clients would be shown',
      {},
      { ...goodFile, chains: [{ ...goodChain, publicRpcUrl: 'https://user:hunter2@rpc.example.org' }] },
      'holds a credential',
    ],
    [
      'a variable that clients would be shown',
      {},
      { ...goodFile, chains: [{ ...goodChain, publicRpcUrl: 'https://rpc.example.org/${RPC_KEY}' }] },
      'no variable is filled in',
    ],
    ['a vault that nobody owns', {}, withChain({ vault: zero }), '/chains/0/vault: is the zero address'],
    ['a former vault that nobody owns', {}, withFormer(zero), '/formerVaults/0: is the zero address'],
    ['a delegate that is none', {}, withChain({ delegates: [zero] }), '/chains/0/delegates/0: is the zero address'],
    ['an owner that nobody is', {}, withChain({ vaultOwner: zero }), '/chains/0/vaultOwner: is the zero address'],
    ['a vault with a wrong letter', {}, withChain({ vault: mistyped }), '/chains/0/vault: has a wrong checksum'],
    ['a former vault with a wrong letter', {}, withFormer(mistyped), 'formerVaults/0: has a wrong checksum'],
    ['a delegate with a wrong letter', {}, withChain({ delegates: [mistyped] }), 'delegates/0: has a wrong checksum'],
    [
      'a token with a wrong letter',
      {},
      withChain({ tokens: [{ ...goodToken, address: mistyped }] }),
      '/chains/0/tokens/0/address: has a wrong checksum',
    ],
    [
      'a vault that is a token, however it is written',
      {},
      withChain({ vault: `0x${'AB'.repeat(20)}` }),
      '/chains/0/vault: is the same address as /chains/0/tokens/0/address',
    ],
    [
      'a vault that is a delegate',
      {},
      withChain({ vault: goodChain.delegates[0] }),
      '/chains/0/vault: is the same address as /chains/0/delegates/0',
    ],
    ['a variable that is misspelt', { DATABASE_ULR: 'mysql://u:p@h/x' }, goodFile, 'did you mean DATABASE_URL?'],
    ['a misspelt variable of keys', { SOLVER_KEY_FILE: 'a' }, goodFile, 'SOLVER_KEY_FILE: is not known'],
    ['one port for two things', { PORT: '4001', METRICS_PORT: '4001' }, undefined, 'METRICS_PORT'],
    ['a password with half an escape', { DATABASE_URL: 'mysql://u:50%off@h:1/x' }, undefined, '%25'],
    ['a key that is none', { SOLVER_PRIVATE_KEYS: '0x1234' }, goodFile, 'key 1'],
    ['no key at all', { SOLVER_PRIVATE_KEYS: '' }, goodFile, 'at least one operator key'],
    ['keys without chains', { SOLVER_PRIVATE_KEYS: key }, undefined, 'CHAINS_FILE'],
    ['operators without chains', { ROLE: 'api', SOLVER_SIGNER_ADDRESSES: '0x1' }, undefined, 'CHAINS_FILE'],
    ['a password without chains', { SOLVER_KEYS_PASSWORD_FILE: '/no/file' }, undefined, 'CHAINS_FILE'],
  ]
  for (const [what, env, file, word] of broken) {
    it(`refuses ${what}`, () => {
      const found = problems(env, file)
      expect(found.map((problem) => problem.includes(word))).to.deep.equal([true], found.join('\n'))
    })
  }

  it('refuses a database that is not named beside real chains, and says both ways out', () => {
    const chains = [
      goodChain,
      { ...goodChain, chainId: 1, testnet: false },
      { ...goodChain, chainId: 10, testnet: false },
    ]
    const env = { ...{ SOLVER_PRIVATE_KEYS: '', ROLE: 'api' }, SOLVER_SIGNER_ADDRESSES: address }
    for (const lost of [env, { ...env, DATABASE_URL: '' }]) {
      const [problem, ...more] = problems(lost, { ...goodFile, chains })
      expect(problem).to.contain('DATABASE_URL: is missing').and.contain(': 1, 10.')
      expect(problem).to.contain('mysql://').and.contain('sqlite: ')
      expect(more).to.deep.equal([])
    }
    for (const named of ['sqlite:', 'sqlite:/tmp/a', 'mysql://u:p@host/name']) {
      expect(problems({ ...env, DATABASE_URL: named }, { ...goodFile, chains }), named).to.deep.equal([])
    }
    expect(problems({}, goodFile)).to.deep.equal([])
  })

  it('tells of the other chains what is wrong where one breaks the schema', () => {
    const real = { ...goodChain, chainId: 1, testnet: false, vault: mistyped, tokens: [{ ...goodToken, group: 'eur' }] }
    const chains = [{ ...goodChain, confirmations: 'many' }, real, { ...goodChain, rpcUrls: ['ftp://a.example'] }]
    const text = problems({}, { ...goodFile, chains }).join('\n')
    for (const problem of [
      '/chains/0/confirmations: must be integer',
      '/chains/1/vault: has a wrong checksum',
      '/chains/1/tokens: token "usd" names the group "eur"',
      '/chains/2/rpcUrls/0: is no http or https address',
      'SOLVER_PRIVATE_KEYS: plain keys are for test chains only; not marked testnet: 1.',
    ]) {
      expect(text).to.contain(problem)
    }
    expect(problems({}, { ...goodFile, chains: [null, ...chains.slice(1)] }).join()).to.contain('/chains/1/vault')
    for (const elsewhere of [{ groups: { usd: { feeBps: -1 } } }, { chain: [] }]) {
      expect(problems({}, { ...goodFile, chains, ...elsewhere }).join()).not.to.contain('/chains/1/vault')
    }
  })

  it('tells all problems at once', () => {
    const unread = problems({ CHAINS_FILE: '/none.json', SOLVER_PRIVATE_KEYS: key, SOLVER_RPC_KEY: 'x' })
    expect(unread).to.deep.equal(["CHAINS_FILE: /none.json can't be read (ENOENT)"])
    expect(problems({ PORT: 'x', ROLE: 'x', LOG_LEVEL: 'x', DATABASE_URL: 'x' })).to.have.length(4)
  })

  it('repeats neither keys nor credentials of addresses in its problems', () => {
    const file = { ...goodFile, chains: [{ ...goodChain, rpcUrls: ['ftp://user:hunter2@rpc.example.org/${RPC_KEY}'] }] }
    const text = problems({ SOLVER_PRIVATE_KEYS: `${key}ff` }, file).join('\n')
    expect(text).to.contain('rpcUrls/0')
    for (const secret of ['hunter2', 'secret-credential', key.slice(2)]) expect(text).not.to.contain(secret)
  })
})
