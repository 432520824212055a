import { readFile } from 'node:fs/promises'
import { load } from 'js-yaml'

/** openapi.yaml, as it is written and as it is used. */
export type Spec = {
  text: string
  /** As published. */
  document: Record<string, unknown>
}

let spec: Promise<Spec> | undefined

/** Reads the spec, once in a process. */
export function loadSpec(): Promise<Spec> {
  spec ??= read()
  return spec
}

async function read(): Promise<Spec> {
  const text = await readFile(new URL('../../openapi.yaml', import.meta.url), 'utf8')
  return { text, document: load(text) as Record<string, unknown> }
}

/**
 * A copy that openapi-backend and Ajv take.
 * - Every `$ref` is replaced by a copy of what it names: openapi-backend takes a part that stands in two places for a
 *   cycle and would put a path in its place. The spec has no cycles.
 * - Ajv refuses a discriminator's `mapping` ("discriminator: mapping is not supported"). Here a mapping only lists the
 *   values, which are kept as `values` for messages. Beside a discriminator, Ajv does not look at `oneOf` for what is
 *   no object, and takes it for valid, so `type: object` is added.
 */
export function forValidation(document: Record<string, unknown>): Record<string, unknown> {
  const expand = (node: unknown): unknown => {
    if (Array.isArray(node)) return node.map(expand)
    if (typeof node !== 'object' || node === null) return node
    const { $ref, ...rest } = node as Record<string, unknown>
    const copy = Object.fromEntries(Object.entries(rest).map(([key, child]) => [key, expand(child)]))
    if (typeof $ref === 'string') return { ...(expand(resolve($ref, document)) as object), ...copy }
    const { propertyName, mapping } = (copy.discriminator ?? {}) as { propertyName?: unknown; mapping?: unknown }
    if (typeof propertyName === 'string' && typeof mapping === 'object' && mapping !== null) {
      copy.discriminator = { propertyName, values: Object.keys(mapping) }
      copy.type ??= 'object'
    }
    return copy
  }
  return expand(document) as Record<string, unknown>
}

/** What a local reference such as `#/components/schemas/Hash` names. */
function resolve(reference: string, document: Record<string, unknown>): unknown {
  const parts = reference.replace(/^#\//, '').split('/')
  return parts.reduce<unknown>((node, part) => {
    const key = part.replaceAll('~1', '/').replaceAll('~0', '~')
    return (node as Record<string, unknown>)[key]
  }, document)
}
