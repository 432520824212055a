/** The load generator: a process that runs one autocannon run for each message and answers with what came of it. */
import autocannon from 'autocannon'

export type Load = {
  url: string
  connections: number
  /** Spread over the connections; each connection sends its share in turn, over and over. */
  requests: { method: 'GET' | 'POST'; path: string; body?: string; headers?: Record<string, string> }[]
  /** How long; null: until each request was sent once. */
  seconds: number | null
}

export type LoadResult = {
  perSecond: number
  /** Milliseconds. */
  latency: { p50: number; p99: number }
  /** Answers by status; 0 for none. */
  statuses: Record<number, number>
}

/** A connection that waits longer than this for an answer counts as an error. */
const timeoutSeconds = 60

async function run({ url, connections, requests, seconds }: Load): Promise<LoadResult> {
  const statuses: Record<number, number> = {}
  let clients = 0
  let [first, last, answers] = [0, 0, 0]
  const share = (index: number) => requests.filter((_request, at) => at % connections === index)
  const result = await autocannon({
    url,
    connections,
    timeout: timeoutSeconds,
    ...(seconds === null ? { amount: requests.length } : { duration: seconds }),
    setupClient(client) {
      client.setRequests(share(clients++))
      client.on('response', (status) => {
        last = performance.now()
        first ||= last
        answers++
        statuses[status] = (statuses[status] ?? 0) + 1
      })
    },
  })
  if (result.errors > 0) statuses[0] = result.errors
  return {
    perSecond: ((answers - 1) / (last - first)) * 1000,
    latency: { p50: result.latency.p50, p99: result.latency.p99 },
    statuses,
  }
}

process.on('message', (load: Load) => {
  void run(load).then((result) => process.send!(result))
})
process.once('disconnect', () => process.exit(0))
process.send!('ready')
