import { chainMutations } from './chainMutations.js'
import { contractMutations } from './contractMutations.js'
import { feeMutations } from './feeMutations.js'
import { mutations } from './mutations.js'
import { payoutMutations } from './payoutMutations.js'
import { processMutations } from './processMutations.js'

export const allMutations = [
  ...mutations,
  ...chainMutations,
  ...feeMutations,
  ...payoutMutations,
  ...processMutations,
  ...contractMutations,
]
