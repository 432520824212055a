import { adoptionMutations } from './adoptionMutations.js'
import { chainMutations } from './chainMutations.js'
import { contractMutations } from './contractMutations.js'
import { depositMutations } from './depositMutations.js'
import { feeMutations } from './feeMutations.js'
import { laneMutations } from './laneMutations.js'
import { nodeMutations } from './nodeMutations.js'
import { payoutMutations } from './payoutMutations.js'
import { processMutations } from './processMutations.js'
import { sendMutations } from './sendMutations.js'
import { stepMutations } from './stepMutations.js'

export const allMutations = [
  ...sendMutations,
  ...stepMutations,
  ...adoptionMutations,
  ...chainMutations,
  ...depositMutations,
  ...feeMutations,
  ...laneMutations,
  ...nodeMutations,
  ...payoutMutations,
  ...processMutations,
  ...contractMutations,
]
