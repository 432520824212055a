import { expect } from 'chai'
import fc from 'fast-check'
import { isNestedDeeper } from '../../server/api/requests/nesting.js'

describe('how deep a JSON text is nested', () => {
  it('counts lists and objects within each other, and none side by side', () => {
    expect(isNestedDeeper('[[{"a":[]}]]', 4)).to.equal(false)
    expect(isNestedDeeper('[[{"a":[]}]]', 3)).to.equal(true)
    expect(isNestedDeeper(`[${'[],{},'.repeat(1_000)}[]]`, 2)).to.equal(false)
    expect(isNestedDeeper('"text"', 0)).to.equal(false)
  })

  it('counts none of what stands in strings, whatever is escaped in them', () => {
    for (const text of ['"[[["', '["\\"[[["]', '["\\\\",["[["]]', '{"[{":"{{"}', '"[[[']) {
      expect(isNestedDeeper(text, 2), text).to.equal(false)
    }
    expect(isNestedDeeper('["\\\\",[[]]]', 2)).to.equal(true)
    expect(isNestedDeeper('["\\\\\\"",[[]]]', 2)).to.equal(true)
  })

  it('is what its values are', () => {
    fc.assert(
      fc.property(fc.json({ maxDepth: 6 }), (text) => {
        const depth = depthOf(JSON.parse(text))
        expect(isNestedDeeper(text, depth)).to.equal(false)
        if (depth > 0) expect(isNestedDeeper(text, depth - 1)).to.equal(true)
      }),
    )
  })
})

function depthOf(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0
  return 1 + Math.max(0, ...Object.values(value).map(depthOf))
}
