import fc from 'fast-check'

/** A change to one place of a JSON value. */
export type Mutation = { place: number; change: Change }

type Change =
  | { kind: 'replace'; junk: unknown }
  | { kind: 'remove' }
  | { kind: 'add'; key: string; junk: unknown }
  | { kind: 'wrap' }
  | { kind: 'repeat'; times: number }
  | { kind: 'append'; text: string }

type Slot = { holder: Record<string | number, unknown>; key: string | number }

/** Above what the service takes; more only fills the memory of the test. */
const longestBody = 300_000

const nested = (depth: number) => JSON.parse('['.repeat(depth) + ']'.repeat(depth)) as unknown

/** Own properties, as `JSON.parse` makes them. */
const prototypes = ['{"__proto__":{"user":"0x1"}}', '{"constructor":{"prototype":{"x":1}}}'].map(
  (text) => JSON.parse(text) as unknown,
)

/** Texts that readers of numbers, hex, dates, SQL, paths or unicode are known to stumble over. */
export const junkTexts = [
  '',
  ' ',
  '\0',
  'a\0b',
  '\ud800',
  '\u202e0x',
  '\u{1f4a9}'.repeat(40),
  'é'.normalize('NFD'),
  '0x',
  '0X00',
  `0x${'g'.repeat(40)}`,
  `0x${'00'.repeat(20)}`,
  `0x${'ff'.repeat(20)}`,
  `0x${'0'.repeat(39)}`,
  `0x${'00'.repeat(66_000)}`,
  '-1',
  '-0',
  '01',
  '1e3',
  '1.0',
  '１',
  (2n ** 256n).toString(),
  '9'.repeat(78),
  '9'.repeat(5_000),
  'NaN',
  'null',
  '__proto__',
  'constructor',
  'toString',
  'solver',
  "' OR 1=1 --",
  '%00',
  '../../etc/passwd',
  '${7*7}{{7*7}}',
  '019a9c3e-5b7a-7c21-9d0e-3f6a8b2c4d5e',
  'x'.repeat(20_000),
]

const junk: fc.Arbitrary<unknown> = fc.oneof(
  fc.constantFrom<unknown>(
    null,
    true,
    false,
    -1,
    -0,
    0.5,
    1e308,
    2 ** 53,
    2 ** 31,
    [],
    {},
    [[]],
    [null],
    nested(2_000),
  ),
  fc.constantFrom<unknown>(...prototypes),
  fc.constantFrom<unknown>(...junkTexts),
  fc.jsonValue({ maxDepth: 2 }),
)

const replace = fc.record({ kind: fc.constant('replace' as const), junk })

const changes: fc.Arbitrary<Change> = fc.oneof(
  replace,
  replace,
  replace,
  fc.record({ kind: fc.constant('remove' as const) }),
  fc.record({ kind: fc.constant('add' as const), key: fc.constantFrom('extra', '', 'toString', '0'), junk }),
  fc.record({ kind: fc.constant('wrap' as const) }),
  fc.record({ kind: fc.constant('repeat' as const), times: fc.constantFrom(2, 17, 65, 1_000) }),
  fc.record({ kind: fc.constant('append' as const), text: fc.constantFrom(...junkTexts) }),
)

export const mutationArbitrary: fc.Arbitrary<Mutation> = fc.record({ place: fc.nat(), change: changes })

/** The value with the changes made, one after another. */
export function mutate(value: unknown, mutations: readonly Mutation[]): unknown {
  const root: Slot['holder'] = { value: structuredClone(value) }
  for (const { place, change } of mutations) {
    const slots = slotsOf({ holder: root, key: 'value' })
    apply(slots[place % slots.length]!, change)
  }
  return root.value
}

function apply({ holder, key }: Slot, change: Change): void {
  const current = holder[key]
  switch (change.kind) {
    case 'replace':
      holder[key] = structuredClone(change.junk)
      return
    case 'remove':
      if (Array.isArray(holder)) holder.splice(key as number, 1)
      else delete holder[key]
      return
    case 'add':
      if (typeof current === 'object' && current !== null)
        (current as Slot['holder'])[change.key] = structuredClone(change.junk)
      else holder[key] = { [change.key]: structuredClone(change.junk) }
      return
    case 'wrap':
      holder[key] = [current]
      return
    case 'repeat': {
      const item = (Array.isArray(current) ? current[0] : current) ?? null
      const times = Math.min(change.times, Math.ceil(longestBody / JSON.stringify(item).length))
      holder[key] = Array.from({ length: times }, () => item)
      return
    }
    case 'append':
      holder[key] = (typeof current === 'object' ? JSON.stringify(current) : String(current)) + change.text
  }
}

/** Every place in a value, its root first. */
function slotsOf(slot: Slot, depth = 0): Slot[] {
  const value = slot.holder[slot.key]
  if (typeof value !== 'object' || value === null || depth > 20) return [slot]
  const keys = Array.isArray(value) ? value.keys() : Object.keys(value)
  const inner = [...keys].slice(0, 50).map((key) => ({ holder: value as Slot['holder'], key }))
  return [slot, ...inner.flatMap((next) => slotsOf(next, depth + 1))]
}
