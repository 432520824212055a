import { type ChildProcess, spawn } from 'node:child_process'
import { request } from 'node:http'
import type { Hex } from 'viem'
import { bundledProgram } from './bundledProgram.js'

export type SignerMood = 'well' | 'silent' | 'hangs up' | 'refuses' | 'takes another key' | 'talks nonsense'

/** Starts a remote signer as a process of its own (see signerProcess.ts). */
export async function startRemoteSigner(keys: readonly Hex[], where = '0') {
  const child = spawn(process.execPath, await bundledProgram('test/support/signerProcess.ts', where, keys.join(',')), {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const url = await firstLine(child)
  return {
    url,
    /** How it answers from now on. */
    async mood(mood: SignerMood, delayMs = 0): Promise<void> {
      await ask(url, 'POST', '/mood', JSON.stringify({ mood, delayMs }))
    },
    /** How many it has made since its mood was set. */
    signatures: async () => Number(await ask(url, 'GET', '/signatures')),
    async stop() {
      const ended = new Promise((resolve) => child.once('exit', resolve))
      child.kill('SIGKILL')
      await ended
    },
  }
}

function firstLine(child: ChildProcess): Promise<string> {
  return new Promise((resolve, reject) => {
    child.stdout!.once('data', (chunk: Buffer) => resolve(chunk.toString().trim()))
    child.once('exit', (code) => reject(new Error(`the signer ended with ${code}`)))
  })
}

function ask(url: string, method: string, path: string, body = ''): Promise<string> {
  const target = url.startsWith('unix:') ? { socketPath: url.slice(5) } : { host: '127.0.0.1', port: new URL(url).port }
  return new Promise((resolve, reject) => {
    const asked = request({ ...target, method, path, agent: false }, (response) => {
      let text = ''
      response.on('data', (chunk: Buffer) => (text += chunk.toString())).on('end', () => resolve(text))
    })
    asked.on('error', reject).end(body)
  })
}
