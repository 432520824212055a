/**
 * Colours with the contrast that WCAG AA asks for (4.5), in both modes. Columns are as wide as what they hold; on a
 * phone a row's cells stand below each other, and what is wide still scrolls by itself.
 */
const styles = `
.light-mode {
  --scalar-color-1: #161b26; --scalar-color-2: #4a5466; --scalar-color-3: #5a6478; --scalar-color-accent: #3f4bd8;
  --scalar-color-green: #0b6b40; --scalar-color-red: #b3202c; --scalar-color-yellow: #7a5200; --scalar-color-blue: #1a56c4;
  --scalar-color-orange: #a23c00; --scalar-color-purple: #5b3cc4;
  --scalar-background-1: #ffffff; --scalar-background-2: #f6f7fb; --scalar-background-3: #eceff5;
  --scalar-sidebar-color-1: #161b26; --scalar-sidebar-color-2: #4a5466; --scalar-sidebar-color-active: #3f4bd8;
}
.dark-mode {
  --scalar-color-1: #e9ecf3; --scalar-color-2: #b4bccb; --scalar-color-3: #a5aec0; --scalar-color-accent: #a3acff;
  --scalar-color-green: #6fdba2; --scalar-color-red: #ff9c9c; --scalar-color-yellow: #f4c06a; --scalar-color-blue: #94b6ff;
  --scalar-color-orange: #ffb07a; --scalar-color-purple: #c4b0ff;
  --scalar-background-1: #11151e; --scalar-background-2: #171b25; --scalar-background-3: #232939;
  --scalar-sidebar-color-1: #e9ecf3; --scalar-sidebar-color-2: #b4bccb; --scalar-sidebar-color-active: #a3acff;
}
.introduction-section .section-columns { flex-direction: column-reverse; gap: 1.5rem; }
.introduction-section .section-column { width: 100%; max-width: none; }
.introduction-section .sticky-cards { position: static; }
.scalar-reference-intro-clients.introduction-card-item { display: none; }
button.absolute[aria-expanded] { min-width: 24px; min-height: 24px; }
.markdown img { width: 100%; max-width: 760px; }
.scalar-app .markdown.markdown table { table-layout: auto; }
.scalar-app .markdown.markdown :is(th, td:first-child code) { white-space: nowrap; }
@media (max-width: 800px) {
  .scalar-app .markdown.markdown :is(table, tbody, tr, td) { display: block !important; width: auto; min-width: 0; }
  .scalar-app .markdown.markdown thead { position: absolute; overflow: hidden; width: 1px; height: 1px; clip-path: inset(50%); }
  .scalar-app .markdown.markdown tr { padding: 0.6rem 0.9rem; }
  .scalar-app .markdown.markdown tr + tr { border-top: 1px solid var(--scalar-border-color); }
  .scalar-app .markdown.markdown td { padding: 0.1rem 0; border: 0; }
  .scalar-app .markdown.markdown td:first-child { font-weight: 600; }
  .scalar-app .markdown.markdown p:has(> img) { overflow-x: auto; }
  .scalar-app .markdown.markdown p > img { width: 640px; max-width: none; }
}
`

/**
 * What Scalar's markup lacks for people who use it by keyboard or ear, by selector. It draws its page piece by piece,
 * so each piece is mended when it comes.
 * @type {[string, (element: Element) => void][]}
 */
const mends = [
  // A button can't be selected; the links of the sidebar keep the mark.
  ['button[aria-selected]:not([role])', (button) => button.removeAttribute('aria-selected')],
  ['button[role=search]:not([aria-label])', (button) => button.setAttribute('aria-label', 'Search')],
  ['.scalar-code-copy:not([aria-label])', (button) => button.setAttribute('aria-label', 'Copy')],
  ['.show-more[aria-label]', (button) => button.removeAttribute('aria-label')],
  [
    'pre > code:not([tabindex]), .endpoints:not([tabindex]), .markdown :is(table, p:has(> img)):not([tabindex])',
    (region) => region.setAttribute('tabindex', '0'),
  ],
]

function mend() {
  for (const [selector, fix] of mends) document.querySelectorAll(selector).forEach(fix)
}

new MutationObserver(mend).observe(document.body, {
  childList: true,
  subtree: true,
  attributes: true,
  attributeFilter: ['aria-selected', 'aria-label', 'tabindex'],
})

// The script before this one has put it there.
const { Scalar } = /** @type {any} */ (window)
Scalar.createApiReference('#reference', {
  url: '/openapi.json',
  telemetry: false,
  withDefaultFonts: false,
  showDeveloperTools: 'never',
  hideClientButton: true,
  agent: { disabled: true },
  mcp: { disabled: true },
  customCss: styles,
})
