/** An advisory that does not touch us, by its GHSA id, and why. */
export type Explained = Readonly<Record<string, string>>

type Verdict =
  /** The registry knows no advisories, or does not answer. */
  | { outcome: 'unanswered'; reason: string }
  | { outcome: 'clean'; explained: string[] }
  | { outcome: 'weak'; findings: string[] }

type Advisory = { url?: string; title?: string; severity?: string; range?: string }
type Report = {
  auditReportVersion?: number
  vulnerabilities?: Record<string, { name: string; via: (Advisory | string)[] }>
  message?: string
}

/** What `npm audit --json` has said: nothing, that all is well, or what is weak and not explained. */
export function judge(output: string, explained: Explained): Verdict {
  const report = parse(output)
  if (report?.auditReportVersion === undefined) {
    return { outcome: 'unanswered', reason: report?.message?.split(' - ')[0] ?? 'no answer' }
  }
  const findings = new Map<string, string>()
  const known: string[] = []
  for (const { name, via } of Object.values(report.vulnerabilities ?? {})) {
    for (const advisory of via) {
      // A name stands for a dependency that is listed itself.
      if (typeof advisory === 'string') continue
      const id = advisory.url?.split('/').at(-1) ?? 'without an id'
      const reason = explained[id]
      if (reason) known.push(`${id}, ${name}: ${reason}`)
      else findings.set(`${id} ${name}`, `${advisory.severity} ${id}: ${name} ${advisory.range}: ${advisory.title}`)
    }
  }
  return findings.size > 0
    ? { outcome: 'weak', findings: [...findings.values()] }
    : { outcome: 'clean', explained: [...new Set(known)] }
}

function parse(output: string): Report | null {
  try {
    return JSON.parse(output) as Report
  } catch {
    return null
  }
}
