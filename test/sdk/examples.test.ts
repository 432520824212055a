import { expect } from 'chai'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { generatePrivateKey } from 'viem/accounts'
import { useTestService } from '../support/useTestService.js'
import { examples, runExample } from './runExample.js'

describe('the examples of the SDK', () => {
  const { service } = useTestService()

  /** What each says when it works. */
  const expected: Record<string, RegExp> = {
    'signed.ts': /^success 0x[0-9a-f]{64} 0x[0-9a-f]{64}$/,
    'onDemand.ts': /^success 0x[0-9a-f]{64} 0x[0-9a-f]{64}$/,
    'refund.ts': /^reverted .+\nsuccess 5000000n$/,
    'legacy.ts': /^before success 0x[0-9a-f]{64}\nafter success 0x[0-9a-f]{64}$/,
  }

  for (const [name, output] of Object.entries(expected)) {
    it(`carry out what they tell: ${name}`, async function () {
      this.timeout(60_000)
      // An account that has nothing yet: what it needs comes from the airdrop.
      expect(await runExample(name, { BASE_URL: service.url, PRIVATE_KEY: generatePrivateKey() })).to.match(output)
    })

    it(`are short: ${name} has under 25 lines at its core`, () => {
      const code = readFileSync(join(examples, name), 'utf8').replace(/\/\*\*[^]*?\*\/\n/, '')
      const core = code.split('\n').filter((line) => line.trim() !== '' && !/^(import|\/\/)/.test(line.trim()))
      expect(core.length).to.be.below(25)
    })
  }

  it('are all run here', () => {
    expect(readdirSync(examples).filter((name) => name.endsWith('.ts'))).to.have.members(Object.keys(expected))
  })
})
