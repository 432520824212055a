import { expect } from 'chai'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { codesBlock, codesMarkdown, readmePath } from '../../scripts/generate/sdkCodes.js'
import { methodNames, methodsBlock, methodsMarkdown } from '../../scripts/generate/sdkMethods.js'
import { createIntentClient } from '../../sdk/src/client.js'
import { issueCodes, serviceErrorCodes, stepErrorCodes } from '../../server/domain/errors.js'
import { examples } from './runExample.js'

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
  it('names every method of the client, with the operation that it calls', async () => {
    const methods = await methodsMarkdown()
    expect(methodsBlock.exec(readFileSync(readmePath, 'utf8'))?.[0]).to.equal(methods)
    expect(methodNames).to.have.members(Object.keys(createIntentClient({ baseUrl: 'http://127.0.0.1:1' })))
    for (const method of methodNames) expect(methods).to.contain(`| \`${method}\` `)
  })

  it('has the solver pay what the example does that is run where it keeps a fee', () => {
    const [, quickStart] = /```ts\n([^]*?)```/.exec(readFileSync(readmePath, 'utf8'))!
    const example = readFileSync(join(examples, 'signed.ts'), 'utf8')
    const [line] = /^const amount = .*feeBps.*$/m.exec(quickStart!)!
    expect(example.split('\n')).to.include(line)
    expect(quickStart).to.match(/^const gets = .* amount }/m)
  })

  it('shows how to register a payment as the type check has it', () => {
    const [, block] = /```ts\n(import \{ signRegistration \}[^]*?)```/.exec(readFileSync(readmePath, 'utf8'))!
    const check = readFileSync(join(import.meta.dirname, 'types.check.ts'), 'utf8')
    const lines = block!.split('\n').filter((line) => /^(const|await) /.test(line))
    expect(lines).to.have.length(3)
    expect(check).to.contain(lines.join('\n'))
  })
})
