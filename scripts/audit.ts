/**
 * Asks the registry for known weaknesses of what is shipped. Usage: npm run audit
 * Ends with 1 if there is one that `explained` does not answer for, and with 0 if there is none, or if the registry has
 * no such service: it then says so, since nothing is known.
 */
import { spawnSync } from 'node:child_process'
import { type Explained, judge } from './audit/judge.js'

const explained: Explained = {}

const { stdout } = spawnSync('npm', ['audit', '--omit=dev', '--json'], { encoding: 'utf8', timeout: 120_000 })
const verdict = judge(stdout ?? '', explained)
if (verdict.outcome === 'unanswered') {
  console.log(`Not audited: this registry answers no audits (${verdict.reason}). Run it where one does.`)
} else if (verdict.outcome === 'clean') {
  for (const line of verdict.explained) console.log(line)
  console.log('No known weakness is left unexplained.')
} else {
  for (const line of verdict.findings) console.error(line)
  process.exitCode = 1
}
