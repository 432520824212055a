import { chmodSync, existsSync, readFileSync, realpathSync, renameSync, statSync, writeFileSync } from 'node:fs'
import type { Address } from 'viem'
import { readChainsFile } from '../../server/chainsFile.js'
import type { ChainConfig } from '../../server/domain/chainConfig.js'
import { DeployRefused } from './planChain.js'

type Entry = { delegates?: string[]; vault?: string; formerVaults?: string[] }

const nowhere = `0x${'0'.repeat(40)}`

/** Reads a chains file whose contracts may be missing still, and can write it with them. */
export function readDeployableFile(
  path: string,
  contracts: { delegate: Address; vault: Address },
  options: { replaceVault: boolean; env: NodeJS.ProcessEnv },
): { chains: ChainConfig[]; write: (to: string) => void } {
  const content = readJson(path)
  for (const entry of Array.isArray(content.chains) ? content.chains : []) {
    const known = entry.vault?.toLowerCase() ?? nowhere
    if (known !== nowhere && known !== contracts.vault && !options.replaceVault) {
      throw new DeployRefused(
        `The file names the vault ${known}, and this build and owner make ${contracts.vault}. The old one keeps its ` +
          'inventory and its memory of what was paid: finish what is open, withdraw, then use --replace-vault.',
      )
    }
    // Else who wants a fresh vault, as beside an empty database, would get the one that has paid before.
    if (known === contracts.vault && options.replaceVault) {
      throw new DeployRefused(
        `The file names the vault ${known} already, which this build, owner and --vault-number make. For a fresh one give ` +
          'another --vault-number; where it is the fresh one, leave --replace-vault out.',
      )
    }
    const others = (entry.delegates ?? []).filter(
      (address) => ![nowhere, contracts.delegate].includes(address.toLowerCase()),
    )
    // Accounts that borrow an older delegate keep working with it.
    entry.delegates = [contracts.delegate, ...others]
    entry.vault = contracts.vault
    const former = [...(entry.formerVaults ?? []), ...(known === nowhere ? [] : [known])]
    const replaced = former.filter((address) => address.toLowerCase() !== contracts.vault)
    // What the old one has paid stays paid, and what reaches it is credit.
    if (replaced.length > 0) entry.formerVaults = replaced
    else delete entry.formerVaults
  }
  const text = `${JSON.stringify(content, null, 2)}\n`
  const { chains, problems } = readChainsFile(text, options.env)
  if (problems.length > 0) throw new DeployRefused(problems.map((problem) => `${path}: ${problem}`).join('\n'))
  return {
    chains,
    write(to) {
      // What a link leads to, and readable for no more than it was: addresses of nodes may hold keys.
      const file = existsSync(to) ? realpathSync(to) : to
      const mode = statSync(existsSync(to) ? to : path).mode & 0o777
      writeFileSync(`${file}.new`, text, { mode })
      chmodSync(`${file}.new`, mode)
      renameSync(`${file}.new`, file)
    },
  }
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
