import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import { contractMutations } from '../../scripts/mutations/contractMutations.js'
import { mutations } from '../../scripts/mutations/mutations.js'

/** The mutations themselves run for long and apart; one that fits no source any more would be found out late. */
describe('the mutations', () => {
  it('each find the safeguard that they switch off, once', () => {
    for (const { name, changes } of [...mutations, ...contractMutations]) {
      for (const { file, find } of changes) {
        const source = readFileSync(join(import.meta.dirname, '../..', file), 'utf8')
        expect(source.split(find), `${name}, in ${file}`).to.have.length(2)
      }
    }
  })
})
