import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { expect } from 'chai'

type Locked = { hasInstallScript?: boolean }

const manifest = JSON.parse(readFileSync('package.json', 'utf8')) as {
  dependencies: Record<string, string>
  allowScripts: Record<string, boolean>
}
const lock = JSON.parse(readFileSync('package-lock.json', 'utf8')) as { packages: Record<string, Locked> }

describe('the dependencies', () => {
  it('run no script while they are installed', () => {
    const scripted = Object.entries(lock.packages).filter(([, { hasInstallScript }]) => hasInstallScript)
    const names = scripted.map(([path]) => path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length))
    expect(names).to.include('esbuild')
    for (const name of names) expect(manifest.allowScripts[name], name).to.equal(false)
  })

  it('have exact versions and permissive licences', () => {
    for (const version of Object.values(manifest.dependencies)) expect(version).to.match(/(^|@)\d+\.\d+\.\d+$/)
    const { status, stdout } = spawnSync('npm', ['run', '--silent', 'licences'], { encoding: 'utf8' })
    expect([status, stdout.includes('viem@')]).to.deep.equal([0, true])
  }).timeout(60_000)

  it('are all named in the bill of materials', () => {
    const { stdout } = spawnSync('npm', ['run', '--silent', 'sbom'], { encoding: 'utf8', maxBuffer: 64 * 1024 * 1024 })
    const bill = JSON.parse(stdout) as { bomFormat: string; components: { name: string }[] }
    expect(bill.bomFormat).to.equal('CycloneDX')
    const names = bill.components.map(({ name }) => name)
    expect(names).to.include.members(Object.keys(manifest.dependencies))
  }).timeout(120_000)
})
