import { expect } from 'chai'
import { loadConfig } from '../../server/config/config.js'

describe('the address of the database', () => {
  const problems = (rest: string) => {
    const loaded = loadConfig({ DATABASE_URL: `mysql://svc:${rest}` })
    return loaded.ok ? [] : loaded.problems
  }

  const encode = '%40'
  const noEscape = 'DATABASE_URL: has a % that begins no escape; write it as %25'
  for (const [what, rest, word] of [
    ['an @', 'Db-Long@SecretTail@host/db', encode],
    ['a /', 'Db-Long/SecretTail@host/db', encode],
    ['both', 'Db-Long@SecretTail/more@host/db', encode],
    ['a ?', 'Db-Long?SecretTail@host/db', encode],
    ['a #', 'Db-Long#SecretTail@host/db', encode],
    ['digits before a /', '12/SecretTail@host/db', encode],
    ['half an escape', 'Db-Long%@host/db', noEscape],
    ['an escape that is no UTF-8', 'Db-Long%FF@host/db', noEscape],
    ['an escape that is cut off', 'Db-Long%C3@host/db', noEscape],
  ] as const) {
    it(`refuses a password with ${what} in it, and repeats nothing of it`, () => {
      const text = problems(rest).join('\n')
      expect(text).to.contain(word)
      for (const piece of ['Db-Long', 'SecretTail', 'FF', 'C3', 'svc', 'host']) expect(text).not.to.contain(piece)
    })
  }

  for (const [parameter, word] of [
    ['sslmode=require', '"sslmode"'],
    ['ssl-mode=REQUIRED', '"ssl-mode"'],
    ['tls=true', '"tls"'],
    ['charset=utf8', '"charset"'],
    ['rowsAsArray=true', '"rowsAsArray"'],
    ['constructor=1', '"constructor"'],
    ['connectTimeout=1&bigNumberStrings=true', '"bigNumberStrings"'],
    ['ssl=true', 'ssl must be a JSON object'],
    ['ssl=false', 'ssl must be a JSON object'],
    ['ssl=required', 'ssl must be a JSON object'],
    ['ssl=[]', 'ssl must be a JSON object'],
    ['ssl={"rejectUnauthorized":true,"verifyidentity":true}', 'ssl has the key "verifyidentity", which is not known'],
    ['ssl={"verifyIdentity":true,"pfx":"x"}', 'known are ca, cert, key'],
    ['ssl={"servername":"db.example.org"}', '"servername"'],
    ['ssl={"constructor":1}', '"constructor"'],
    ['ssl={"verifyIdentity":"true"}', 'ssl must have true or false, without quotes, as verifyIdentity'],
    ['ssl={"rejectUnauthorized":0}', 'ssl must have true or false, without quotes, as rejectUnauthorized'],
    ['ssl=%20{"rejectUnauthorized":null}', 'as rejectUnauthorized'],
    ['connectTimeout=soon', 'connectTimeout must be milliseconds'],
  ] as const) {
    it(`refuses the parameter ${parameter}`, () => {
      const text = problems(`word@host/db?${parameter}`).join('\n')
      expect(text).to.contain(word)
      expect(text).not.to.contain('word@host')
    })
  }

  it('says which parameters there are, and how TLS is asked for', () => {
    const text = problems('word@host/db?sslmode=require').join('\n')
    expect(text).to.contain('ssl={"rejectUnauthorized":true,"verifyIdentity":true}')
    expect(text).to.contain('known are ssl, socketPath')
  })

  it('repeats no value of what is given for TLS, nor what may be one', () => {
    const text = problems('word@host/db?ssl={"passfrase":"Long-Secret","-----BEGIN Long-Secret":1}').join('\n')
    expect(text).to.contain('"passfrase"').and.contain('passphrase').and.not.to.contain('Long-Secret')
    const other = problems('word@host/db?ssl={"-----BEGIN Long-Secret":1}').join('\n')
    expect(other).to.contain('ssl has a key, which is not known').and.not.to.contain('Long-Secret')
  })

  it('takes escaped passwords and TLS in all forms', () => {
    for (const rest of [
      'a%40b%2Fc%3Fd%23@host:3307/db',
      'word@host/db?ssl={"rejectUnauthorized":true}',
      'word@host/db?ssl=%7B%22rejectUnauthorized%22%3Atrue%7D&connectTimeout=5000&compress=true',
      'word@host/db?ssl={"verifyIdentity":true,"ca":"a","cert":"b","key":"c","passphrase":"d","ciphers":"e"}',
      'word@host/db?ssl={"minVersion":"TLSv1.2","maxVersion":"TLSv1.3"}',
      'word@host/db?ssl=Amazon%20RDS',
      'word@[::1]:3306/db',
    ]) {
      expect(problems(rest), rest).to.deep.equal([])
    }
  })
})
