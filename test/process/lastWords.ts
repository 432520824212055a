import fs from 'node:fs'
import { setTimeout as pause } from 'node:timers/promises'
import { createLogger, endProcess } from '../../server/process/logging.js'

const log = createLogger({ logLevel: 'info' })
log.info('first words')
// More than a pipe takes that nobody reads.
for (let line = 0; line < 100; line++) log.info('a word '.repeat(1_000))
if (process.argv[2] === 'fatal') log.fatal('last words')
else log.info('last words')
await pause(100)
fs.writeSync(2, 'ending')
await endProcess(3)
