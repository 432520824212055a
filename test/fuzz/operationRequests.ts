import fc from 'fast-check'
import { forValidation, loadSpec } from '../../server/api/spec.js'
import { junkTexts, mutate, type Mutation, mutationArbitrary } from './mutate.js'
import type { RawRequest } from './rawClient.js'
import { type Known, type Schema, schemaArbitrary } from './schemaArbitrary.js'

type Parameter = { name: string; in: 'path' | 'query' | 'header'; required?: boolean; schema: Schema }

export type SpecOperation = {
  operationId: string
  method: string
  /** As in the spec: `/actions/{actionId}`. */
  path: string
  parameters: Parameter[]
  body: Schema | null
}

/** Every operation of openapi.yaml, with its references replaced by what they name. */
export async function loadOperations(): Promise<SpecOperation[]> {
  type Described = {
    operationId: string
    parameters?: Parameter[]
    requestBody?: { content: { 'application/json': { schema: Schema } } }
  }
  const document = forValidation((await loadSpec()).document) as { paths: Record<string, Record<string, unknown>> }
  return Object.entries(document.paths).flatMap(([path, item]) =>
    ['get', 'post'].flatMap((method) => {
      const operation = item[method] as Described | undefined
      if (!operation) return []
      return {
        operationId: operation.operationId,
        method: method.toUpperCase(),
        path,
        parameters: [...((item.parameters as Parameter[] | undefined) ?? []), ...(operation.parameters ?? [])],
        body: operation.requestBody?.content['application/json'].schema ?? null,
      }
    }),
  )
}

/** What exists, for the parameters of paths that name it. */
export type KnownPaths = Record<string, string[]>

type Values = Record<string, unknown>

/** Requests that the spec allows, so that the service has to look at what they mean. */
export function validRequests(operation: SpecOperation, known: Known, paths: KnownPaths): fc.Arbitrary<RawRequest> {
  const parameters = parametersArbitrary(operation, known, paths)
  const body = operation.body ? schemaArbitrary(operation.body, known) : fc.constant(undefined)
  return fc.tuple(parameters, body).map(([values, content]) => write(operation, values, content))
}

/** The same with one to three places made wrong: in the path, the query, the headers or the body. */
export function mutatedRequests(operation: SpecOperation, known: Known, paths: KnownPaths): fc.Arbitrary<RawRequest> {
  const parameters = parametersArbitrary(operation, known, paths)
  const body = operation.body ? schemaArbitrary(operation.body, known) : fc.constant(undefined)
  const mutations = fc.array(mutationArbitrary, { minLength: 1, maxLength: 3 })
  const noMutations: fc.Arbitrary<Mutation[]> = fc.constant([])
  const wrongParameters = fc.dictionary(
    fc.constantFrom(...operation.parameters.map(({ name }) => name), 'unknown', '__proto__'),
    fc.oneof(fc.constantFrom(...junkTexts.filter((text) => text.length < 6_000)), fc.string({ unit: 'binary' })),
    { minKeys: operation.body ? 0 : 1, maxKeys: 2 },
  )
  return fc
    .tuple(parameters, body, operation.body ? mutations : noMutations, fc.oneof(fc.constant({}), wrongParameters))
    .map(([values, content, changes, wrong]) =>
      write(operation, { ...values, ...wrong }, operation.body ? mutate(content, changes) : undefined),
    )
}

function parametersArbitrary(operation: SpecOperation, known: Known, paths: KnownPaths): fc.Arbitrary<Values> {
  const fields = operation.parameters.map(({ name, schema }): [string, fc.Arbitrary<unknown>] => {
    const whatever = schemaArbitrary(schema, known, name)
    const real = paths[name]
    // Without it, a request is held open for as long as it takes.
    if (name === 'Prefer') return [name, fc.constantFrom('wait=0', 'wait=0, handling=lenient')]
    return [name, real ? fc.oneof({ weight: 4, arbitrary: fc.constantFrom(...real) }, whatever) : whatever]
  })
  const requiredKeys = operation.parameters
    .filter((parameter) => parameter.in === 'path' || parameter.required || parameter.name === 'Prefer')
    .map(({ name }) => name)
  return fc.record(Object.fromEntries(fields), { requiredKeys })
}

function write(operation: SpecOperation, values: Values, content: unknown): RawRequest {
  const named = new Set(operation.parameters.map(({ name }) => name))
  const query: string[] = []
  const headers: Record<string, string> = {}
  let path = operation.path
  for (const { name, in: place } of operation.parameters) {
    if (!Object.hasOwn(values, name)) continue
    const value = values[name]
    if (place === 'path') path = path.replace(`{${name}}`, () => escaped(value))
    else if (place === 'header') headers[name] = String(value).replaceAll(/[^\x20-\x7e\x80-\xff]/g, '?')
    else query.push(...[value].flat().map((item) => `${name}=${escaped(item)}`))
  }
  for (const name of Object.keys(values)) if (!named.has(name)) query.push(`${escaped(name)}=${escaped(values[name])}`)
  const body = content === undefined ? null : JSON.stringify(content)
  if (body !== null) headers['content-type'] = 'application/json'
  return { method: operation.method, path: query.length > 0 ? `${path}?${query.join('&')}` : path, headers, body }
}

/** As in a URL. Half a surrogate pair, which `encodeURIComponent` refuses, becomes the replacement character. */
function escaped(value: unknown): string {
  return encodeURIComponent(Buffer.from(String(value)).toString())
}
