import fc from 'fast-check'

/** A JSON schema, with the keywords that the spec's requests use. */
export type Schema = {
  type?: string | string[]
  format?: string
  pattern?: string
  enum?: unknown[]
  const?: unknown
  oneOf?: Schema[]
  properties?: Record<string, Schema>
  required?: string[]
  items?: Schema
  minItems?: number
  maxItems?: number
  minLength?: number
  maxLength?: number
  minimum?: number
  maximum?: number
}

/** What exists in the service under test, so that requests get past the first check. */
export type Known = { addresses: string[]; hashes: string[]; chainIds: number[] }

/** Longer lists only take time; the limits themselves are the business of mutations. */
const mostItems = 3
const longestHex = 64

/** Values that the schema allows; a string property is asked for by its name where the name tells more. */
export function schemaArbitrary(schema: Schema, known: Known, name = ''): fc.Arbitrary<unknown> {
  if (schema.const !== undefined) return fc.constant(schema.const)
  if (schema.enum) return fc.constantFrom(...schema.enum)
  if (schema.oneOf) return fc.oneof(...schema.oneOf.map((option) => schemaArbitrary(option, known, name)))
  const [type, ...others] = [schema.type].flat()
  if (others.length > 0) {
    return fc.oneof(...[type!, ...others].map((one) => schemaArbitrary({ ...schema, type: one }, known, name)))
  }
  switch (type) {
    case 'object':
      return objectArbitrary(schema, known)
    case 'array': {
      const least = schema.minItems ?? 0
      const most = Math.min(schema.maxItems ?? mostItems, Math.max(least, mostItems))
      return fc.array(schemaArbitrary(schema.items ?? {}, known, name), { minLength: least, maxLength: most })
    }
    case 'integer':
      return integerArbitrary(schema, known, name)
    case 'boolean':
      return fc.boolean()
    case 'string':
      return stringArbitrary(schema, known, name)
    default:
      throw new Error(`The schema of ${name} has a type that is not known here: ${String(type)}`)
  }
}

function objectArbitrary({ properties = {}, required = [] }: Schema, known: Known): fc.Arbitrary<object> {
  const fields = Object.entries(properties).map(([name, schema]) => [name, schemaArbitrary(schema, known, name)])
  return fc.record(Object.fromEntries(fields) as Record<string, fc.Arbitrary<unknown>>, { requiredKeys: required })
}

function integerArbitrary(schema: Schema, known: Known, name: string): fc.Arbitrary<number> {
  const range = { min: schema.minimum ?? 0, max: schema.maximum ?? Number.MAX_SAFE_INTEGER }
  const small = fc.integer({ min: range.min, max: Math.min(range.max, range.min + 2) })
  const whatever = fc.oneof(small, fc.maxSafeInteger().filter(within(range)), fc.constantFrom(range.min, range.max))
  return name === 'chainId'
    ? fc.oneof({ weight: 4, arbitrary: fc.constantFrom(...known.chainIds) }, whatever)
    : whatever
}

function within({ min, max }: { min: number; max: number }): (value: number) => boolean {
  return (value) => value >= min && value <= max
}

function stringArbitrary(schema: Schema, known: Known, name: string): fc.Arbitrary<string> {
  const { minLength = 0, maxLength = 300 } = schema
  switch (schema.format) {
    case 'evm-address':
    case 'evm-address-or-solver': {
      const options = [hex(40, 40), fc.constantFrom(...known.addresses), fc.constantFrom(...known.addresses)]
      if (schema.pattern?.includes('solver')) options.push(fc.constant('solver'))
      if (schema.pattern?.includes('(0|')) options.push(fc.constant('0x0'))
      return fc.oneof(...options)
    }
    case 'evm-hash':
      return fc.oneof(hex(64, 64), fc.constantFrom(...known.hashes))
    case 'evm-word':
      return hex(1, 64)
    case 'hex':
      return evenHex(longestHex)
    case 'uint256':
      return fc.oneof(
        fc.constantFrom('0', '1', '100', (2n ** 256n - 1n).toString()),
        fc.bigInt({ min: 0n, max: 2n ** 256n - 1n }).map(String),
      )
    case 'label':
      return fc
        .string({ unit: 'binary', minLength, maxLength: 40 })
        .filter((text) => new RegExp(schema.pattern!, 'u').test(text))
    case 'chain-id':
      return fc.constantFrom(...known.chainIds.map(String), String(Number.MAX_SAFE_INTEGER))
    case 'decimal':
    case 'printable-ascii':
    case undefined:
      break
    default:
      throw new Error(`The format of ${name} is not known here: ${schema.format}`)
  }
  if (schema.pattern) {
    return fc
      .stringMatching(new RegExp(schema.pattern))
      .filter((text) => text.length >= minLength && text.length <= maxLength)
  }
  return fc.string({ unit: 'binary', minLength, maxLength: Math.min(maxLength, 40) })
}

function hex(minLength: number, maxLength: number): fc.Arbitrary<string> {
  const digit = fc.constantFrom(...'0123456789abcdefABCDEF')
  return fc.string({ unit: digit, minLength, maxLength }).map((digits) => `0x${digits}`)
}

function evenHex(longest: number): fc.Arbitrary<string> {
  return fc.oneof(
    fc.uint8Array({ maxLength: longest }).map((bytes) => `0x${Buffer.from(bytes).toString('hex')}`),
    fc.uint8Array({ minLength: 65, maxLength: 65 }).map((bytes) => `0x${Buffer.from(bytes).toString('hex')}`),
  )
}
