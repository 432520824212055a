/** Prints how a tool is used and ends it, where it is asked for that: before anything is read or opened. */
export function helpIfAsked(usage: string): void {
  if (!process.argv.slice(2).some((word) => word === '--help' || word === '-h')) return
  process.stdout.write(`${usage}\n`)
  process.exit(0)
}

/** What is wrong with the words that a tool was given, with how it is used; any other error as it is. */
export function withUsage(error: unknown, usage: string): unknown {
  const isOfWords = error instanceof Error && 'code' in error && String(error.code).startsWith('ERR_PARSE_ARGS')
  return isOfWords ? new Error(`${error.message.split('. ')[0]}. ${usage}`) : error
}
