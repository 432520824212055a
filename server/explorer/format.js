import { h, icon } from './dom.js'

/** @typedef {import('../api/generated/types.gen.js').Status} Status */
/** @typedef {import('../api/generated/types.gen.js').Mode} Mode */

/** @type {Record<Status, { label: string, path: string }>} */
const statuses = {
  created: { label: 'Created', path: 'M8 2.5a5.5 5.5 0 1 0 0 11a5.5 5.5 0 0 0 0-11' },
  executing: { label: 'Executing', path: 'M8 2.5a5.5 5.5 0 1 0 5.5 5.5M8 5v3l2 1.5' },
  success: { label: 'Success', path: 'M3 8.5 6.5 12 13 4.5' },
  reverted: { label: 'Reverted', path: 'M6.5 3.5 3 7l3.5 3.5M3 7h6a4 3 0 0 1 0 6H7' },
  error: { label: 'Error', path: 'M4 4l8 8M12 4l-8 8' },
}

/** @type {Record<Mode, { name: string, meaning: string }>} */
const modes = {
  7702: {
    name: 'Signed intent',
    meaning: 'The service sends; the user’s account runs the calls he signed (EIP-7702).',
  },
  'non-7702:on-demand': {
    name: 'On demand',
    meaning: 'The user pays by a transaction of his own; the solver fulfils.',
  },
  'non-7702:presign': { name: 'Presigned', meaning: 'Transactions that the user signed in advance; not executable.' },
}

/** @param {Status} status */
export function statusLabel(status) {
  return statuses[status]?.label ?? status
}

/** @param {Status} status */
export function statusIcon(status) {
  return icon((statuses[status] ?? statuses.created).path)
}

/** @param {Status} status */
export function badge(status) {
  return h('span', { class: `badge ${status}` }, statusIcon(status), statusLabel(status))
}

/** @param {Mode} mode */
export function modeText(mode) {
  return modes[mode] ?? { name: mode, meaning: '' }
}

/** @param {string} hex an address or a hash */
export function short(hex) {
  return hex.length > 14 ? `${hex.slice(0, 8)}…${hex.slice(-6)}` : hex
}

/**
 * A button that copies the text.
 * @param {string} text
 * @param {string} what such as `transaction hash`
 */
export function copyButton(text, what) {
  const path = 'M5.5 5.5V3h7.5v7.5h-2.5M3 5.5h7.5V13H3z'
  return h(
    'button',
    { type: 'button', class: 'copy', 'data-copy': text, 'aria-label': `Copy ${what}`, title: `Copy ${what}` },
    icon(path),
  )
}

const clock = new Intl.DateTimeFormat('en', { dateStyle: 'medium', timeStyle: 'medium' })
const clockOfDay = new Intl.DateTimeFormat('en', { timeStyle: 'medium' })

/**
 * @param {string} iso
 * @param {'full' | 'day'} form
 */
export function time(iso, form = 'full') {
  const date = new Date(iso)
  return h('time', { datetime: iso, title: iso }, (form === 'full' ? clock : clockOfDay).format(date))
}

/**
 * A whole number of the smallest unit in the token's own: exact, with thousands separated.
 * @param {bigint} amount
 * @param {number} decimals
 */
export function units(amount, decimals) {
  const digits = amount.toString().padStart(decimals + 1, '0')
  const whole = digits.slice(0, digits.length - decimals).replace(/\B(?=(\d{3})+$)/g, ',')
  const fraction = digits.slice(digits.length - decimals).replace(/0+$/, '')
  return fraction === '' ? whole : `${whole}.${fraction}`
}

/**
 * @param {number} count
 * @param {string} word
 */
export function plural(count, word) {
  return `${count} ${word}${count === 1 ? '' : 's'}`
}
