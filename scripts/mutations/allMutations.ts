import { chainMutations } from './chainMutations.js'
import { contractMutations } from './contractMutations.js'
import { mutations } from './mutations.js'
import { payoutMutations } from './payoutMutations.js'
import { processMutations } from './processMutations.js'

export const allMutations = [
  ...mutations,
  ...chainMutations,
  ...payoutMutations,
  ...processMutations,
  ...contractMutations,
]
