import { expect } from 'chai'
import { checkVerification } from '../../scripts/doctor/checkEncryption.js'
import { createFindings } from '../../scripts/doctor/finding.js'

describe('npm run doctor, of the connection to the database,', () => {
  it('finds an encrypted connection that leaves the machine and is not verified, or not for its host', () => {
    const found = (host: string, ssl: string) => {
      const { list, warn } = createFindings('database')
      checkVerification(`mysql://u:p@${host}/x?ssl=${encodeURIComponent(ssl)}`, warn)
      expect(JSON.stringify(list)).not.to.contain(host)
      return list.map(({ name }) => name)
    }
    expect(found('db.example.org', '{"rejectUnauthorized":false}')).to.deep.equal(['database.notVerified'])
    expect(found('db.example.org', ' {"rejectUnauthorized":false}')).to.deep.equal(['database.notVerified'])
    expect(found('db.example.org', '{"rejectUnauthorized":true}')).to.deep.equal(['database.identityNotVerified'])
    expect(found('db.example.org', 'Amazon RDS')).to.deep.equal(['database.identityNotVerified'])
    expect(found('db.example.org', '{"verifyIdentity":true}')).to.deep.equal([])
    expect(found('127.0.0.1', '{"rejectUnauthorized":false}')).to.deep.equal([])
  })
})
