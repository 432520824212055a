import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs'

type Block = { header: { number: string; timestamp: string } }
type State = { blocks: Block[] }

/**
 * When a kept chain began, in Unix seconds; null where its state file does not tell. Unless anvil is
 * told this time, it adds to what it loads a block 0 of its own, and at a later load any of them may
 * win: what has been added is taken out.
 */
export function genesisTimeIn(stateFile: string): number | null {
  const state = existsSync(stateFile) ? readState(stateFile) : null
  const times = state?.blocks.filter(isGenesis).map(timeOf) ?? []
  if (!state || times.length === 0) return null
  const first = Math.min(...times)
  if (times.length > 1) {
    const blocks = state.blocks.filter((block) => !isGenesis(block) || timeOf(block) === first)
    writeFileSync(`${stateFile}.new`, JSON.stringify({ ...state, blocks }))
    renameSync(`${stateFile}.new`, stateFile)
  }
  return first
}

/** What can't be read here (half written, of another form, or longer than a string may be) is anvil's to judge. */
function readState(stateFile: string): State | null {
  try {
    const state = JSON.parse(readFileSync(stateFile, 'utf8')) as Partial<State> | null
    return state?.blocks ? { ...state, blocks: state.blocks } : null
  } catch {
    return null
  }
}

function isGenesis({ header }: Block): boolean {
  return Number(header.number) === 0
}

function timeOf({ header }: Block): number {
  return Number(header.timestamp)
}
