import { spawnSync } from 'node:child_process'
import { expect } from 'chai'
import { bundledProgram } from '../support/bundledProgram.js'
import { doctorScene, type Env } from './doctorScene.js'

describe('npm run doctor, as a program,', function () {
  this.timeout(60_000)
  const { place, database } = doctorScene()

  it('runs from the command line, with an exit code for scripts', async () => {
    database()
    const asJson = await bundledProgram('scripts/doctor.ts', '--json')
    const run = (extra: Env) =>
      spawnSync(process.execPath, asJson, {
        encoding: 'utf8',
        env: { ...process.env, ...place.env, ...extra },
      })
    const healthy = run({})
    expect([healthy.status, JSON.parse(healthy.stdout)]).to.deep.equal([0, { ok: true, findings: [] }])
    const sick = run({ ROLE: 'boss' })
    expect(sick.status).to.equal(1)
    expect(JSON.parse(sick.stdout).findings[0]).to.include({ level: 'fault', name: 'config.invalid' })
    const args = await bundledProgram('scripts/doctor.ts', '--jsno')
    const mistyped = spawnSync(process.execPath, args, { encoding: 'utf8' })
    expect([mistyped.status, mistyped.stderr]).to.satisfy(
      ([status, stderr]: [number, string]) => status === 1 && stderr.includes('--jsno') && !/^ +at /m.test(stderr),
    )
  })
})
