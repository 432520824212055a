import { expect } from 'chai'
import { readFileSync } from 'node:fs'
import { codesBlock, codesMarkdown, readmePath } from '../../scripts/sdkCodes.js'
import { issueCodes, serviceErrorCodes, stepErrorCodes } from '../../server/domain/errors.js'

describe('the README of the SDK', () => {
  it('explains every error code of the spec, with its cause and its remedy', async () => {
    const codes = await codesMarkdown()
    expect(codesBlock.exec(readFileSync(readmePath, 'utf8'))?.[0]).to.equal(codes)
    const [, ofErrors, ofIssues, ofSteps] = codes.split('\n### ')
    for (const [section, known] of [
      [ofErrors!, serviceErrorCodes],
      [ofIssues!, issueCodes],
      [ofSteps!, stepErrorCodes],
    ] as const) {
      for (const code of known) expect(section).to.contain(`\`${code}\``)
      const [head, , ...rows] = section.split('\n').filter((line) => line.startsWith('|'))
      for (const row of rows) {
        const cells = row.split('|').map((cell) => cell.trim())
        expect(cells, row).to.have.length(head!.split('|').length)
        expect(cells.slice(1, -1), row).to.not.include('')
      }
    }
  })
})
