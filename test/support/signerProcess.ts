/**
 * A remote signer as a process of its own, with Web3Signer's `eth1` interface, that can be made to misbehave.
 * Usage: node signerProcess.js <port or socket path> <key,key…>; prints where it listens.
 * `POST /mood` with {"mood", "delayMs"} changes how it answers from then on; `GET /signatures` tells how many it has
 * made since.
 */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { type Hex, keccak256 } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { pause } from './pause.js'
import type { SignerMood } from './remoteSigner.js'

const [where = '0', keyList = ''] = process.argv.slice(2)
const accounts = keyList.split(',').map((key) => privateKeyToAccount(key as Hex))
const held = new Map(accounts.map((account) => [`0x${account.publicKey.slice(4)}`, account]))
let signatures = 0
let current: { mood: SignerMood; delayMs: number } = { mood: 'well', delayMs: 0 }

const server = createServer((request, response) => {
  void readAll(request).then((body) => answer(request, body, response))
})
server.listen(/^\d+$/.test(where) ? { port: Number(where), host: '127.0.0.1' } : { path: where }, () => {
  const address = server.address()
  process.stdout.write(`${typeof address === 'object' ? `http://127.0.0.1:${address?.port}` : `unix:${address}`}\n`)
})

async function answer(request: IncomingMessage, body: string, response: ServerResponse): Promise<void> {
  if (request.url === '/mood') {
    current = JSON.parse(body) as typeof current
    signatures = 0
    return void response.end()
  }
  if (request.url === '/signatures') return void response.end(String(signatures))
  const { mood, delayMs } = current
  if (delayMs > 0) await pause(delayMs)
  if (mood === 'silent') return
  if (mood === 'hangs up') return void request.socket.destroy()
  if (mood === 'refuses') return void response.writeHead(500).end('no')
  if (request.url === '/api/v1/eth1/publicKeys') return void response.end(JSON.stringify([...held.keys()]))
  const named = request.url!.split('/').at(-1)!
  const account = mood === 'takes another key' ? privateKeyToAccount(keccak256('0x99')) : held.get(named)
  if (!account) return void response.writeHead(404).end()
  signatures += 1
  const { data } = JSON.parse(body) as { data: Hex }
  response.end(mood === 'talks nonsense' ? 'nonsense' : await account.sign({ hash: keccak256(data) }))
}

async function readAll(request: IncomingMessage): Promise<string> {
  let text = ''
  for await (const chunk of request) text += String(chunk)
  return text
}
