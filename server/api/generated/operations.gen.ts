// This file is generated from openapi.yaml by scripts/generate.ts

import type * as wire from './types.gen.js'

/** What each operation takes, and its replies by status. `stream` marks the events of an event stream. */
export type Operations = {
  /** GET /actions */
  listActions: {
    request: wire.ListActionsData
    replies: {
      200: wire.ListActionsResponses[200]
      400: wire.ListActionsErrors[400]
      429: wire.ListActionsErrors[429]
      500: wire.ListActionsErrors[500]
      503: wire.ListActionsErrors[503]
    }
  }
  /** POST /actions */
  createAction: {
    request: wire.CreateActionData
    replies: {
      201: wire.CreateActionResponses[201]
      400: wire.CreateActionErrors[400]
      413: wire.CreateActionErrors[413]
      415: wire.CreateActionErrors[415]
      429: wire.CreateActionErrors[429]
      500: wire.CreateActionErrors[500]
      503: wire.CreateActionErrors[503]
    }
  }
  /** GET /actions/{actionId} */
  getAction: {
    request: wire.GetActionData
    replies: {
      200: wire.GetActionResponses[200]
      400: wire.GetActionErrors[400]
      404: wire.GetActionErrors[404]
      429: wire.GetActionErrors[429]
      500: wire.GetActionErrors[500]
      503: wire.GetActionErrors[503]
    }
  }
  /** GET /actions/{actionId}/events */
  streamActionEvents: {
    request: wire.StreamActionEventsData
    replies: {
      200: { stream: wire.StreamActionEventsResponses[200] }
      204: wire.StreamActionEventsResponses[204]
      400: wire.StreamActionEventsErrors[400]
      404: wire.StreamActionEventsErrors[404]
      429: wire.StreamActionEventsErrors[429]
      500: wire.StreamActionEventsErrors[500]
      503: wire.StreamActionEventsErrors[503]
    }
  }
  /** GET /actions/{actionId}/intents/{intentIndex} */
  getIntent: {
    request: wire.GetIntentData
    replies: {
      200: wire.GetIntentResponses[200]
      400: wire.GetIntentErrors[400]
      404: wire.GetIntentErrors[404]
      429: wire.GetIntentErrors[429]
      500: wire.GetIntentErrors[500]
      503: wire.GetIntentErrors[503]
    }
  }
  /** GET /actions/{actionId}/intents/{intentIndex}/steps/{stepIndex} */
  getStep: {
    request: wire.GetStepData
    replies: {
      200: wire.GetStepResponses[200]
      400: wire.GetStepErrors[400]
      404: wire.GetStepErrors[404]
      429: wire.GetStepErrors[429]
      500: wire.GetStepErrors[500]
      503: wire.GetStepErrors[503]
    }
  }
  /** POST /actions/{actionId}/intents/{intentIndex}/steps/{stepIndex} */
  executeStep: {
    request: wire.ExecuteStepData
    replies: {
      200: wire.ExecuteStepResponses[200]
      202: wire.ExecuteStepResponses[202]
      400: wire.ExecuteStepErrors[400]
      404: wire.ExecuteStepErrors[404]
      413: wire.ExecuteStepErrors[413]
      415: wire.ExecuteStepErrors[415]
      429: wire.ExecuteStepErrors[429]
      500: wire.ExecuteStepErrors[500]
      503: wire.ExecuteStepErrors[503]
    }
  }
  /** GET /venue-tx-hashes */
  queryVenueTxHashes: {
    request: wire.QueryVenueTxHashesData
    replies: {
      200: wire.QueryVenueTxHashesResponses[200]
      400: wire.QueryVenueTxHashesErrors[400]
      429: wire.QueryVenueTxHashesErrors[429]
      500: wire.QueryVenueTxHashesErrors[500]
      503: wire.QueryVenueTxHashesErrors[503]
    }
  }
  /** POST /venue-tx-hashes */
  recordVenueTxHash: {
    request: wire.RecordVenueTxHashData
    replies: {
      200: wire.RecordVenueTxHashResponses[200]
      400: wire.RecordVenueTxHashErrors[400]
      413: wire.RecordVenueTxHashErrors[413]
      415: wire.RecordVenueTxHashErrors[415]
      429: wire.RecordVenueTxHashErrors[429]
      500: wire.RecordVenueTxHashErrors[500]
      503: wire.RecordVenueTxHashErrors[503]
    }
  }
  /** GET /venue-tx-hashes/verify/{txHash} */
  verifyVenueTxHash: {
    request: wire.VerifyVenueTxHashData
    replies: {
      200: wire.VerifyVenueTxHashResponses[200]
      400: wire.VerifyVenueTxHashErrors[400]
      404: wire.VerifyVenueTxHashErrors[404]
      429: wire.VerifyVenueTxHashErrors[429]
      500: wire.VerifyVenueTxHashErrors[500]
      503: wire.VerifyVenueTxHashErrors[503]
    }
  }
  /** POST /coredeposit */
  recordDeposit: {
    request: wire.RecordDepositData
    replies: {
      200: wire.RecordDepositResponses[200]
      202: wire.RecordDepositResponses[202]
      400: wire.RecordDepositErrors[400]
      413: wire.RecordDepositErrors[413]
      415: wire.RecordDepositErrors[415]
      429: wire.RecordDepositErrors[429]
      500: wire.RecordDepositErrors[500]
      503: wire.RecordDepositErrors[503]
    }
  }
  /** GET /coredeposit/{address} */
  getBalances: {
    request: wire.GetBalancesData
    replies: {
      200: wire.GetBalancesResponses[200]
      400: wire.GetBalancesErrors[400]
      429: wire.GetBalancesErrors[429]
      500: wire.GetBalancesErrors[500]
      503: wire.GetBalancesErrors[503]
    }
  }
  /** POST /airdrop/{chainId}/{tokenId} */
  requestAirdrop: {
    request: wire.RequestAirdropData
    replies: {
      200: wire.RequestAirdropResponses[200]
      202: wire.RequestAirdropResponses[202]
      400: wire.RequestAirdropErrors[400]
      413: wire.RequestAirdropErrors[413]
      415: wire.RequestAirdropErrors[415]
      429: wire.RequestAirdropErrors[429]
      500: wire.RequestAirdropErrors[500]
      503: wire.RequestAirdropErrors[503]
    }
  }
  /** GET /chains */
  listChains: {
    request: wire.ListChainsData
    replies: {
      200: wire.ListChainsResponses[200]
      429: wire.ListChainsErrors[429]
      500: wire.ListChainsErrors[500]
    }
  }
  /** GET /health */
  getHealth: {
    request: wire.GetHealthData
    replies: {
      200: wire.GetHealthResponses[200]
      500: wire.GetHealthErrors[500]
      503: wire.GetHealthErrors[503]
    }
  }
  /** GET /livez */
  getLiveness: {
    request: wire.GetLivenessData
    replies: {
      200: wire.GetLivenessResponses[200]
      500: wire.GetLivenessErrors[500]
    }
  }
  /** GET /readyz */
  getReadiness: {
    request: wire.GetReadinessData
    replies: {
      200: wire.GetReadinessResponses[200]
      500: wire.GetReadinessErrors[500]
      503: wire.GetReadinessErrors[503]
    }
  }
  /** GET /openapi.yaml */
  getOpenapiYaml: {
    request: wire.GetOpenapiYamlData
    replies: {
      200: wire.GetOpenapiYamlResponses[200]
      429: wire.GetOpenapiYamlErrors[429]
      500: wire.GetOpenapiYamlErrors[500]
    }
  }
  /** GET /openapi.json */
  getOpenapiJson: {
    request: wire.GetOpenapiJsonData
    replies: {
      200: wire.GetOpenapiJsonResponses[200]
      429: wire.GetOpenapiJsonErrors[429]
      500: wire.GetOpenapiJsonErrors[500]
    }
  }
  /** GET /docs */
  getDocs: {
    request: wire.GetDocsData
    replies: {
      200: wire.GetDocsResponses[200]
      429: wire.GetDocsErrors[429]
      500: wire.GetDocsErrors[500]
    }
  }
  /** GET /explorer */
  getExplorer: {
    request: wire.GetExplorerData
    replies: {
      200: wire.GetExplorerResponses[200]
      429: wire.GetExplorerErrors[429]
      500: wire.GetExplorerErrors[500]
    }
  }
  /** GET /explorer/{actionId} */
  getExplorerAction: {
    request: wire.GetExplorerActionData
    replies: {
      200: wire.GetExplorerActionResponses[200]
      400: wire.GetExplorerActionErrors[400]
      429: wire.GetExplorerActionErrors[429]
      500: wire.GetExplorerActionErrors[500]
    }
  }
  /** POST /transaction/submit */
  submitTransaction: {
    request: wire.SubmitTransactionData
    replies: {
      200: wire.SubmitTransactionResponses[200]
      400: wire.SubmitTransactionErrors[400]
      413: wire.SubmitTransactionErrors[413]
      415: wire.SubmitTransactionErrors[415]
      429: wire.SubmitTransactionErrors[429]
      500: wire.SubmitTransactionErrors[500]
      503: wire.SubmitTransactionErrors[503]
    }
  }
  /** GET /intent/{intentId}/step/{stepId}/status */
  getLegacyStepStatus: {
    request: wire.GetLegacyStepStatusData
    replies: {
      200: wire.GetLegacyStepStatusResponses[200]
      400: wire.GetLegacyStepStatusErrors[400]
      404: wire.GetLegacyStepStatusErrors[404]
      429: wire.GetLegacyStepStatusErrors[429]
      500: wire.GetLegacyStepStatusErrors[500]
      503: wire.GetLegacyStepStatusErrors[503]
    }
  }
}

export const operationIds = [
  'listActions',
  'createAction',
  'getAction',
  'streamActionEvents',
  'getIntent',
  'getStep',
  'executeStep',
  'queryVenueTxHashes',
  'recordVenueTxHash',
  'verifyVenueTxHash',
  'recordDeposit',
  'getBalances',
  'requestAirdrop',
  'listChains',
  'getHealth',
  'getLiveness',
  'getReadiness',
  'getOpenapiYaml',
  'getOpenapiJson',
  'getDocs',
  'getExplorer',
  'getExplorerAction',
  'submitTransaction',
  'getLegacyStepStatus',
] as const satisfies readonly (keyof Operations)[]
