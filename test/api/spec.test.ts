import { readFileSync } from 'node:fs'
import { expect } from 'chai'
import { load } from 'js-yaml'
import { getAddress } from 'viem'
import { inCauseAndRemedy, keywords } from '../../scripts/generate/sdkCodes.js'
import { createAjv } from '../../server/api/ajv.js'
import { operationIds } from '../../server/api/generated/operations.gen.js'
import type { OperationId } from '../../server/api/handlerTypes.js'
import { httpStatusOf } from '../../server/api/replies/problem.js'
import { issueCodes, type ServiceErrorCode, serviceErrorCodes, stepErrorCodes } from '../../server/domain/errors.js'
import { codesInSources, codesOfOperations, type Groups, raisedIn } from '../support/raisedCodes.js'
import { namelessIssues } from '../support/validateReply.js'

type Json = null | boolean | number | string | Json[] | { [key: string]: Json }
type Node = { [key: string]: Json }

const text = readFileSync('openapi.yaml', 'utf8')
const document = load(text) as Node

describe('openapi.yaml', () => {
  const examples = [...collectExamples(document)]

  it('has examples in all places', () => {
    expect(examples.length).to.be.greaterThan(100)
  })

  it('has only examples that their schemas accept', () => {
    const { ajv, check } = checker()
    const wrong = examples.flatMap(({ at, schema, value }) =>
      check(schema, value) ? [] : [`${at}: ${ajv.errorsText(check.errors())}`],
    )
    expect(wrong).to.deep.equal([])
  })

  it('would notice an example that its schema refuses', () => {
    const { check } = checker()
    const schema = '#/components/schemas/ActionRequest'
    const example = component('examples', 'SignedActionRequest').value as Node
    expect(check(schema, example)).to.equal(true)
    expect(check(schema, { ...example, user: '0x12' })).to.equal(false)
    expect(check(schema, { ...example, intents: [] })).to.equal(false)
  })

  it('has an example for every JSON body of a request, and for every reply', () => {
    const without = [...mediaTypes(document)].filter(({ media }) => !('example' in media) && !('examples' in media))
    expect(without.map(({ at }) => at)).to.deep.equal([])
  })

  it('shows every error code in an example', () => {
    const shown = new Set(examples.flatMap(({ value }) => codesIn(value)))
    const missing = serviceErrorCodes.filter((code) => !shown.has(code))
    // POST /actions tells this one by a sentence alone.
    expect(missing).to.deep.equal(['chain_authorizations_required'])
  })

  for (const [schema, codes] of [
    ['ErrorCode', serviceErrorCodes],
    ['StepErrorCode', stepErrorCodes],
    ['IssueCode', issueCodes],
  ] as const) {
    it(`lists in ${schema} exactly the codes that the service knows, each with its meaning`, () => {
      const { enum: listed, 'x-enumDescriptions': described } = component('schemas', schema)
      expect(listed).to.deep.equal([...codes])
      expect(Object.keys(described as Node)).to.deep.equal([...codes])
    })
  }

  it('has every keyword that a request schema uses among the issue codes', () => {
    const used = new Set<string>()
    for (const { at, media } of mediaTypes(document)) {
      if (at.includes('/requestBody/')) keywordsOf(media.schema as Node, used)
    }
    expect([...used].filter((keyword) => !(issueCodes as readonly string[]).includes(keyword))).to.deep.equal([])
  })

  it('shows of each operation every code that it can answer, and no other', () => {
    const shown = Object.fromEntries(
      operations().map(({ operationId, replies }) => {
        const codes = new Set(replies.flatMap(({ value }) => shownCode(value)))
        return [operationId, serviceErrorCodes.filter((code) => codes.has(code))]
      }),
    )
    expect(shown).to.deep.equal(codesOfOperations(groups()))
  })

  it('knows where in the server every refusal is raised', () => {
    const known = Object.entries(raisedIn(groups())).map(([file, raised]) => [file, Object.keys(raised).sort()])
    const found = Object.entries(codesInSources()).map(([file, codes]) => [file, [...codes].sort()])
    expect(Object.fromEntries(found)).to.deep.equal(Object.fromEntries(known))
  })

  it('shows every code with its status', () => {
    const wrong = operations().flatMap(({ operationId, replies }) =>
      replies.flatMap(({ status, value }) =>
        shownCode(value).some((code) => String(httpStatusOf(code)) !== status) ? [`${operationId} ${status}`] : [],
      ),
    )
    expect(wrong).to.deep.equal([])
  })

  it('begins the message of every issue with its field', () => {
    expect(examples.flatMap(({ value }) => namelessIssues(value))).to.deep.equal([])
  })

  it('writes every address as the service does, in EIP-55 form', () => {
    const addresses = text.match(/\b0x[0-9a-fA-F]{40}\b/g) ?? []
    expect(addresses).to.have.length.greaterThan(50)
    expect(addresses.filter((address) => getAddress(address) !== address)).to.deep.equal([])
  })

  for (const [title, schema] of [
    ['When a request is refused', 'ErrorCode'],
    ['When a step fails', 'StepErrorCode'],
    ['What is wrong with a body', 'IssueCode'],
  ] as const) {
    it(`has under "${title}" the codes of ${schema} with the cause and the remedy that stand there`, () => {
      const described = Object.entries(component('schemas', schema)['x-enumDescriptions'] as Record<string, string>)
      const rows = described
        .filter(([code]) => schema !== 'IssueCode' || !keywords.test(code))
        .map(([code, meaning]) => {
          const [name, ...cells] = inCauseAndRemedy([code, meaning])
          const status = schema === 'ErrorCode' ? [String(httpStatusOf(code as ServiceErrorCode))] : []
          return `| ${[name, ...status, ...cells].join(' | ')} |`
        })
      const { description } = document.info as Record<string, string>
      const section = description!.split(/^#+ /m).find((part) => part.startsWith(`${title}\n`))!
      expect(section.match(/^\| `.*$/gm)).to.deep.equal(rows)
    })
  }

  it('names each operation once', () => {
    expect(new Set(operationIds).size).to.equal(operationIds.length)
    expect(text.match(/^ +operationId:/gm)).to.have.length(operationIds.length)
  })

  /** Every operation, with the examples of its error bodies. */
  function operations() {
    return Object.values(document.paths as Node).flatMap((item) =>
      Object.values(item as Record<string, Node>).flatMap((operation) => {
        if (typeof operation.operationId !== 'string') return []
        const own = [(item as Node).parameters, operation.parameters].flatMap((list) => (list ?? []) as Node[])
        const replies = Object.entries(operation.responses as Record<string, Node>)
          .filter(([status]) => status >= '400')
          .flatMap(([status, response]) =>
            [...collectExamples(deref(response))].map(({ value }) => ({ status, value })),
          )
        return {
          operationId: operation.operationId as OperationId,
          tag: (operation.tags as string[])[0]!,
          takesBody: 'requestBody' in operation,
          hasParameters: own.some((parameter) => deref(parameter).in !== 'header'),
          replies,
        }
      }),
    )
  }

  function groups(): Groups {
    const those = (wanted: (operation: ReturnType<typeof operations>[number]) => boolean) =>
      operations()
        .filter(wanted)
        .map(({ operationId }) => operationId)
    return {
      all: those(() => true),
      withInput: those(({ takesBody, hasParameters }) => takesBody || hasParameters),
      withBody: those(({ takesBody }) => takesBody),
      limited: those(({ tag }) => tag !== 'Health'),
      onDatabase: those(({ tag }) => !['Health', 'Chains', 'Documentation'].includes(tag)),
    }
  }

  /** The code of an error body. `POST /actions` has it in its only issue, or in words. */
  function shownCode(value: Json): ServiceErrorCode[] {
    const { error, issues } = value as { error: string | { code: ServiceErrorCode }; issues?: { code: string }[] }
    if (typeof error !== 'string') return [error.code]
    if (!issues) return ['chain_authorizations_required']
    const [only, ...others] = issues.map(({ code }) => code)
    const isRepeated = others.length === 0 && (only === 'duplicate_intent' || only === 'idempotency_key_reused')
    return [isRepeated ? only : 'validation_failed']
  }

  function deref(node: Node): Node {
    return typeof node.$ref === 'string' ? resolve(node.$ref) : node
  }

  function component(kind: string, name: string): Node {
    return ((document.components as Node)[kind] as Node)[name] as Node
  }

  /** The keywords by which a value can fail, through references. */
  function keywordsOf(schema: Node, used: Set<string>, seen = new Set<string>()): void {
    if (typeof schema.$ref === 'string') {
      if (seen.has(schema.$ref)) return
      seen.add(schema.$ref)
      return keywordsOf(resolve(schema.$ref), used, seen)
    }
    const silent = [
      'description',
      'examples',
      'example',
      'default',
      'properties',
      'items',
      'oneOf',
      'x-enumDescriptions',
    ]
    for (const keyword of Object.keys(schema)) if (!silent.includes(keyword)) used.add(keyword)
    const parts = [
      schema.items,
      ...Object.values((schema.properties ?? {}) as Node),
      ...((schema.oneOf ?? []) as Json[]),
    ]
    for (const part of parts) if (part) keywordsOf(part as Node, used, seen)
  }
})

function checker() {
  const ajv = createAjv()
  ajv.addSchema(withoutMapping(document) as Node, 'spec')
  let validate: ReturnType<typeof ajv.compile> | undefined
  const check = (schema: string, value: unknown): boolean => {
    validate = ajv.getSchema(`spec${schema}`)
    if (!validate) throw new Error(`No schema at ${schema}`)
    return validate(value) as boolean
  }
  check.errors = () => validate?.errors
  return { ajv, check }
}

/** Every example of a schema, a parameter, a header or a body, with the pointer to the schema it is an example of. */
function* collectExamples(node: Json, at = '#'): Generator<{ at: string; schema: string; value: Json }> {
  if (typeof node !== 'object' || node === null) return
  if (Array.isArray(node)) {
    for (const [index, item] of node.entries()) yield* collectExamples(item, `${at}/${index}`)
    return
  }
  const inSchemas = /\/(schema|schemas)(\/|$)/.test(at)
  if (inSchemas && Array.isArray(node.examples)) {
    for (const [index, value] of node.examples.entries()) yield { at: `${at}/examples/${index}`, schema: at, value }
  }
  if (!inSchemas && isObject(node.schema)) {
    const schema = `${at}/schema`
    if ('example' in node) yield { at: `${at}/example`, schema, value: node.example ?? null }
    for (const [name, example] of Object.entries((node.examples ?? {}) as Node)) {
      const { $ref } = example as Node
      const found = typeof $ref === 'string' ? resolve($ref) : (example as Node)
      yield { at: `${at}/examples/${name}`, schema, value: found.value ?? null }
    }
  }
  for (const [key, child] of Object.entries(node)) {
    if (key === 'example' || key === 'examples') continue
    yield* collectExamples(child, `${at}/${escape(key)}`)
  }
}

/** Every body of a request or a reply. */
function* mediaTypes(node: Json, at = '#'): Generator<{ at: string; media: Node }> {
  if (typeof node !== 'object' || node === null || Array.isArray(node)) return
  for (const [key, child] of Object.entries(node)) {
    const here = `${at}/${escape(key)}`
    if (key === 'content' && isObject(child)) {
      for (const [type, media] of Object.entries(child)) yield { at: `${here}/${escape(type)}`, media: media as Node }
    } else if (key !== 'example' && key !== 'examples' && key !== 'schemas') {
      yield* mediaTypes(child, here)
    }
  }
}

function codesIn(value: Json): string[] {
  if (!isObject(value)) return []
  const issues = (value.issues ?? []) as Node[]
  const error = isObject(value.error) ? value.error : {}
  return [error.code, ...issues.map((issue) => issue.code)].filter((code) => typeof code === 'string')
}

/** Ajv reads the discriminator's property name and refuses its mapping. */
function withoutMapping(node: Json): Json {
  if (Array.isArray(node)) return node.map(withoutMapping)
  if (!isObject(node)) return node
  return Object.fromEntries(
    Object.entries(node).map(([key, child]) =>
      key === 'discriminator' && isObject(child)
        ? [key, { propertyName: child.propertyName ?? null }]
        : [key, withoutMapping(child)],
    ),
  )
}

function resolve(ref: string): Node {
  const steps = ref.slice(2).split('/')
  return steps.reduce((node, step) => node[step.replaceAll('~1', '/').replaceAll('~0', '~')] as Node, document)
}

function escape(key: string): string {
  return encodeURIComponent(key.replaceAll('~', '~0').replaceAll('/', '~1'))
}

function isObject(value: unknown): value is Node {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
