import type { Address } from 'viem'
import type { ChainConfig } from './chainConfig.js'

/** What the deployment allows and owns; the part of the configuration that rules about money and modes depend on. */
export type Settings = {
  /** By chain id. */
  chains: Map<number, ChainConfig>
  /** Token groups of equal worth, by name. */
  groups: Record<string, { /** Hundredths of a percent that the solver keeps. */ feeBps: number }>
  /** Addresses that sign for the solver on every chain, lower case. */
  operators: Address[]
  /**
   * Those whose payments to a vault are inventory and nobody's credit, lower case: all whom a chains file has ever
   * named, since what they have paid stays inventory.
   */
  funders: ReadonlySet<Address>
  /** Whether a registration needs the user's signature. */
  onDemandProof: 'none' | 'required'
}
