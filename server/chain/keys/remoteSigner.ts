import { Agent, request } from 'node:http'
import { type Address, type Hex, isHex, keccak256, parseSignature, recoverAddress, size, toHex } from 'viem'
import { publicKeyToAddress } from 'viem/utils'
import { encodeTransaction, type SignatureParts } from '../encodeTransaction.js'
import type { Signer } from './signer.js'

/** Half the order of secp256k1; chains refuse signatures with an `s` above it. */
const halfOrder = 0x7fffffffffffffffffffffffffffffff5d576e7357a4501ddfe92f46681b20a0n
const order = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n
const longestAnswer = 1_000_000
/** How long one answer may take. */
const timeoutMs = 4_000

/**
 * Signers whose keys another process holds, asked by Web3Signer's `eth1` interface, behind which the common KMS and HSM
 * stand: `GET /api/v1/eth1/publicKeys`, and `POST /api/v1/eth1/sign/{publicKey}` with `{"data"}`, which signs
 * keccak256(data). Transactions are put together here, and a signature that is not the address's is refused.
 */
export function createRemoteSigners(url: string, addresses: readonly Address[]): Signer[] {
  const ask = createClient(url)
  let publicKeys: Map<string, string> | null = null

  return addresses.map((address) => ({
    address,
    async signTransaction(transaction) {
      const unsigned = encodeTransaction(transaction)
      try {
        const signature = readSignature(await sign(address, unsigned))
        const signer = await recoverAddress({ hash: keccak256(unsigned), signature })
        if (signer.toLowerCase() !== address) throw new Error('the signature is of another key')
        return encodeTransaction(transaction, signature)
      } catch (error) {
        // Keys may have been added or taken away meanwhile.
        publicKeys = null
        throw error
      }
    },
  }))

  async function sign(address: Address, data: Hex): Promise<string> {
    publicKeys ??= readPublicKeys(await ask('GET', '/api/v1/eth1/publicKeys'))
    const key = publicKeys.get(address)
    if (!key) throw new Error('it does not hold the key')
    return ask('POST', `/api/v1/eth1/sign/${key}`, JSON.stringify({ data }))
  }
}

/** One HTTP exchange with the signer. The reasons of its errors hold nothing that the signer said. */
function createClient(url: string) {
  const agent = new Agent({ keepAlive: true })
  const isSocket = url.startsWith('unix:')
  const target = isSocket ? { socketPath: url.slice('unix:'.length), host: 'localhost' } : toTarget(new URL(url))

  return (method: 'GET' | 'POST', path: string, body?: string): Promise<string> =>
    new Promise((resolve, reject) => {
      const headers = body === undefined ? {} : { 'content-type': 'application/json' }
      const asked = request({ ...target, agent, method, path, headers }, (response) => {
        let text = ''
        response.setEncoding('utf8')
        response.on('data', (chunk: string) => {
          text += chunk
          if (text.length > longestAnswer) end(new Error('its answer is too long'))
        })
        response.on('end', () => {
          if (response.statusCode === 200) end(null, text)
          else end(new Error(`HTTP ${response.statusCode}`))
        })
        response.on('error', () => end(new Error('connection broken')))
        response.on('aborted', () => end(new Error('connection broken')))
      })
      // Over the whole exchange, answer included: a socket's own timeout is renewed by every byte.
      const timer = setTimeout(() => end(new Error(`no answer within ${timeoutMs} ms`)), timeoutMs)
      asked.on('error', (error: NodeJS.ErrnoException) =>
        end(new Error(`connection failed, ${error.code ?? 'broken'}`)),
      )
      asked.end(body)

      function end(error: Error | null, text = ''): void {
        clearTimeout(timer)
        if (!error) return resolve(text)
        asked.destroy()
        reject(error)
      }
    })
}

function toTarget({ hostname, port }: URL) {
  return { host: hostname.replace(/^\[|\]$/g, ''), port: port || '80' }
}

function readPublicKeys(text: string): Map<string, string> {
  try {
    const keys = (JSON.parse(text) as string[]).map((key) => key.replace(/^0x/, ''))
    return new Map(
      keys.map((key) => {
        const point = `0x${key.length === 128 ? `04${key}` : key}` as Hex
        return [publicKeyToAddress(point).toLowerCase(), `0x${key}`]
      }),
    )
  } catch {
    throw new Error('its list of keys is unreadable')
  }
}

/** 65 bytes as text, with or without quotes; some key stores know no low-s rule, so it is applied here. */
function readSignature(text: string): SignatureParts {
  const hex = text.trim().replace(/^"|"$/g, '')
  if (!isHex(hex) || size(hex) !== 65) throw new Error('its answer is no signature')
  const { r, s, yParity } = parseSignature(hex)
  const value = BigInt(s)
  return value <= halfOrder
    ? { r, s, yParity: yParity! }
    : { r, s: toHex(order - value, { size: 32 }), yParity: 1 - yParity! }
}
