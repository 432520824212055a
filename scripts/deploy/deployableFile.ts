import { chmodSync, existsSync, readFileSync, realpathSync, renameSync, statSync, writeFileSync } from 'node:fs'
import type { Address } from 'viem'
import { readChainsFile } from '../../server/config/chainsFile.js'
import type { ChainConfig } from '../../server/domain/chainConfig.js'
import { DeployRefused } from './deployRefused.js'

type Entry = {
  delegates?: string[]
  vault?: string
  formerVaults?: string[]
  vaultBlock?: number
  vaultOwner?: unknown
  inventoryFrom?: string[]
}

const nowhere = `0x${'0'.repeat(40)}`

/** The vaults of one owner that are looked through for the one that a file names. */
const mostVaults = 100

/**
 * Reads a chains file whose contracts may be missing still, and can write it with them. `vaultNumber` null: that of the
 * vault which the file names, if this build and owner make it, else the first. `others` are vaults that it names and
 * that are not the one, by the place of their chain: unless they may be replaced, nothing may be made of the file then.
 * `isMixed`: it names several vaults, each for some of its chains.
 */
export function readDeployableFile(
  path: string,
  made: { delegate: Address; vaultOf: (number: number) => Address },
  options: { replaceVault: boolean; vaultNumber: number | null; env: NodeJS.ProcessEnv },
): {
  chains: ChainConfig[]
  vault: Address
  vaultNumber: number
  others: { index: number; named: Address }[]
  isMixed: boolean
  /**
   * `vaultBlocks`: the block, by chain id, before which a vault was not there yet that has been made now. `funders`:
   * who own, or have owned, each chain's vaults, and whose payments to them are inventory.
   */
  write: (to: string, vaultBlocks: ReadonlyMap<number, number>, funders: ReadonlyMap<number, Address[]>) => void
} {
  const content = readJson(path)
  const entries = entriesOf(content)
  const others: { index: number; named: Address }[] = []
  const isMixed = namedIn(entries).size > 1
  const vaultNumber = options.vaultNumber ?? numberOf(entries, made.vaultOf) ?? 0
  const contracts = { delegate: made.delegate, vault: made.vaultOf(vaultNumber) }
  for (const [index, entry] of entries.entries()) {
    const known = entry.vault?.toLowerCase() ?? nowhere
    if (known !== nowhere && known !== contracts.vault) others.push({ index, named: known as Address })
    // Else who wants a fresh vault, as beside an empty database, would get the one that has paid before.
    if (known === contracts.vault && options.replaceVault) {
      throw new DeployRefused(
        `The file names the vault ${known} already, which this build, owner and --vault-number make. For a fresh one give ` +
          'another --vault-number; where it is the fresh one, leave --replace-vault out.',
      )
    }
    const older = (entry.delegates ?? []).filter(
      (address) => ![nowhere, contracts.delegate].includes(address.toLowerCase()),
    )
    // Accounts that borrow an older delegate keep working with it.
    entry.delegates = [contracts.delegate, ...older]
    entry.vault = contracts.vault
    const former = [...(entry.formerVaults ?? []), ...(known === nowhere ? [] : [known])]
    const replaced = former.filter((address) => address.toLowerCase() !== contracts.vault)
    // What the old one has paid stays paid, and what reaches it is credit.
    if (replaced.length > 0) entry.formerVaults = replaced
    else delete entry.formerVaults
  }
  const { chains, problems } = readChainsFile(JSON.stringify(content), options.env)
  if (problems.length > 0) throw new DeployRefused(problems.map((problem) => `${path}: ${problem}`).join('\n'))
  return {
    chains,
    vault: contracts.vault,
    vaultNumber,
    others,
    isMixed,
    write(to, vaultBlocks, funders) {
      for (const [index, entry] of entries.entries()) {
        const { chainId } = chains[index]!
        // Once they have been followed by another one, what they have paid is inventory still.
        const named = new Set([...chains[index]!.inventoryFrom!, ...(funders.get(chainId) ?? [])])
        if (named.size > chains[index]!.inventoryFrom!.length) {
          entry.inventoryFrom = [
            ...(entry.inventoryFrom ?? []),
            ...[...named].slice(chains[index]!.inventoryFrom!.length),
          ]
        }
        const made = vaultBlocks.get(chainId)
        // A former one may have had movements before.
        if (made !== undefined && !entry.formerVaults) entry.vaultBlock = made
      }
      const text = `${JSON.stringify(content, null, 2)}\n`
      // What a link leads to, and readable for no more than it was: addresses of nodes may hold keys.
      const file = existsSync(to) ? realpathSync(to) : to
      const mode = statSync(existsSync(to) ? to : path).mode & 0o777
      writeFileSync(`${file}.new`, text, { mode })
      chmodSync(`${file}.new`, mode)
      renameSync(`${file}.new`, file)
    },
  }
}

/** Of the vault that the file names. Null: it names none, or one that another build or owner has made. */
export function numberOf(
  entries: readonly Pick<Entry, 'vault'>[],
  vaultOf: (number: number) => Address,
): number | null {
  const named = namedIn(entries)
  if (named.size === 0) return null
  for (let number = 0; number < mostVaults; number++) if (named.has(vaultOf(number))) return number
  return null
}

function namedIn(entries: readonly Pick<Entry, 'vault'>[]): Set<string> {
  return new Set(entries.map(({ vault }) => vault?.toLowerCase() ?? nowhere).filter((vault) => vault !== nowhere))
}

export function readEntries(path: string): Entry[] {
  return entriesOf(readJson(path))
}

function entriesOf({ chains }: { chains?: Entry[] }): Entry[] {
  return Array.isArray(chains) ? chains : []
}

/** The parser's own error repeats a piece of the file, and there may be a credential in it. */
function readJson(path: string): { chains?: Entry[] } {
  const text = readFileSync(path, 'utf8')
  try {
    const content: unknown = JSON.parse(text)
    if (typeof content === 'object' && content !== null) return content
  } catch {
    throw new DeployRefused(`${path}: is no JSON`)
  }
  throw new DeployRefused(`${path}: is no object`)
}
