import { readFileSync } from 'node:fs'

const bytesPerMegabyte = 2 ** 20

/** Resident memory of a process, in megabytes. */
function processMemory(pid: number): number {
  const [, kilobytes] = /^VmRSS:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))!
  return (Number(kilobytes) * 1024) / bytesPerMegabyte
}

/** Once a second. */
export async function sampleMemory(pid: number, seconds: number): Promise<number[]> {
  const samples: number[] = []
  for (let second = 0; second < seconds; second++) {
    await new Promise((resolve) => setTimeout(resolve, 1_000))
    samples.push(processMemory(pid))
  }
  return samples
}
