import type * as wire from '../../server/api/generated/types.gen.js'

export const actionId = '019a9c3e-5b7a-7c21-9d0e-3f6a8b2c4d5e'
/** A step under way, as it is told. */
export const step = {
  actionId,
  intentIndex: 0,
  stepIndex: 0,
  mode: '7702',
  chainId: 31337,
  status: 'executing',
  txid: null,
  transactionHash: null,
  blockNumber: null,
  confirmations: 0,
  requiredConfirmations: 1,
  attempts: 1,
  error: null,
  createdAt: '2026-11-20T13:12:03.706Z',
  updatedAt: '2026-11-20T13:12:03.706Z',
} as const satisfies wire.Step
