import { expect } from 'chai'
import { type AbstractSigner, getBytes, JsonRpcProvider, JsonRpcSigner, Wallet } from 'ethers'
import { readFileSync } from 'node:fs'
import ts from 'typescript'
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts'
import { readmePath } from '../../scripts/generate/sdkCodes.js'
import { IntentError } from '../../sdk/src/errors.js'
import { createIntentClient } from '../../sdk/src/client.js'
import { signAuthorization, signIntent, type SigningAccount, signRegistration } from '../../sdk/src/sign.js'
import { batches, vault as delegate, window } from './encodingsByHand.js'
import { ref } from './replies.js'
import { errorOf } from './scriptedClient.js'

describe('a signer of ethers', () => {
  const key = generatePrivateKey()
  const account = privateKeyToAccount(key)
  const wallet = new Wallet(key)
  const registration = { ...ref, hash: `0x${'12'.repeat(32)}` } as const

  it('is refused as it is, by a text that names it', async () => {
    const provider = new JsonRpcProvider('http://127.0.0.1:9', 1, { staticNetwork: true })
    const signTypedData = (_domain: unknown, _types: unknown, _value: unknown) => undefined
    const version5 = { address: wallet.address, getAddress() {}, _signTypedData: signTypedData, signMessage() {} }
    const client = createIntentClient({ baseUrl: 'http://127.0.0.1:9' })
    for (const signer of [wallet, new JsonRpcSigner(provider, wallet.address), version5] as AbstractSigner[]) {
      const given = signer as unknown as SigningAccount
      for (const run of [
        () => signIntent({ account: given, chainBatches: batches }),
        () => signIntent({ account: given, chainBatches: batches, signatureType: 'ecdsa' }),
        () => signRegistration({ account: given, ...registration }),
        () => client.send({ account: given, intents: [{ chainBatches: batches }] }),
      ]) {
        expect((await errorOf(run(), IntentError)).message).to.contain('account is a signer of ethers')
      }
    }
    provider.destroy()
  })

  describe('in the wrapping of the README', () => {
    let wrapped: SigningAccount

    before(() => {
      const [, code] = /```ts\n[^`]*?from 'ethers'\n([^]*?)```/.exec(readFileSync(readmePath, 'utf8'))!
      const { outputText } = ts.transpileModule(code!, { compilerOptions: { target: ts.ScriptTarget.ES2022 } })
      const wrap = new Function('getBytes', `${outputText}; return ethersAccount`) as (
        of: typeof getBytes,
      ) => (signer: Wallet) => SigningAccount
      wrapped = wrap(getBytes)(wallet)
    })

    for (const signatureType of ['eip712', 'ecdsa'] as const) {
      it(`signs an intent as ${signatureType} as viem's account does`, async () => {
        const intent = { chainBatches: batches, signatureType, ...window }
        expect(await signIntent({ account: wrapped, ...intent })).to.deep.equal(
          await signIntent({ account, ...intent }),
        )
      })
    }

    it("signs authorizations and registrations as viem's account does", async () => {
      const authorization = { delegate, chainId: 31337, nonce: 7 }
      expect(await signAuthorization({ account: wrapped, ...authorization })).to.deep.equal(
        await signAuthorization({ account, ...authorization }),
      )
      expect(await signRegistration({ account: wrapped, ...registration })).to.equal(
        await signRegistration({ account, ...registration }),
      )
    })
  })
})
