import { existsSync, readFileSync } from 'node:fs'
import { expect } from 'chai'
import { type Address, hashTypedData, type Hex, recoverAddress, serializeSignature } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { load } from 'js-yaml'
import {
  authorizationDigest,
  batchHash,
  type ChainBatch,
  intentDigest,
  intentTypedData,
  registrationTypedData,
} from '../../sdk/src/signing.js'
import type { ActionRequest } from '../../server/api/generated/types.gen.js'
import { httpStatusOf } from '../../server/api/replies/problem.js'
import { issueCodes, serviceErrorCodes, stepErrorCodes } from '../../server/domain/errors.js'

const document = load(readFileSync('openapi.yaml', 'utf8')) as {
  info: { description: string }
  components: { examples: { SignedActionRequest: { value: ActionRequest } } }
}
const guides = document.info.description

/** The JSON under "test vectors", with amounts in decimal as on the wire. */
type Vectors = {
  privateKey: Hex
  user: Address
  nbf: number
  exp: number
  chainBatches: {
    chainId: number
    tokenTransfers: { from: Address | 'solver'; to: Address; token: Address; amount: string }[]
    calls: { to: Address; value: string; data: Hex }[]
  }[]
  authorization: { address: Address; chainId: number; nonce: number; digest: Hex; r: Hex; s: Hex; yParity: number }
  registration: { actionId: string; intentIndex: number; stepIndex: number; hash: Hex; digest: Hex; signature: Hex }
} & Record<'ecdsa' | 'eip712', { batchHashes: Hex[]; digest: Hex; signature: Hex }>

describe('the guides in openapi.yaml', () => {
  describe('test vectors', () => {
    const vectors = JSON.parse(/```json\n([^]+?)```/.exec(guides)![1]!) as Vectors
    const account = privateKeyToAccount(vectors.privateKey)
    const chainBatches: ChainBatch[] = vectors.chainBatches.map((batch) => ({
      chainId: batch.chainId,
      tokenTransfers: batch.tokenTransfers.map((transfer) => ({ ...transfer, amount: BigInt(transfer.amount) })),
      calls: batch.calls.map((call) => ({ ...call, value: BigInt(call.value) })),
    }))
    const { nbf, exp } = vectors

    for (const signatureType of ['ecdsa', 'eip712'] as const) {
      it(`are what the SDK hashes and signs as ${signatureType}`, async () => {
        const unsigned = { signatureType, nbf, exp, chainBatches }
        const { batchHashes, digest, signature } = vectors[signatureType]
        expect(chainBatches.map((batch) => batchHash(signatureType, batch))).to.deep.equal(batchHashes)
        expect(intentDigest(unsigned)).to.equal(digest)
        const signed =
          signatureType === 'ecdsa'
            ? await account.signMessage({ message: { raw: digest } })
            : await account.signTypedData(intentTypedData(unsigned))
        expect(signed).to.equal(signature)
      })
    }

    it('are the content of the example of POST /actions', () => {
      const { user, intents, chainAuthorizations } = document.components.examples.SignedActionRequest.value
      expect(user).to.equal(vectors.user).and.to.equal(account.address)
      expect(intents[0]).to.include({ signature: vectors.ecdsa.signature })
      const { digest: _digest, ...tuple } = vectors.authorization
      expect(chainAuthorizations![0]).to.deep.equal(tuple)
    })

    it('have the authorization and the registration of the same user', async () => {
      const { digest, r, s, yParity, ...tuple } = vectors.authorization
      expect(authorizationDigest(tuple)).to.equal(digest)
      const signature = serializeSignature({ r, s, yParity })
      expect(await recoverAddress({ hash: digest, signature })).to.equal(vectors.user)
      const { digest: registered, signature: registration, ...fields } = vectors.registration
      expect(hashTypedData(registrationTypedData(fields))).to.equal(registered)
      expect(await account.signTypedData(registrationTypedData(fields))).to.equal(registration)
    })

    it('would notice another digest', () => {
      const other = { signatureType: 'eip712', nbf: nbf + 1, exp, chainBatches } as const
      expect(intentDigest(other)).not.to.equal(vectors.eip712.digest)
    })
  })

  /** The rows of the table under a heading, by their first cell. */
  function tableUnder(heading: string): Map<string, string[]> {
    const section = guides.split(`### ${heading}\n`)[1]!.split(/\n##+ /)[0]!
    const rows = [...section.matchAll(/^\| `(\w+)` \| (.+) \|$/gm)]
    return new Map(rows.map(([, code, cells]) => [code!, cells!.split(' | ')]))
  }

  it('tell status, cause and remedy of every code by which a request is refused', () => {
    const rows = tableUnder('When a request is refused')
    expect([...rows.keys()]).to.deep.equal([...serviceErrorCodes])
    for (const code of serviceErrorCodes) {
      const [status, cause, remedy] = rows.get(code)!
      expect(status, code).to.equal(String(httpStatusOf(code)))
      expect(cause, code).to.match(/^[A-Z].+\.$/)
      expect(remedy, code).to.match(/^[A-Z].+\.$/)
    }
  })

  it('tell cause and remedy of every code of a failed step', () => {
    const rows = tableUnder('When a step fails')
    expect([...rows.keys()]).to.deep.equal([...stepErrorCodes])
    for (const cells of rows.values()) expect(cells).to.have.length(2)
  })

  it('tell cause and remedy of every rule for a body beyond the schema’s keywords', () => {
    const keywords = /^(type|required|pattern|format|enum|const|(min|max)(Length|Items|imum))$/
    const rows = tableUnder('What is wrong with a body')
    expect([...rows.keys()]).to.deep.equal(issueCodes.filter((code) => !keywords.test(code)))
    for (const cells of rows.values()) expect(cells).to.have.length(2)
  })

  it('show pictures that the service has', () => {
    const pictures = [...guides.matchAll(/!\[([^\]]+)\]\(\/docs\/([\w-]+\.svg)\)/g)]
    expect(pictures).to.have.length(3)
    for (const [, text, name] of pictures) {
      expect(text!.length).to.be.greaterThan(20)
      expect(existsSync(`server/docs/${name}`), name).to.equal(true)
    }
  })
})
