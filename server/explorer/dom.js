/**
 * Elements out of plain values. Whatever comes from data becomes a text node or an attribute, never markup.
 * @typedef {Node | string | null | undefined | false} Part
 * @typedef {Part | Part[]} Content
 */

const svgNamespace = 'http://www.w3.org/2000/svg'

/**
 * @param {string} tag
 * @param {Record<string, string | null | false>} attributes null and false leave one out
 * @param {...Content} children
 * @returns {HTMLElement}
 */
export function h(tag, attributes, ...children) {
  const element = document.createElement(tag)
  for (const [name, value] of Object.entries(attributes)) {
    if (value !== null && value !== false) element.setAttribute(name, value)
  }
  append(element, children)
  return element
}

/**
 * @param {Node} parent
 * @param {Content[]} children
 */
function append(parent, children) {
  for (const child of children) {
    if (Array.isArray(child)) append(parent, child)
    else if (child) parent.appendChild(typeof child === 'string' ? document.createTextNode(child) : child)
  }
}

/**
 * A link, or only its text where the address is none of the web.
 * @param {string} address
 * @param {Record<string, string>} attributes
 * @param {...Content} children
 */
export function link(address, attributes, ...children) {
  const { protocol } = new URL(address, location.href)
  if (protocol !== 'https:' && protocol !== 'http:') return h('span', {}, ...children)
  const outside = new URL(address, location.href).origin !== location.origin
  return h('a', { href: address, rel: outside && 'noopener noreferrer', ...attributes }, ...children)
}

/**
 * A drawing of 16 by 16 without meaning of its own.
 * @param {string} path
 */
export function icon(path) {
  const svg = document.createElementNS(svgNamespace, 'svg')
  const attributes = { class: 'icon', viewBox: '0 0 16 16', width: '16', height: '16', 'aria-hidden': 'true' }
  for (const [name, value] of Object.entries(attributes)) svg.setAttribute(name, value)
  const line = document.createElementNS(svgNamespace, 'path')
  line.setAttribute('d', path)
  svg.appendChild(line)
  return svg
}

/**
 * Makes one tree like another by the fewest changes, so that focus, selection and what the reader has opened stay.
 * @param {Element} now
 * @param {Element} wanted
 */
export function morph(now, wanted) {
  for (const { name } of [...now.attributes]) {
    // The reader opens and closes.
    if (!wanted.hasAttribute(name) && name !== 'open') now.removeAttribute(name)
  }
  for (const { name, value } of wanted.attributes) {
    if (now.getAttribute(name) !== value) now.setAttribute(name, value)
  }
  const children = [...wanted.childNodes]
  for (const [index, child] of children.entries()) {
    const present = now.childNodes[index]
    if (!present) now.appendChild(child)
    else if (present instanceof Element && child instanceof Element && present.tagName === child.tagName)
      morph(present, child)
    else if (!(present instanceof Text && child instanceof Text)) present.replaceWith(child)
    else if (present.data !== child.data) present.data = child.data
  }
  while (now.childNodes.length > children.length) now.lastChild?.remove()
}
