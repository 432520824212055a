import type { ParsedUrlQuery } from 'node:querystring'

type ParameterSchema = { type?: string | string[]; minLength?: number; items?: { maxLength?: number } }

/** A parameter of an operation, as the spec declares it. */
export type Parameter = { name: string; in: 'path' | 'query' | 'header'; schema: ParameterSchema }

/** What a request has given, before it is known what of it is declared. */
type RawParameters = {
  path: Record<string, string>
  query: ParsedUrlQuery
  /** Undefined where the request has none. */
  header: (name: string) => string | undefined
}

/** By name; those of headers are in lower case. */
type ParameterValues = Record<'path' | 'query' | 'header', Record<string, unknown>>

/**
 * Picks the declared parameters out of a request and turns digits into numbers where the spec says integer. Whatever
 * can't be turned stays a string, for validation to refuse; what is not declared is dropped.
 */
export function readParameters(declared: readonly Parameter[], raw: RawParameters): ParameterValues {
  const values: ParameterValues = { path: {}, query: {}, header: {} }
  for (const parameter of declared) {
    const value = readValue(parameter, raw)
    if (value === undefined) continue
    const name = parameter.in === 'header' ? parameter.name.toLowerCase() : parameter.name
    values[parameter.in][name] = value
  }
  return values
}

function readValue({ in: place, name, schema }: Parameter, raw: RawParameters): unknown {
  switch (place) {
    case 'path':
      return toType(raw.path[name], schema)
    case 'header':
      return readHeader(raw.header(name), schema)
    case 'query': {
      const isList = schema.type === 'array'
      const value = isList ? listNamed(name, raw.query) : raw.query[name]
      if (value === undefined) return undefined
      if (Array.isArray(value) && isList) return listOf(value, schema.items?.maxLength)
      return Array.isArray(value) ? value : toType(value, schema)
    }
  }
}

/** The names of parameters that are given more than once and are no lists. */
export function repeatedIn(query: ParsedUrlQuery, declared: readonly Parameter[]): string[] {
  const single = declared.filter(({ in: place, schema }) => place === 'query' && schema.type !== 'array')
  return single.map(({ name }) => name).filter((name) => Array.isArray(query[name]))
}

/** All values of a list. Some clients write its name as `name[]`, or number its items: `name[0]`. */
function listNamed(name: string, query: ParsedUrlQuery): string[] | undefined {
  const isItsName = (key: string) => key === name || (key.startsWith(name) && /^\[\d*\]$/.test(key.slice(name.length)))
  const given = Object.entries(query).flatMap(([key, value]) => (isItsName(key) ? (value ?? []) : []))
  return given.length === 0 ? undefined : given
}

/** An empty header is as good as none, unless the spec wants it to have a least length. */
function readHeader(value: string | undefined, { minLength = 0 }: ParameterSchema): string | undefined {
  return value === '' && minLength === 0 ? undefined : value
}

/** The items of a list: `?a=1&a=2` and `?a=1,2` are the same, and values that are empty or given again are left out. */
function listOf(values: readonly string[], longest = Infinity): string[] | undefined {
  const given = [...new Set(values.flatMap((part) => itemsOf(part, longest)))]
  return given.length === 0 ? undefined : given
}

/**
 * The parts of a value between its commas, without the spaces around them, and the whole value too where it is short
 * enough to be an item, since an item may itself have commas. No item begins or ends with a space.
 */
function itemsOf(value: string, longest: number): string[] {
  if (!value.includes(',')) return value === '' ? [] : [value]
  const parts = value
    .split(',')
    .map((part) => part.replace(/^ +| +$/g, ''))
    .filter((part) => part !== '')
  if (parts.length === 0) return []
  return [...value].length <= longest ? [...parts, value] : parts
}

/** Only plain decimal digits: `1e1`, ` 1`, `01` and `-0` are no integers here. */
function toType(value: string | undefined, schema: Parameter['schema']): unknown {
  if (value === undefined || schema.type !== 'integer') return value
  return /^(0|-?[1-9][0-9]{0,30})$/.test(value) ? Number(value) : value
}
