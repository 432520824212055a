import fs from 'node:fs'
import { createLogger, endProcess, lostLogLines } from '../../server/process/logging.js'

type Done = (error: Error) => void

const { write } = fs
// As where the disk is full.
const fails = (...args: unknown[]) => setImmediate(args.at(-1) as Done, new Error('no space left on device'))
Object.assign(fs, { write: fails })
const log = createLogger({ logLevel: 'info' })
const speak = () => log.info('a word '.repeat(1_000))
while (lostLogLines() === 0) speak()
await new Promise((resolve) => setImmediate(resolve))
Object.assign(fs, { write })
speak()
await endProcess(0)
