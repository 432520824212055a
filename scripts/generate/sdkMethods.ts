/**
 * Writes the table of the client's methods in the SDK's README: from the spec where a method is one operation, and else
 * from its comment. Usage: tsx scripts/generate/sdkMethods.ts (part of `npm run generate`).
 */
import { readFileSync } from 'node:fs'
import { format } from 'prettier'
import type { IntentClient } from '../../sdk/src/client.js'
import { table, writeReadmePart } from './sdkCodes.js'
import { clientPath, operationOf, readOperations } from './sdkDocs.js'

export const methodsBlock = /<!-- methods -->[^]*<!-- \/methods -->/

type Alone = keyof typeof operationOf & keyof IntentClient

/** The other methods, and the operations that they make use of. */
const usedBy: Record<Exclude<keyof IntentClient, Alone>, readonly string[]> = {
  send: ['listChains', 'createAction', 'getAction', 'executeStep', 'getStep', 'streamActionEvents'],
  prepareAction: ['listChains'],
  signAction: ['listChains'],
  runAction: ['getAction', 'executeStep', 'getStep', 'streamActionEvents'],
  registerStep: ['executeStep'],
  waitForStep: ['getStep', 'streamActionEvents'],
  waitForAction: ['getAction', 'streamActionEvents'],
  watchAction: ['getAction', 'streamActionEvents'],
  allActions: ['listActions'],
  checkChains: ['listChains'],
}

export const methodNames = [...Object.keys(operationOf), ...Object.keys(usedBy)]

/** Every method of the client with its operations, as Markdown. */
export async function methodsMarkdown(): Promise<string> {
  const operations = new Map(readOperations().map((operation) => [operation.operationId, operation]))
  const client = readFileSync(clientPath, 'utf8')
  const ofOperations = Object.entries(operationOf).map(([method, operationId]) => {
    const { route, summary, deprecated } = operations.get(operationId)!
    return [`\`${method}\``, `\`${operationId}\`: \`${route}\``, `${summary}.${deprecated ? ' Deprecated.' : ''}`]
  })
  const ofOthers = Object.entries(usedBy).map(([method, used]) => {
    const names = used.filter((name) => operations.has(name)).map((name) => `\`${name}\``)
    if (names.length < used.length) throw new Error(`The spec lacks one of ${used.join(', ')}`)
    return [`\`${method}\``, names.join(', '), firstSentence(client, method)]
  })
  const rows = [...ofOperations, ...ofOthers]
  const markdown = await format(table(['Method', 'Operation', 'What it does'], rows), { parser: 'markdown' })
  return `<!-- methods -->\n\n${markdown}\n<!-- /methods -->`
}

/** Of the comment on a method. */
function firstSentence(client: string, method: string): string {
  const comment = new RegExp(`/\\*\\*((?:(?!\\*/)[^])*)\\*/\\n *(?:async )?\\*?${method}[(:]`).exec(client)?.[1]
  const text = comment?.replaceAll(/\s*\n *\*? */g, ' ').trim()
  const sentence = text && /^.+?[.;](?= |$)/.exec(text)?.[0]
  if (!sentence) throw new Error(`The client has no comment on ${method}`)
  return sentence.replace(/;$/, '.')
}

if (process.argv[1] === import.meta.filename) writeReadmePart(methodsBlock, await methodsMarkdown())
