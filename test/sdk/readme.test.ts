import { expect } from 'chai'
import { readFileSync } from 'node:fs'
import { codesBlock, codesMarkdown, readmePath } from '../../scripts/sdkCodes.js'

describe('the README of the SDK', () => {
  it('explains every error code of the spec, with its cause and its remedy', async () => {
    const codes = await codesMarkdown()
    expect(codesBlock.exec(readFileSync(readmePath, 'utf8'))?.[0]).to.equal(codes)
    const rows = codes.split('\n').filter((line) => line.startsWith('| `'))
    expect(rows.length).to.be.above(70)
    for (const row of rows) {
      const [, , cause, remedy] = row.split('|').map((cell) => cell.trim())
      expect(cause, row).to.not.equal('')
      expect(remedy, row).to.not.equal('')
    }
  })
})
