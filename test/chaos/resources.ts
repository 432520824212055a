/** What a process holds at one moment, as its own metrics tell. */
export type Sample = {
  at: number
  heapBytes: number
  rssBytes: number
  timers: number
  sockets: number
  files: number
}

export async function sampleMetrics(url: string): Promise<Sample> {
  const text = await (await fetch(url)).text()
  return {
    at: Date.now(),
    heapBytes: valueOf(text, 'nodejs_heap_size_used_bytes'),
    rssBytes: valueOf(text, 'process_resident_memory_bytes'),
    timers: resourcesOf(text, 'Timeout') + resourcesOf(text, 'Immediate'),
    sockets: resourcesOf(text, 'TCPSocketWrap') + resourcesOf(text, 'TCPServerWrap'),
    files: valueOf(text, 'process_open_fds'),
  }
}

export type Growth = { what: keyof Sample; early: number; late: number }

/**
 * What is not garbage shows in the lowest values of a while; this is how far they may go up from one while to the next.
 */
const allowed = {
  heapBytes: { share: 1.25, more: 24 * 2 ** 20 },
  rssBytes: { share: 1.25, more: 64 * 2 ** 20 },
  timers: { share: 1.25, more: 10 },
  sockets: { share: 1.25, more: 20 },
  files: { share: 1.25, more: 20 },
} as const

/** What has grown between the second quarter of the samples and the last; in the first the process still warms up. */
export function findGrowth(samples: readonly Sample[]): Growth[] {
  const quarter = Math.floor(samples.length / 4)
  const early = samples.slice(quarter, 2 * quarter)
  const late = samples.slice(3 * quarter)
  return (Object.keys(allowed) as (keyof typeof allowed)[]).flatMap((what) => {
    const lowest = (some: readonly Sample[]) => Math.min(...some.map((sample) => sample[what]))
    const growth = { what, early: lowest(early), late: lowest(late) }
    const { share, more } = allowed[what]
    return growth.late > growth.early * share + more ? [growth] : []
  })
}

function valueOf(text: string, name: string): number {
  const value = new RegExp(`^${name}(?:{[^}]*})? (\\S+)$`, 'm').exec(text)?.[1]
  if (value === undefined) throw new Error(`The metrics have no ${name}`)
  return Number(value)
}

/** Kinds of which there are none are not listed. */
function resourcesOf(text: string, type: string): number {
  return Number(new RegExp(`^nodejs_active_resources{[^}]*type="${type}"[^}]*} (\\S+)$`, 'm').exec(text)?.[1] ?? 0)
}
