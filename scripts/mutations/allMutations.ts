import { chainMutations } from './chainMutations.js'
import { contractMutations } from './contractMutations.js'
import { depositMutations } from './depositMutations.js'
import { feeMutations } from './feeMutations.js'
import { laneMutations } from './laneMutations.js'
import { mutations } from './mutations.js'
import { nodeMutations } from './nodeMutations.js'
import { payoutMutations } from './payoutMutations.js'
import { processMutations } from './processMutations.js'

export const allMutations = [
  ...mutations,
  ...chainMutations,
  ...depositMutations,
  ...feeMutations,
  ...laneMutations,
  ...nodeMutations,
  ...payoutMutations,
  ...processMutations,
  ...contractMutations,
]
