import { expect } from 'chai'
import { build } from 'esbuild'
import { execFile } from 'node:child_process'
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { operationOf, operationTexts } from '../../scripts/generate/sdkDocs.js'
import { startTestService, type TestService } from '../support/service.js'
import { hoverTexts } from './hoverTexts.js'

const root = join(import.meta.dirname, '..', '..')
const tsc = join(root, 'node_modules', 'typescript', 'bin', 'tsc')

type Run = { status: number | string; output: string }

function run(cwd: string, command: string, ...args: string[]): Promise<Run> {
  return new Promise((resolve) => {
    execFile(command, args, { cwd, timeout: 300_000 }, (error, stdout, stderr) =>
      resolve({ status: error ? (error.code ?? 'killed') : 0, output: stdout + stderr }),
    )
  })
}

const strictest = { noUncheckedIndexedAccess: true, verbatimModuleSyntax: true, isolatedModules: true }

/** How a project may compile against the package, and whether its own files are ES modules. */
const settings = {
  bundler: { module: 'esnext', moduleResolution: 'bundler', type: 'module' },
  'node16, as ES module': { module: 'node16', moduleResolution: 'node16', type: 'module' },
  'node16, as CommonJS': { module: 'node16', moduleResolution: 'node16', type: 'commonjs' },
  'nodenext, as CommonJS': { module: 'nodenext', moduleResolution: 'nodenext', type: 'commonjs' },
  // Of TypeScript 5.9, which is stricter than "strict".
  'as tsc --init has it': { module: 'nodenext', moduleResolution: 'nodenext', type: 'module', ...strictest },
  commonjs: { module: 'commonjs', moduleResolution: 'node10', type: 'commonjs' },
}

type Setting = keyof typeof settings

describe('the packed SDK', () => {
  let project: string
  let service: TestService

  before(async function () {
    this.timeout(300_000)
    project = mkdtempSync(join(tmpdir(), 'sdk-project-'))
    const packed = await run(root, 'npm', 'pack', '-w', 'sdk', '--pack-destination', project)
    expect(packed.status, packed.output).to.equal(0)
    const tarball = readdirSync(project).find((name) => name.endsWith('.tgz'))!
    writeFileSync(join(project, 'package.json'), JSON.stringify({ name: 'empty', private: true }))
    const { viem } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')).dependencies
    const installing = ['install', '--prefer-offline', '--no-audit', '--no-fund', `./${tarball}`, `viem@${viem}`]
    const installed = await run(project, 'npm', ...installing)
    expect(installed.status, installed.output).to.equal(0)
    service = await startTestService()
  })
  after(async function () {
    this.timeout(120_000)
    await service?.stop()
    rmSync(project, { recursive: true, force: true })
  })

  /** A folder of the project with one file in it, to be compiled with these settings; its path. */
  function write(name: Setting, folder: string, code: string): string {
    const { type, ...resolution } = settings[name]
    const path = join(project, folder)
    mkdirSync(path, { recursive: true })
    writeFileSync(join(path, 'package.json'), JSON.stringify({ type }))
    writeFileSync(join(path, 'main.ts'), code)
    const compilerOptions = {
      ...resolution,
      target: 'es2022',
      lib: ['es2022', 'dom'],
      types: [],
      strict: true,
      exactOptionalPropertyTypes: true,
      skipLibCheck: true,
    }
    writeFileSync(join(path, 'tsconfig.json'), JSON.stringify({ compilerOptions, files: ['main.ts'] }))
    return path
  }

  const code = `
    import { createIntentClient, IntentApiError, type Action } from '@crosschain-intents/sdk'
    import { chainBatchHash } from '@crosschain-intents/sdk/signing'
    import { intentActions } from '@crosschain-intents/sdk/viem'
    import { createWalletClient, http } from 'viem'

    const client = createIntentClient({ baseUrl: 'http://127.0.0.1:1', retries: 0 })
    const wallet = createWalletClient({ transport: http('http://127.0.0.1:1') }).extend(intentActions({ baseUrl: 'http://127.0.0.1:1' }))
    export async function look(actionId: string): Promise<Action['status'] | bigint | null> {
      for await (const { step } of client.watchAction(actionId)) if (step.status === 'success') break
      return wallet.intents.getAction(actionId).then(
        (action) => action.status,
        (error) => (error instanceof IntentApiError ? error.required : null),
      )
    }
    console.log(typeof look, typeof wallet.sendIntents, chainBatchHash({ chainId: 1, calls: [] }).length)
  `

  /** viem's own types are those of an ES module, which this setting can't import; its users write `nodenext`. */
  const withoutViem = code
    .replace(/import .* from 'viem'\n/, '')
    .replace(/createWalletClient.*\.extend\((.*)\)/, '$1({} as never)')

  const all = Object.keys(settings) as Setting[]
  const folderOf = (name: Setting) => name.replace(/\W+/g, '-')

  it('compiles in an empty project with every setting, its quick start and what the type check refuses too', async function () {
    this.timeout(300_000)
    const check = readFileSync(join(root, 'test', 'sdk', 'types.check.ts'), 'utf8')
    const packed = check
      .replaceAll(`'../../sdk/src/index.js'`, `'@crosschain-intents/sdk'`)
      .replaceAll(`'../../sdk/src/viem.js'`, `'@crosschain-intents/sdk/viem'`)
    const folders = [
      ...all.map((name) => write(name, folderOf(name), name === 'node16, as CommonJS' ? withoutViem : code)),
      write('as tsc --init has it', 'quick-start', quickStart().replace('http://127.0.0.1:3000', service.url)),
      write('node16, as ES module', 'types', packed),
    ]
    // All by one process, which reads the compiler's own libraries and viem's types for all of them.
    const compiled = await run(project, process.execPath, tsc, '--build', ...folders)
    expect(compiled.output).to.equal('')
  })

  for (const name of all) {
    it(`runs as compiled with ${name}`, async function () {
      this.timeout(300_000)
      const { status, output } = await run(join(project, folderOf(name)), process.execPath, 'main.js')
      expect(status, output).to.equal(0)
      expect(output).to.equal('function function 66\n')
    })
  }

  function quickStart(): string {
    const readme = readFileSync(join(project, 'node_modules', '@crosschain-intents', 'sdk', 'README.md'), 'utf8')
    return /```ts\n([^]*?)```/.exec(readme)![1]!
  }

  it('carries a new user through the quick start of its README', async function () {
    this.timeout(300_000)
    expect(quickStart().trim().split('\n').length).to.be.below(25)
    expect(quickStart()).to.contain(`'http://127.0.0.1:3000'`)
    const { status, output } = await run(join(project, 'quick-start'), process.execPath, 'main.js')
    expect(status, output).to.equal(0)
    const [created, ...steps] = output.trim().split('\n').slice(2)
    expect(created).to.equal('created')
    expect(steps.slice(-3).join(' ')).to.match(/^step success 0x[0-9a-f]{64} success 0x[0-9a-f]{64}$/)
  })

  it('shows in an editor what the spec says of an operation, and something of every other method', async function () {
    this.timeout(300_000)
    const folder = write('node16, as ES module', 'hover', `${code}\nexport { client, wallet }\n`)
    const hovered = hoverTexts(join(folder, 'main.ts'))
    const [texts, extension] = [hovered.get('client')!, hovered.get('wallet')!]
    const spec = operationTexts()
    for (const [method, operation] of Object.entries(operationOf)) {
      expect(texts.get(method), method).to.contain(spec.get(operation))
    }
    const added = ['intents', 'sendIntents', 'prepareIntents', 'sendOnDemand'].map((name) => extension.get(name))
    for (const text of [...texts.values(), ...added]) expect(text).to.match(/^[A-Z].{20}/)
    expect(texts.size).to.be.greaterThan(Object.keys(operationOf).length + 5)
  })

  it('gives its entries also to what reads no exports, as Parcel and older Metro', () => {
    const folder = join(project, 'node_modules', '@crosschain-intents', 'sdk')
    const manifest = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'))
    const entries = Object.keys(manifest.exports).filter((entry) => entry !== './package.json')
    expect(entries).to.include.members(['.', './signing', './viem'])
    for (const entry of entries) {
      const { main, module, types } = JSON.parse(readFileSync(join(folder, entry, 'package.json'), 'utf8'))
      const named = [main, module, types].map((path) => join(folder, entry, path))
      const { import: esm, require: cjs } = manifest.exports[entry]
      expect(named).to.deep.equal([cjs.default, esm.default, cjs.types].map((path) => join(folder, path)))
    }
  })

  it('adds no hashing to a bundle that only has the types of what is signed', async () => {
    const { outputFiles } = await build({
      stdin: {
        contents: `export { intentTypes, registrationTypes } from '@crosschain-intents/sdk/signing'`,
        resolveDir: project,
      },
      bundle: true,
      format: 'esm',
      write: false,
    })
    expect(outputFiles[0]!.text)
      .to.contain('tokenTransfers')
      .and.not.to.match(/keccak/i)
  })

  it('holds what it should, and depends on nothing but viem', () => {
    const folder = join(project, 'node_modules', '@crosschain-intents', 'sdk')
    const manifest = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'))
    expect(manifest.dependencies ?? {}).to.deep.equal({})
    expect(manifest.peerDependencies).to.have.keys(['viem'])
    expect(manifest.sideEffects).to.equal(false)
    // npm refuses `provenance` where no `repository` is named; trusted publishing adds it by itself.
    expect(manifest.publishConfig).to.deep.equal({ access: 'public' })
    expect(readdirSync(folder)).to.include.members(['CHANGELOG.md', 'LICENSE', 'README.md', 'dist', 'src'])
  })
})
