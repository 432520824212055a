import type { Address } from 'viem'
import type { Chain } from '../../server/chain/chain.js'
import type { OperatorRight } from '../../server/chain/operatorRights.js'
import { compareKnown } from '../../server/domain/compareKnown.js'
import type { Database } from '../../server/store/connection/database.js'
import { readKnownAddresses } from '../../server/store/knownAddresses.js'
import { createStore, type Store } from '../../server/store/store.js'

/**
 * Has a lane be compared with its chain no more: its key can pay nothing from any vault, whoever has it. `givesUp`:
 * what is open of it is given up, and carried out by others; for a key that is lost or that others have.
 */
export async function retire(
  chain: Chain,
  signer: Address,
  database: Database,
  { givesUp }: { givesUp: boolean },
): Promise<string> {
  const { chainId } = chain.config
  const store = createStore(database)
  await refuseForgottenVault(chain, database)
  await refuseOperator(chain, signer)
  if (givesUp) await refuseMined(chain, signer, store)
  const retired = await store.retireLane({ chainId, signer, givesUp }, Date.now())
  if (retired.outcome === 'noLane') throw new Error(`There is no lane of ${signer} on chain ${chainId}`)
  if (retired.outcome === 'open' && retired.mined > 0) throw isMined(retired.mined)
  if (retired.outcome === 'open') {
    throw new Error(
      `${retired.open} transactions of ${signer} on chain ${chainId} are open: let the service finish them, or, where the ` +
        'key is lost or others have it, add --give-up.',
    )
  }
  return `The lane of ${signer} on chain ${chainId} is retired for good; ${retired.givenUp} transactions were given up.`
}

/** It would not be asked, and what the key has signed for it may be open. */
async function refuseForgottenVault({ config }: Chain, database: Database): Promise<void> {
  const [forgotten] = compareKnown(await readKnownAddresses(database), [config]).forgottenVaults
  if (!forgotten) return
  throw new Error(
    `The service has worked with the vault ${forgotten.address} on chain ${config.chainId}, which the chains file does not ` +
      'name: add it to formerVaults, so that it is asked as well.',
  )
}

async function refuseOperator({ config, operatorRights }: Chain, signer: Address): Promise<void> {
  const rights = await operatorRights(signer)
  const known = rights.filter(({ nodes }) => nodes.includes('known'))
  if (known.length > 0) {
    const vaults = known.map(({ vault }) => vault).join(' and ')
    throw new Error(
      `The vault ${vaults} knows ${signer} as an operator: let its owner call setOperator(${signer}, false), and run this ` +
        `again once that is final (${config.confirmations} confirmations). Of the nodes ${known.map(tellRight).join('; ')}: ` +
        'take one that stays behind the others out of rpcUrls.',
    )
  }
  const needed = Math.max(config.agreement, 1)
  const untold = rights.filter(({ nodes }) => nodes.filter((right) => right === 'unknown').length < needed)
  if (untold.length === 0) return
  throw new Error(
    `Fewer nodes than agreement (${needed}) tell that ${signer} is no operator of the vault, and was none ` +
      `${config.confirmations} blocks ago: ${untold.map(tellRight).join('; ')}. See to those that do not answer or lag; one that ` +
      'has no state of that block any more has to tell the vault’s logs since then (eth_getLogs).',
  )
}

function tellRight({ vault, nodes }: OperatorRight): string {
  const words = { known: 'an operator', unknown: 'no operator', untold: 'does not say' }
  return `${vault}: ${nodes.map((right, index) => `rpcUrls/${index} ${words[right]}`).join(', ')}`
}

/** The service may not have seen it yet, or be stopped. */
async function refuseMined(chain: Chain, signer: Address, store: Store): Promise<void> {
  const lane = { chainId: chain.config.chainId, signer, chainNonce: Number.MAX_SAFE_INTEGER }
  const unseen = await store.readUsedUp(lane)
  const areMined = await chain.seenMined(unseen.flatMap(({ hashes }) => hashes))
  const mined = areMined.filter(Boolean).length
  if (mined > 0) throw isMined(mined)
}

function isMined(count: number): Error {
  return new Error(
    `${count} of its open transactions are mined and not settled yet: wait until the service, which has to run, has settled them.`,
  )
}
