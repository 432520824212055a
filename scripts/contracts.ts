/** Compiles `server/contracts/` into `server/chain/generated/contracts.ts`; the same sources give the same bytes. */
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join, resolve } from 'node:path'

const require = createRequire(import.meta.url)
const solc = require('solc') as { compile(input: string, options: { import: (path: string) => object }): string }

const root = resolve(import.meta.dirname, '..')
const sources = join(root, 'server/contracts')
const published = ['Delegate', 'SolverVault', 'DevToken']

type Artifact = { abi: unknown[]; evm: { bytecode: { object: string }; deployedBytecode: { object: string } } }
type Output = {
  errors?: { severity: string; formattedMessage: string; sourceLocation?: { file: string } }[]
  contracts: Record<string, Record<string, Artifact>>
}

/** Compiles Solidity files from a folder, resolving packages from node_modules. */
export function compile(folder: string): Record<string, Artifact> {
  const files = readdirSync(folder).filter((name) => name.endsWith('.sol'))
  const input = {
    language: 'Solidity',
    sources: Object.fromEntries(files.map((name) => [name, { content: readFileSync(join(folder, name), 'utf8') }])),
    settings: {
      evmVersion: 'prague',
      viaIR: true,
      optimizer: { enabled: true, runs: 100_000 },
      // Without the metadata hash a comment does not change the address that CREATE2 gives.
      metadata: { bytecodeHash: 'none', appendCBOR: false },
      outputSelection: { '*': { '*': ['abi', 'evm.bytecode.object', 'evm.deployedBytecode.object'] } },
    },
  }
  const find = (path: string) => {
    const file =
      path.startsWith('@') || path.startsWith('solady') ? join(root, 'node_modules', path) : join(sources, path)
    return { contents: readFileSync(file, 'utf8') }
  }
  const output = JSON.parse(solc.compile(JSON.stringify(input), { import: find })) as Output
  // Warnings about packages are theirs to mend; about our own sources they stop the build.
  const problems = (output.errors ?? []).filter(
    (problem) => problem.severity === 'error' || files.includes(problem.sourceLocation?.file ?? ''),
  )
  if (problems.length > 0) throw new Error(problems.map((problem) => problem.formattedMessage).join('\n'))
  return Object.assign({}, ...Object.values(output.contracts)) as Record<string, Artifact>
}

function generate(): void {
  const artifacts = compile(sources)
  const parts = published.map((name) => {
    const { abi, evm } = artifacts[name]!
    const field = `${name[0]!.toLowerCase()}${name.slice(1)}`
    return [
      `export const ${field}Abi = ${JSON.stringify(abi, null, 2)} as const`,
      `export const ${field}Bytecode = '0x${evm.bytecode.object}' as const`,
      `export const ${field}Runtime = '0x${evm.deployedBytecode.object}' as const`,
    ].join('\n\n')
  })
  mkdirSync(join(root, 'server/chain/generated'), { recursive: true })
  writeFileSync(
    join(root, 'server/chain/generated/contracts.ts'),
    `/* Made by scripts/contracts.ts from server/contracts; do not edit. */\n\n${parts.join('\n\n')}\n`,
  )
}

if (process.argv[1] === import.meta.filename) generate()
