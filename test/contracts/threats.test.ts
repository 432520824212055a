import { expect } from 'chai'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

const root = join(import.meta.dirname, '../..')

describe('the threat model', () => {
  const text = readFileSync(join(root, 'server/contracts/THREATS.md'), 'utf8')
  const named = [...text.matchAll(/`([\w/]+\.test\.ts)`: (.+?)(?=<br>| *\||\.$)/gm)].map(([, file, title]) => [
    file!,
    title!,
  ])

  it('names only tests that there are', () => {
    expect(named.length).to.be.greaterThan(40)
    for (const [file, title] of named) {
      const path = join(root, 'test', file!)
      expect(existsSync(path), file).to.equal(true)
      const source = readFileSync(path, 'utf8').replaceAll("\\'", "'")
      const isTest = ["'", '"', '`'].some((quote) => source.includes(`it(${quote}${title}${quote}`))
      expect(isTest, `${file}: ${title}`).to.equal(true)
    }
  })

  it('has a test for every threat of its table', () => {
    const rows = text.split('\n').filter((line) => /^\| /.test(line) && !/^\| *(-|What|Who)/.test(line))
    const threats = rows.filter((line) => line.split('|').length === 6)
    expect(threats.length).to.be.greaterThan(15)
    for (const row of threats) expect(row.split('|').at(-2), row.slice(0, 60)).to.match(/\.test\.ts`: /)
  })

  it('is linked from the README', () => {
    expect(readFileSync(join(root, 'README.md'), 'utf8')).to.contain('(server/contracts/THREATS.md)')
  })
})
