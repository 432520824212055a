/** @typedef {import('../api/generated/types.gen.js').Step} Step */

/**
 * - `connecting`: not yet open for the first time.
 * - `live`: changes come as they happen.
 * - `away`: the connection is lost; the browser, or a new stream after a while, comes back.
 * - `ended`: the action has, and there is nothing more to come.
 * @typedef {'connecting' | 'live' | 'away' | 'ended'} Connection
 */

const openAgainMs = 5_000

/**
 * Listens to an action's event stream while somebody looks at the page. A stream that is opened anew tells everything
 * from the start; what was told before is left out by its id.
 * @param {string} actionId
 * @param {{
 *   onStep: (step: Step) => void,
 *   onConnection: (connection: Connection) => void,
 *   hasEnded: () => Promise<boolean>,
 * }} listener
 */
export function followAction(actionId, { onStep, onConnection, hasEnded }) {
  let last = 0
  /** @type {EventSource | null} */
  let source = null
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  let timer

  function open() {
    close()
    const stream = new EventSource(`/actions/${encodeURIComponent(actionId)}/events`)
    source = stream
    stream.addEventListener('open', () => onConnection('live'))
    stream.addEventListener('step', (event) => {
      const id = Number(event.lastEventId)
      if (id <= last) return
      last = id
      onStep(JSON.parse(event.data))
    })
    stream.addEventListener('error', () => void lost(stream))
  }

  function close() {
    clearTimeout(timer)
    source?.close()
    source = null
  }

  /** @param {EventSource} stream */
  async function lost(stream) {
    const ended = await hasEnded()
    if (stream !== source) return
    if (ended) {
      close()
      onConnection('ended')
      return
    }
    onConnection('away')
    // The browser comes back by itself, but not after an answer that is no stream.
    if (stream.readyState === EventSource.CLOSED) timer = setTimeout(open, openAgainMs)
  }

  // A page in the background needs no connection, of which browsers have few for each service.
  document.addEventListener('visibilitychange', () => (document.hidden ? close() : open()))
  // A tab may be opened there.
  if (!document.hidden) open()
}
