import { actionView, sentence } from './actionView.js'
import { ApiError, getAction, getBalances, getChains } from './api.js'
import { h, morph } from './dom.js'
import { followAction } from './followAction.js'
import { short, statusLabel } from './format.js'
import { readQuery, searchView } from './searchView.js'

/** @typedef {import('../api/generated/types.gen.js').Action} Action */
/** @typedef {import('../api/generated/types.gen.js').Step} Step */

const main = /** @type {HTMLElement} */ (document.getElementById('content'))
const announcer = /** @type {HTMLElement} */ (document.getElementById('announcer'))
const field = /** @type {HTMLInputElement} */ (document.getElementById('q'))

document.addEventListener('click', (event) => void copy(event))
const [, name = ''] = /^\/explorer\/(.*)$/.exec(location.pathname) ?? []
await (name === '' ? showSearch() : showAction(name)).catch(showFailure)

async function showSearch() {
  const parameters = new URLSearchParams(location.search)
  const text = parameters.get('q') ?? ''
  const query = readQuery(text)
  field.value = text
  if (query.kind === 'action') return location.replace(`/explorer/${query.value}`)
  if (text !== '') document.title = `${short(query.value)} · Explorer`
  show(await searchView(query, parameters.get('cursor'), await getChains()))
}

/** @param {string} name the last part of the address */
async function showAction(name) {
  const { kind, value } = readQuery(decodeURIComponent(name))
  if (kind !== 'action') throw new ApiError(404, '')
  const [first, chains] = await Promise.all([getAction(value), getChains()])
  /** @type {Parameters<typeof actionView>[0]} */
  const state = { action: first, balances: await creditOf(first), chains, history: [], connection: 'connecting' }
  render()

  const loadedAt = Date.parse(first.updatedAt)
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  let timer
  followAction(value, {
    onStep(step) {
      state.history.push(step)
      if (Date.parse(step.updatedAt) > loadedAt) announcer.textContent = sentence(step, chains)
      // Several changes in a row are one look.
      timer ??= setTimeout(() => void refresh().finally(() => (timer = undefined)), 100)
    },
    onConnection(connection) {
      state.connection = connection
      render()
    },
    async hasEnded() {
      return (await refresh()) && isOver(state.action)
    },
  })

  /** Reads the action anew; false when it can't be read now. */
  async function refresh() {
    const action = await getAction(value).catch(() => null)
    if (action) {
      state.balances = await creditOf(action)
      state.action = action
    }
    render()
    return action !== null
  }

  function render() {
    document.title = `${statusLabel(state.action.status)} · Action ${state.action.actionId.slice(0, 8)}`
    show(actionView(state))
  }
}

/**
 * The user's credit, which matters once an action has failed. Null when it can't be read.
 * @param {Action} action
 */
async function creditOf({ status, user }) {
  return status === 'reverted' || status === 'error' ? getBalances(user).catch(() => null) : null
}

/**
 * A failed intent settles the action's word while steps of another one may still move.
 * @param {Action} action
 */
function isOver({ status, intents }) {
  const isMoving = intents.some((intent) => intent.steps.some((step) => step.status === 'executing'))
  return !isMoving && status !== 'created' && status !== 'executing'
}

/** @param {unknown} error */
function showFailure(error) {
  const status = error instanceof ApiError ? error.status : 0
  const missing = status === 404
  document.title = missing ? 'Not found · Explorer' : 'Explorer'
  show(
    h(
      'div',
      { class: 'page' },
      h('h1', {}, missing ? 'There is no such action' : 'This can’t be shown now'),
      h(
        'p',
        { role: 'alert' },
        missing ? 'Check the action id, or look for the user’s address or a transaction hash.' : describe(error),
      ),
      h(
        'p',
        {},
        missing ? h('a', { href: '/explorer' }, 'Latest actions') : h('a', { href: location.href }, 'Try again'),
      ),
    ),
  )
}

/** @param {unknown} error */
function describe(error) {
  return error instanceof ApiError ? error.message : 'Something in this page went wrong.'
}

/** @param {HTMLElement} page */
function show(page) {
  const present = main.firstElementChild
  if (present?.className === page.className) morph(present, page)
  else main.replaceChildren(page)
}

/** @param {MouseEvent} event */
async function copy({ target }) {
  const button = target instanceof Element ? target.closest('[data-copy]') : null
  if (!button) return
  const text = button.getAttribute('data-copy') ?? ''
  announcer.textContent = await navigator.clipboard.writeText(text).then(
    () => 'Copied',
    () => 'The browser does not let this page copy',
  )
}
