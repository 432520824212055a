import { Ajv2020 } from 'ajv/dist/2020.js'
import addFormats from 'ajv-formats'

const uint256Limit = 2n ** 256n

/**
 * What validates requests, replies and examples alike. Nothing is coerced and nothing is filled in: the spec's defaults
 * are the handlers' business. `verbose` gives messages the schema that failed, to tell what was wanted.
 */
export function createAjv(): Ajv2020 {
  const ajv = new Ajv2020({ strict: false, allErrors: true, discriminator: true, verbose: true })
  addFormats.default(ajv, ['date-time', 'uuid'])
  // Their patterns say it all; the names are for generated types and for messages.
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
  // A pattern that names surrogates means something else wherever it is not read as Unicode.
  ajv.addFormat('label', (label) => !/\p{Cs}/u.test(label))
  // Digits are the pattern's business, as is their number; the range is not.
  ajv.addFormat('uint256', (digits) => !/^[0-9]{1,78}$/.test(digits) || BigInt(digits) < uint256Limit)
  // `maximum` binds numbers alone; digits beyond it would be read as a neighbour of what they say.
  ajv.addFormat('chain-id', (digits) => !/^[0-9]{1,16}$/.test(digits) || Number.isSafeInteger(Number(digits)))
  return ajv
}
