import { Ajv2020 } from 'ajv/dist/2020.js'
import addFormats from 'ajv-formats'

const uint256Limit = 2n ** 256n

/**
 * The validator of requests, replies and examples alike. It coerces nothing and fills in no defaults, which is left to
 * the handlers. `verbose` adds to each error the schema that failed, by which messages tell what was wanted.
 */
export function createAjv(): Ajv2020 {
  const ajv = new Ajv2020({ strict: false, allErrors: true, discriminator: true, verbose: true })
  addFormats.default(ajv, ['date-time', 'uuid'])
  // The spec's patterns check these wholly; the formats' names are for generated types and for messages.
  for (const name of [
    'evm-address',
    'evm-address-or-solver',
    'evm-hash',
    'evm-word',
    'hex',
    'decimal',
    'printable-ascii',
  ])
    ajv.addFormat(name, true)
  // The spec has no pattern against unpaired surrogates: it would mean something else to tools that don't read Unicode.
  ajv.addFormat('label', (label) => !/\p{Cs}/u.test(label))
  // The spec's pattern checks that there are only digits, and how many, but can't check their range.
  ajv.addFormat('uint256', (digits) => !/^[0-9]{1,78}$/.test(digits) || BigInt(digits) < uint256Limit)
  // `maximum` binds numbers but not strings: a greater chain id in digits would be rounded, to that of another chain.
  ajv.addFormat('chain-id', (digits) => !/^[0-9]{1,16}$/.test(digits) || Number.isSafeInteger(Number(digits)))
  return ajv
}
