import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import { judge } from '../../scripts/audit/judge.js'
import { bundledProgram } from '../support/bundledProgram.js'

const advisory = {
  url: 'https://github.com/advisories/GHSA-aaaa-bbbb-cccc',
  title: 'It breaks',
  severity: 'high',
  range: '<2.0.0',
}
const report = (vulnerabilities: object) => JSON.stringify({ auditReportVersion: 2, vulnerabilities })
const weak = report({
  inner: { name: 'inner', via: [advisory] },
  outer: { name: 'outer', via: ['inner'] },
})

describe('npm run audit', () => {
  it('names what is weak, once, and not what only depends on it', () => {
    expect(judge(weak, {})).to.deep.equal({
      outcome: 'weak',
      findings: ['high GHSA-aaaa-bbbb-cccc: inner <2.0.0: It breaks'],
    })
  })

  it('is content with what is explained, and tells the explanation', () => {
    expect(judge(weak, { 'GHSA-aaaa-bbbb-cccc': 'never called' })).to.deep.equal({
      outcome: 'clean',
      explained: ['GHSA-aaaa-bbbb-cccc, inner: never called'],
    })
    expect(judge(report({}), {})).to.deep.equal({ outcome: 'clean', explained: [] })
  })

  it('says that nothing is known where the registry has no such service', () => {
    const refused = JSON.stringify({ message: '405 Method Not Allowed - POST https://registry/-/npm', statusCode: 405 })
    expect(judge(refused, {})).to.deep.equal({ outcome: 'unanswered', reason: '405 Method Not Allowed' })
    for (const output of ['', 'npm error', '{}']) expect(judge(output, {}).outcome, output).to.equal('unanswered')
  })

  /** The tool as it is run, with an npm in front of the real one that answers with the report. */
  async function run(answer: string) {
    const folder = mkdtempSync(join(tmpdir(), 'audit-'))
    try {
      writeFileSync(join(folder, 'answer.json'), answer)
      writeFileSync(join(folder, 'npm'), `#!/bin/sh\ncat '${join(folder, 'answer.json')}'\n`, { mode: 0o755 })
      const env = { ...process.env, PATH: `${folder}:${process.env.PATH}` }
      return spawnSync(process.execPath, await bundledProgram('scripts/audit.ts'), { encoding: 'utf8', env })
    } finally {
      rmSync(folder, { recursive: true, force: true })
    }
  }

  it('ends with 1 where a weakness was found, and names it', async () => {
    const { status, stdout, stderr } = await run(weak)
    expect([status, stdout]).to.deep.equal([1, ''])
    expect(stderr).to.contain('GHSA-aaaa-bbbb-cccc: inner')
  })

  it('ends with 0 where there is none, and where nobody answers, and says which', async () => {
    const clean = await run(report({}))
    expect([clean.status, clean.stderr]).to.deep.equal([0, ''])
    expect(clean.stdout).to.equal('No known weakness is left unexplained.\n')
    const silent = await run('')
    expect([silent.status, silent.stderr]).to.deep.equal([0, ''])
    expect(silent.stdout).to.match(/^Not audited: this registry answers no audits \(no answer\)/)
  })
})
