import { defineConfig, type UserConfig } from '@hey-api/openapi-ts'

const input = './openapi.yaml'

/**
 * What goes over the wire, as viem writes it: `0x…` strings are `` `0x${string}` ``.
 * Amounts stay strings of digits, since that is what the JSON holds; the SDK and the handlers convert them.
 */
const types = {
  name: '@hey-api/typescript',
  '~resolvers': {
    string({ $, schema }) {
      const hex = () => $.type.template().add('0x').add($.type('string'))
      if (schema.format === 'evm-address-or-solver') return $.type.or($.type.literal('solver'), hex())
      if (['evm-address', 'evm-hash', 'evm-word', 'hex'].includes(schema.format ?? '')) return hex()
      return undefined
    },
  },
} as const satisfies Exclude<UserConfig['plugins'], undefined>[number]

export default defineConfig([
  {
    input,
    output: { path: 'server/api/generated', entryFile: false, importFileExtension: '.js' },
    plugins: [types],
  },
  {
    input,
    output: { path: 'sdk/src/generated', entryFile: false, importFileExtension: '.js' },
    plugins: [types],
  },
])
