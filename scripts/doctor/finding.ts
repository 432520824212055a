/** Something that is not as it should be. */
export type Finding = {
  /** `fault`: the service would not work, or not safely. `warning`: it works, but someone should look. */
  level: 'fault' | 'warning'
  /** Stable, for scripts: `rpc.wrongChain`. */
  name: string
  /** What it was found at: a chain, a node by its place in the file, an operator. Never a node's address. */
  where: string
  what: string
  remedy: string
}

export type Findings = ReturnType<typeof createFindings>

/** Collects findings of one place. */
export function createFindings(where: string) {
  const list: Finding[] = []
  const add =
    (level: Finding['level']) =>
    (name: string, what: string, remedy: string): void =>
      void list.push({ level, name, where, what, remedy })
  return { list, fault: add('fault'), warn: add('warning') }
}
