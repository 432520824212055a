/** What each node says of one thing, in the order of `rpcUrls`; null: the node says nothing. */
type ByNode<Answer> = readonly (Answer | null)[]

/**
 * Asks all nodes of a chain whether things are as the chains file has them: `expected`, in the order of
 * the answers. Slow nodes are waited for only where something is undecided without them: then all nodes
 * are asked again, with `waits`.
 */
export async function askUntilDecided<Answer>(
  expected: readonly Answer[],
  ask: (options?: { waits: boolean }) => Promise<ByNode<Answer>[]>,
): Promise<ByNode<Answer>[]> {
  const told = await ask()
  return told.some((byNode, index) => isUndecided(byNode, expected[index]!)) ? ask({ waits: true }) : told
}

/** Some nodes contradict the chains file, none bears it out, and some have said nothing yet. */
function isUndecided<Answer>(byNode: ByNode<Answer>, expected: Answer): boolean {
  return byNode.includes(null) && !byNode.includes(expected) && byNode.some((answer) => answer !== null)
}
