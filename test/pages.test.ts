import { expect } from 'chai'
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { parseGwei } from 'viem'
import { readDeployableFile } from '../scripts/deploy/deployableFile.js'
import { connectionLimits } from '../server/api/connections/httpServer.js'
import { knownVariables } from '../server/config/knownVariables.js'
import { createMetrics } from '../server/process/metrics.js'

const root = join(import.meta.dirname, '..')
const pages = [
  'README.md',
  'server/OPERATING.md',
  'server/contracts/THREATS.md',
  'scripts/bench/README.md',
  'test/README.md',
]
const operating = readFileSync(join(root, 'server/OPERATING.md'), 'utf8')
const schema = JSON.parse(readFileSync(join(root, 'server/config/chainsFile.schema.json'), 'utf8')) as Schema

type Schema = {
  description?: string
  default?: unknown
  properties?: Record<string, Schema>
  items?: Schema
  additionalProperties?: Schema | boolean
  $defs?: Record<string, Schema>
}

describe('the page for operators', () => {
  it('tells how many requests may wait on their connections', () => {
    const [, ofOne, inAll] = /Requests that wait\*\* on their connection[^:]*: ([\d,]+), and ([\d,]+)/.exec(operating)!
    const { waiting, waitingInAll } = connectionLimits
    expect([ofOne, inAll]).to.deep.equal([waiting, waitingInAll].map((count) => count.toLocaleString('en')))
  })

  it('has an example of a chains file that can be deployed', () => {
    const folder = mkdtempSync(join(tmpdir(), 'readme-'))
    try {
      const path = join(folder, 'chains.json')
      writeFileSync(path, /```json\n([^]+?)```/.exec(section('The chains file'))![1]!)
      const vault = `0x${'fa'.repeat(20)}` as const
      const made = { delegate: `0x${'de'.repeat(20)}`, vaultOf: () => vault } as const
      const options = { replaceVault: false, vaultNumber: null, env: { RPC_KEY: 'key' } }
      const { chains } = readDeployableFile(path, made, options)
      expect(chains).to.have.length(1)
      expect(chains[0]).to.deep.include({
        ...{ chainId: 8453, agreement: 2, confirmations: 20 },
        vault,
      })
      expect(chains[0]!.tokens[0]!.confirmations).to.deep.equal([{ amount: 10_000_000_000n, confirmations: 60 }])
    } finally {
      rmSync(folder, { recursive: true })
    }
  })

  it('tells the defaults of what decides about money as they are', () => {
    const { chain } = schema.$defs!
    const rows = rowsOf(section('What decides about money'))
    expect(rows.map(([setting]) => setting)).to.include.members(['`agreement`', '`confirmations`', '`maxFeePerGasCap`'])
    for (const [setting, told] of rows) {
      const [, name, of] = /^`(\w+)`(?: of a (token|group))?$/.exec(setting!)!
      const group = schema.properties!['groups']!.additionalProperties as Schema
      const owner = of === 'group' ? group : of === 'token' ? schema.$defs!['token']! : chain!
      const actual = owner.properties![name!]!.default
      const [, amount, unit] = /^([\d,]+)( gwei)?$/.exec(told!) ?? []
      const number = amount?.replaceAll(',', '')
      const expected = number && (unit ? parseGwei(number) : number)
      expect(String(expected ?? []), setting).to.equal(String(actual ?? []))
    }
  })

  it('names every metric of the service', async () => {
    const report = { status: 'ok', version: '', database: 'ok', draining: false, chains: [], findings: [] } as const
    const text = await createMetrics('0').text({ ...report, chains: [], findings: [] })
    const names = [...text.matchAll(/^# TYPE (\w+)/gm)].map(([, name]) => name!)
    const own = names.filter((name) => !/^(process|nodejs)_/.test(name))
    expect(own.length).to.be.greaterThan(10)
    const told = rowsOf(section('Metrics and logs')).map(([name]) => name!.replaceAll('`', ''))
    expect(told).to.have.members(own)
  })

  it('names every variable that the configuration reads', () => {
    const source = readFileSync(join(root, 'server/config/config.ts'), 'utf8')
    const read = [...source.matchAll(/env\.([A-Z_]+)|(?:integer|choice)\('([A-Z_]+)'/g)].map(([, a, b]) => a ?? b!)
    const keys = readFileSync(join(root, 'server/config/operatorKeys.ts'), 'utf8').matchAll(
      /given\.value\('([A-Z_]+)'\)/g,
    )
    const all = [...read, ...[...keys].map(([, name]) => `SOLVER_${name!}`)]
    expect(all.length).to.be.greaterThan(20)
    const variables = rowsOf(section('Settings')).flatMap(([cell]) =>
      [...cell!.matchAll(/`(\w+)`/g)].map(([, name]) => name),
    )
    expect(variables).to.include.members(all)
    const ofSolver = variables.filter((name) => name!.startsWith('SOLVER_'))
    const ofDeployer = ofSolver.map((name) => name!.replace('SOLVER', 'DEPLOYER'))
    expect(knownVariables).to.have.members([...variables, ...ofDeployer])
  })

  it('tells the defaults of these variables, and their ranges, as they are', () => {
    const source = readFileSync(join(root, 'server/config/config.ts'), 'utf8')
    const rows = rowsOf(section('Settings'))
    const told = (name: string) => rows.find(([cell]) => cell!.includes(`\`${name}\``))![1]!.replaceAll(',', '')
    const numbers = [...source.matchAll(/integer\('(\w+)', ([\d_]+), \{ min: ([\d_]+), max: ([\d_]+) \}\)/g)]
    expect(numbers.length).to.be.greaterThan(6)
    for (const [, name, ...texts] of numbers) {
      const [fallback, , most] = texts.map((text) => Number(text.replaceAll('_', '')))
      expect(told(name!), name).to.match(new RegExp(`\\(${fallback}\\b`))
      // Which ports there are everybody knows.
      if (most !== 65_535) expect(told(name!), name).to.match(new RegExp(`\\d to ${most}\\b`))
    }
    const choices = [...source.matchAll(/choice\('(\w+)', (\w+), '(\w+)'\)/g)]
    expect(choices.length).to.be.greaterThan(2)
    for (const [, name, options, fallback] of choices) {
      expect(told(name!), name).to.include(`(\`${fallback}\`)`)
      const all = new RegExp(`const ${options} = \\[([^\\]]+)\\]`).exec(source)![1]!
      const allowed = [...all.matchAll(/'(\w+)'/g)].map(([, option]) => option)
      for (const option of allowed) expect(told(name!), name).to.include(`\`${option}\``)
    }
  })
})

describe('every page', () => {
  for (const page of pages) {
    it(`links only to files and headings that there are: ${page}`, () => {
      const text = readFileSync(join(root, page), 'utf8')
      const links = [...text.matchAll(/\]\(([^)\s]+)\)/g)]
        .map(([, link]) => link!)
        .filter((link) => !/^https?:/.test(link))
      expect(links).not.to.have.length(0)
      for (const link of links) {
        const [path, anchor] = link.split('#') as [string, string?]
        const target = path === '' ? join(root, page) : join(root, dirname(page), path)
        expect(existsSync(target), link).to.equal(true)
        if (anchor === undefined) continue
        const headings = [...readFileSync(target, 'utf8').matchAll(/^#+ (.+)$/gm)].map(([, heading]) =>
          anchorOf(heading!),
        )
        expect(headings, link).to.include(anchor)
      }
    })
  }
})

describe('the README', () => {
  it('sends who has something to change to files that there are', () => {
    const [, table] = /\n(\| To change [^]+?)\n\n/.exec(readFileSync(join(root, 'README.md'), 'utf8'))!
    const named = [...table!.matchAll(/`([a-z]+\/[\w/.]+)`/g)].map(([, path]) => path!)
    expect(named).to.have.length.greaterThan(10)
    for (const path of named) expect(existsSync(join(root, 'server', path)), path).to.equal(true)
  })
})

describe('the schema of chains files', () => {
  it('says what each property is', () => {
    const silent: string[] = []
    const visit = (node: Schema, place: string) => {
      for (const [name, property] of Object.entries(node.properties ?? {})) {
        if (!property.description) silent.push(`${place}/${name}`)
        visit(property, `${place}/${name}`)
      }
      for (const [name, definition] of Object.entries(node.$defs ?? {})) visit(definition, name)
      if (node.items) visit(node.items, `${place}[]`)
      if (typeof node.additionalProperties === 'object') visit(node.additionalProperties, `${place}/*`)
    }
    visit(schema, '')
    expect(silent).to.deep.equal([])
  })
})

/** What stands under a heading, up to the next one; a comment in a block of code is none. */
function section(heading: string): string {
  const begin = new RegExp(`^#+ ${heading}\\n`, 'm').exec(operating)!
  const rest = operating.slice(begin.index + begin[0].length)
  return rest.slice(0, /^#+ [A-Z]/m.exec(rest)?.index)
}

/** The cells of a table's rows, without its head. */
function rowsOf(text: string): string[][] {
  const rows = text.split('\n').filter((line) => line.startsWith('|'))
  return rows.slice(2).map((row) =>
    row
      .split('|')
      .slice(1, -1)
      .map((cell) => cell.trim()),
  )
}

function anchorOf(heading: string): string {
  return heading
    .toLowerCase()
    .replaceAll(/[^\w -]/g, '')
    .replaceAll(' ', '-')
}
