import { setTimeout as pause } from 'node:timers/promises'
import { createLogger, lostLogLines } from '../../server/process/logging.js'

const megabyte = 2 ** 20
const before = process.memoryUsage().rss
const log = createLogger({ logLevel: 'info' })
const text = 'a word '.repeat(1_000)
for (let written = 0; written < 200 * megabyte; written += text.length) {
  log.info(text)
  if (written % (10 * megabyte) < text.length) await pause(20)
}
const megabytes = (process.memoryUsage().rss - before) / megabyte
process.stderr.write(JSON.stringify({ lost: lostLogLines(), megabytes }), () => process.kill(process.pid, 'SIGKILL'))
