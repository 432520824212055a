// This file is generated from openapi.yaml by scripts/generate.ts

import type * as wire from './types.gen.js'

/** An operation is its method and path; its type also holds what it takes and what it answers. */
export type Operation<Data, Reply> = string & { readonly takes?: Data; readonly answers?: Reply }

/** List actions */
export const listActions = 'GET /actions' as Operation<
  wire.ListActionsData,
  wire.ListActionsResponse
>

/** Create an action */
export const createAction = 'POST /actions' as Operation<
  wire.CreateActionData,
  wire.CreateActionResponse
>

/** Get an action */
export const getAction = 'GET /actions/{actionId}' as Operation<
  wire.GetActionData,
  wire.GetActionResponse
>

/** Follow an action as server-sent events */
export const streamActionEvents = 'GET /actions/{actionId}/events' as Operation<
  wire.StreamActionEventsData,
  wire.StreamActionEventsResponse
>

/** Get an intent of an action */
export const getIntent = 'GET /actions/{actionId}/intents/{intentIndex}' as Operation<
  wire.GetIntentData,
  wire.GetIntentResponse
>

/** Get a step of an intent */
export const getStep = 'GET /actions/{actionId}/intents/{intentIndex}/steps/{stepIndex}' as Operation<
  wire.GetStepData,
  wire.GetStepResponse
>

/** Execute a step of an intent */
export const executeStep = 'POST /actions/{actionId}/intents/{intentIndex}/steps/{stepIndex}' as Operation<
  wire.ExecuteStepData,
  wire.ExecuteStepResponse
>

/** Query venue transaction hashes of a user */
export const queryVenueTxHashes = 'GET /venue-tx-hashes' as Operation<
  wire.QueryVenueTxHashesData,
  wire.QueryVenueTxHashesResponse
>

/** Record a venue transaction hash */
export const recordVenueTxHash = 'POST /venue-tx-hashes' as Operation<
  wire.RecordVenueTxHashData,
  wire.RecordVenueTxHashResponse
>

/** Verify a venue transaction hash */
export const verifyVenueTxHash = 'GET /venue-tx-hashes/verify/{txHash}' as Operation<
  wire.VerifyVenueTxHashData,
  wire.VerifyVenueTxHashResponse
>

/** Record a deposit or a withdrawal */
export const recordDeposit = 'POST /coredeposit' as Operation<
  wire.RecordDepositData,
  wire.RecordDepositResponse
>

/** Get a user's balances */
export const getBalances = 'GET /coredeposit/{address}' as Operation<
  wire.GetBalancesData,
  wire.GetBalancesResponse
>

/** Request tokens on a test chain */
export const requestAirdrop = 'POST /airdrop/{chainId}/{tokenId}' as Operation<
  wire.RequestAirdropData,
  wire.RequestAirdropResponse
>

/** List the chains and tokens */
export const listChains = 'GET /chains' as Operation<
  wire.ListChainsData,
  wire.ListChainsResponse
>

/** Health of the service */
export const getHealth = 'GET /health' as Operation<
  wire.GetHealthData,
  wire.GetHealthResponse
>

/** Is the process alive? */
export const getLiveness = 'GET /livez' as Operation<
  wire.GetLivenessData,
  wire.GetLivenessResponse
>

/** Is the process ready for requests? */
export const getReadiness = 'GET /readyz' as Operation<
  wire.GetReadinessData,
  wire.GetReadinessResponse
>

/** This document as YAML */
export const getOpenapiYaml = 'GET /openapi.yaml' as Operation<
  wire.GetOpenapiYamlData,
  wire.GetOpenapiYamlResponse
>

/** This document as JSON */
export const getOpenapiJson = 'GET /openapi.json' as Operation<
  wire.GetOpenapiJsonData,
  wire.GetOpenapiJsonResponse
>

/** The interactive reference */
export const getDocs = 'GET /docs' as Operation<
  wire.GetDocsData,
  wire.GetDocsResponse
>

/** The explorer's search page */
export const getExplorer = 'GET /explorer' as Operation<
  wire.GetExplorerData,
  wire.GetExplorerResponse
>

/** The explorer's page of an action */
export const getExplorerAction = 'GET /explorer/{actionId}' as Operation<
  wire.GetExplorerActionData,
  wire.GetExplorerActionResponse
>

/** Submit a cross-chain transaction */
export const submitTransaction = 'POST /transaction/submit' as Operation<
  wire.SubmitTransactionData,
  wire.SubmitTransactionResponse
>

/** Get the status of an intent's step */
export const getLegacyStepStatus = 'GET /intent/{intentId}/step/{stepId}/status' as Operation<
  wire.GetLegacyStepStatusData,
  wire.GetLegacyStepStatusResponse
>
