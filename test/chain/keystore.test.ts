import { expect } from 'chai'
import { encryptKeystoreJson } from 'ethers/wallet'
import { keccak256 } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { decryptKeystore } from '../../server/chain/keys/keystore.js'
import { type KeysUnusable, openSigners } from '../../server/start/openSigners.js'

/** The test vector of the Web3 Secret Storage definition. */
const vector = JSON.stringify({
  crypto: {
    cipher: 'aes-128-ctr',
    cipherparams: { iv: '6087dab2f9fdbbfaddc31a909735c1e6' },
    ciphertext: '5318b4d5bcd28de64ee5559e671353e16f075ecae9f99c7a79a38af5f869aa46',
    kdf: 'pbkdf2',
    kdfparams: {
      c: 262144,
      dklen: 32,
      prf: 'hmac-sha256',
      salt: 'ae3cd4e7013836a3df6bd7241b12db061dbe2c6785853cce422d148a624ce0bd',
    },
    mac: '517ead924a9d0dc3124507e3393d175ce3ff7c1e96529c6c555ce9e51205e9b2',
  },
  id: '3198bc9c-6672-5ab3-d995-4942343ae5b6',
  version: 3,
})

describe('a keystore file', () => {
  it("opens as the definition's vector says", async () => {
    const key = '0x7a28b5ba57c53603b0b07b56bba752f7784bf506fa95edc395f5cf6c7514fe9d'
    expect(await decryptKeystore(vector, 'testpassword')).to.equal(key)
  })

  it('makes a signer of the address that was encrypted', async () => {
    const key = keccak256('0x05')
    const { address } = privateKeyToAccount(key)
    const json = await encryptKeystoreJson({ address, privateKey: key }, 'word', { scrypt: { N: 16384 } })
    const [signer] = await openSigners({ kind: 'keystore', files: [{ path: 'k', json }], password: 'word' })
    expect(signer!.address).to.equal(address.toLowerCase())
  })

  it('is refused by name with a wrong password, when damaged, and when it is there twice, and tells no secret', async () => {
    const json = vector
    const damaged = json.replace('517ead92', '517ead9')
    const open = async (files: { path: string; json: string }[], password: string) =>
      openSigners({ kind: 'keystore', files, password }).then(
        () => [],
        (error: unknown) => (error as KeysUnusable).problems,
      )
    expect(await open([{ path: 'one', json }], 'hunter2')).to.deep.equal([
      "keystore one: can't be opened: the password does not fit",
    ])
    const problems = await open(
      [
        { path: 'one', json },
        { path: 'two', json: damaged },
        { path: 'three', json },
      ],
      'testpassword',
    )
    expect(problems).to.have.length(2)
    expect(problems[0]).to.contain('two').and.not.to.contain('testpassword')
    expect(problems[1]).to.contain('three').and.to.contain('twice')
  })
})
