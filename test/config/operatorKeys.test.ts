import { closeSync, mkdirSync, openSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import { address, goodChain, goodFile, key, mistyped, useConfig, zero } from './configScene.js'

describe('the configuration of operator keys', () => {
  const { load, problems, path } = useConfig()
  const real = { ...goodFile, chains: [{ ...goodChain, testnet: false }] }
  const keystore = JSON.stringify({ version: 3, id: 'x', crypto: { cipher: 'aes-128-ctr' } })
  const place = (name: string, text: string) => {
    writeFileSync(path(name), text)
    return path(name)
  }
  const encrypted = (env: Record<string, string>) => ({
    ...{ SOLVER_PRIVATE_KEYS: '', RPC_KEY: 'x', DATABASE_URL: 'sqlite:' },
    ...env,
  })

  it('takes encrypted files on a real chain, with the password from a file', () => {
    const env = { SOLVER_KEYS_FILE: place('key', keystore), SOLVER_KEYS_PASSWORD_FILE: place('password', 'a b\n') }
    const loaded = load(encrypted(env), real)
    if (!loaded.ok) throw new Error(loaded.problems.join())
    const { keys } = loaded.config.deployment!
    expect(keys).to.deep.equal({
      kind: 'keystore',
      files: [{ path: path('key'), json: keystore }],
      password: 'a b',
    })
  })

  it('takes every keystore of a folder, with the password from a descriptor', () => {
    const keys = path('keys')
    mkdirSync(keys)
    for (const name of ['b', 'a', '.hidden']) writeFileSync(join(keys, name), keystore)
    const descriptor = openSync(place('password', 'word'), 'r')
    const env = { SOLVER_KEYS_FILE: keys, SOLVER_KEYS_PASSWORD_FD: String(descriptor) }
    const loaded = load(encrypted(env), real)
    closeSync(descriptor)
    if (!loaded.ok) throw new Error(loaded.problems.join())
    const found = loaded.config.deployment!.keys
    if (found.kind !== 'keystore') throw new Error(found.kind)
    expect(found.files.map(({ path }) => path)).to.deep.equal([join(keys, 'a'), join(keys, 'b')])
    expect(found.password).to.equal('word')
  })

  it('takes a local signer with the addresses that it signs for', () => {
    for (const url of ['http://127.0.0.1:9000', 'http://[::1]:9000', 'unix:/run/signer.sock']) {
      const loaded = load(encrypted({ SOLVER_SIGNER_URL: url, SOLVER_SIGNER_ADDRESSES: address }), real)
      if (!loaded.ok) throw new Error(loaded.problems.join())
      expect(loaded.config.deployment!.keys).to.deep.equal({ kind: 'remote', url, addresses: [address] })
    }
  })

  it('takes the operators’ addresses alone for a process that only answers requests', () => {
    const loaded = load(encrypted({ ROLE: 'api', SOLVER_SIGNER_ADDRESSES: address }), real)
    if (!loaded.ok) throw new Error(loaded.problems.join())
    expect(loaded.config.deployment!.keys).to.deep.equal({ kind: 'addresses', addresses: [address] })
    expect(problems(encrypted({ ROLE: 'api', SOLVER_SIGNER_ADDRESSES: '0x12' }), real).join()).to.contain(
      'entry 1 is no address',
    )
  })

  const local = { SOLVER_SIGNER_URL: 'http://127.0.0.1:9' }
  const brokenKeys: [string, Record<string, string>, string][] = [
    ['two sources', { SOLVER_PRIVATE_KEYS: key, SOLVER_SIGNER_URL: 'http://127.0.0.1:1' }, 'exclude each other'],
    ['no password', { SOLVER_KEYS_FILE: '/dev/null' }, 'SOLVER_KEYS_PASSWORD_FILE'],
    ['a password file that is missing', { SOLVER_KEYS_FILE: '.', SOLVER_KEYS_PASSWORD_FILE: '/no/file' }, 'ENOENT'],
    ['a descriptor that is not open', { SOLVER_KEYS_FILE: '.', SOLVER_KEYS_PASSWORD_FD: '999' }, 'EBADF'],
    [
      'a key file that is missing',
      { SOLVER_KEYS_FILE: '/no/file', SOLVER_KEYS_PASSWORD_FD: '999' },
      'SOLVER_KEYS_FILE',
    ],
    ['a file that is no keystore', { SOLVER_KEYS_FILE: '/dev/null', SOLVER_KEYS_PASSWORD_FD: '9' }, 'no keystore'],
    ['a signer elsewhere', { SOLVER_SIGNER_URL: 'http://signer.example.org' }, 'SOLVER_SIGNER_URL'],
    ['a signer behind a path', { SOLVER_SIGNER_URL: 'http://127.0.0.1:9/signer' }, 'SOLVER_SIGNER_URL'],
    ['a signer without addresses', { SOLVER_SIGNER_URL: 'http://127.0.0.1:9' }, 'SOLVER_SIGNER_ADDRESSES'],
    [
      'an operator with a wrong letter',
      { ...local, SOLVER_SIGNER_ADDRESSES: mistyped },
      'entry 1 has a wrong checksum',
    ],
    ['an operator that nobody is', { ...local, SOLVER_SIGNER_ADDRESSES: `${address},${zero}` }, 'entry 2 is the zero'],
    ['no key for a real chain', {}, 'SOLVER_KEYS_FILE or SOLVER_SIGNER_URL'],
    ['addresses alone where steps are carried out', { SOLVER_SIGNER_ADDRESSES: address }, 'SOLVER_PRIVATE_KEYS'],
    [
      'no address of an operator, in whatever role',
      { ROLE: 'api' },
      'signs nothing needs SOLVER_SIGNER_ADDRESSES alone',
    ],
  ]
  for (const [what, env, word] of brokenKeys) {
    it(`refuses ${what}`, () => {
      expect(problems(encrypted(env), real).join('\n')).to.contain(word)
    })
  }
})
