import { spawnSync } from 'node:child_process'
import { expect } from 'chai'
import { judge } from '../../scripts/audit/judge.js'

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

  it('ends well unless a weakness was found', function () {
    this.timeout(150_000)
    const { status, stdout, stderr } = spawnSync('npm', ['run', '--silent', 'audit'], { encoding: 'utf8' })
    if (status === 0) expect(stdout).to.match(/^(Not audited|No known weakness)/m)
    else expect(stderr).to.match(/GHSA-/)
  })
})
