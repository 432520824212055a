import type { ValidateFunction } from 'ajv'
import { createAjv } from '../../server/api/ajv.js'
import { forValidation, loadSpec } from '../../server/api/spec.js'
import type { Issue } from '../../server/domain/errors.js'
import { nameOf } from '../../server/domain/issueAt.js'

type Operation = { responses: Record<string, { content?: Record<string, { schema?: object }> }> }

const spec = forValidation((await loadSpec()).document) as { paths: Record<string, Record<string, Operation>> }
const ajv = createAjv()
const compiled = new WeakMap<object, ValidateFunction>()
const routes = Object.entries(spec.paths).map(([path, item]) => ({
  pattern: new RegExp(`^${path.replaceAll(/\{\w+\}/g, '[^/]+')}$`),
  // A path without parameters wins over one with.
  weight: path.split('{').length,
  item,
}))
routes.sort((a, b) => a.weight - b.weight)

/**
 * Compares a reply with openapi.yaml: the status has to be listed for the operation, the body has to fit its schema.
 */
export function validateReply(method: string, url: string, reply: { status: number; body: unknown }): void {
  const path = url.split('?')[0]!
  const route = routes.find(({ pattern, item }) => pattern.test(path) && method.toLowerCase() in item)
  // What is no operation has no reply in the spec; the tests of 404 and 405 look at it themselves.
  if (!route) return
  const response = route.item[method.toLowerCase()]!.responses[String(reply.status)]
  if (!response) throw new Error(`${method} ${path} answered ${reply.status}, which the spec does not list`)
  const schema = response.content?.['application/json']?.schema
  if (!schema) return
  const validate = compiled.get(schema) ?? ajv.compile(schema)
  compiled.set(schema, validate)
  const errors = validate(reply.body) ? [] : (validate.errors ?? [])
  const problems = [
    ...errors.map((error) => `${error.instancePath} ${error.message}`),
    ...namelessIssues(reply.body).map(({ path, message }) => `${path}: "${message}" does not begin with the field`),
  ].join('; ')
  if (problems === '') return
  throw new Error(`${method} ${path} ${reply.status} does not fit the spec: ${problems}\n${JSON.stringify(reply.body)}`)
}

/** Issues of an error body whose message does not begin with the field, which no schema can say. */
export function namelessIssues(body: unknown): Issue[] {
  const { issues: own = [], error } = (body ?? {}) as { issues?: Issue[]; error?: { issues?: Issue[] } | null }
  const issues = [...own, ...(error?.issues ?? [])]
  return issues.filter(({ path, message }) => path !== '' && !message.startsWith(`${nameOf(path)} `))
}
