/**
 * Checks the service's configuration against the living world and says what is wrong and how to mend it. Usage: npm run
 * doctor [-- [--json] [--embedded]] (the service's own environment, or the embedded defaults; with SQLite, while the
 * service is stopped). Ends with 0 when there is no fault (there may be warnings), 1 when there is one.
 */
import { parseArgs } from 'node:util'
import { diagnose } from './doctor/diagnose.js'
import { createRedactor } from '../server/chain/nodes/redact.js'
import { refuseNoPlace } from './tools/place.js'
import { helpIfAsked, withUsage } from './tools/usage.js'

const usage = 'Usage: npm run doctor [-- --json] [--embedded]'

helpIfAsked(usage)
try {
  await run()
} catch (thrown) {
  const error = withUsage(thrown, usage)
  // What a library says may hold an address, and with it a credential.
  process.stderr.write(`${createRedactor([])(error instanceof Error ? error.message : String(error))}\n`)
  process.exitCode = 1
}

async function run(): Promise<void> {
  const flag = { type: 'boolean', default: false } as const
  const { values } = parseArgs({ options: { json: flag, embedded: flag } })
  refuseNoPlace(process.env, values.embedded)
  // What scripts read is the findings alone.
  const told = values.json ? process.stderr : process.stdout
  const findings = await diagnose(process.env, Date.now, (line) => void told.write(`${line}\n`))
  const faults = findings.filter(({ level }) => level === 'fault').length

  if (values.json) {
    process.stdout.write(`${JSON.stringify({ ok: faults === 0, findings }, null, 2)}\n`)
  } else {
    for (const { level, name, where, what, remedy } of findings) {
      process.stdout.write(
        `${level === 'fault' ? 'FAULT  ' : 'warning'} ${name} (${where}): ${what}\n        → ${remedy}\n`,
      )
    }
    process.stdout.write(`${faults} faults, ${findings.length - faults} warnings\n`)
  }
  process.exitCode = faults === 0 ? 0 : 1
}
