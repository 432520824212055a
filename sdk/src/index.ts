export { createIntentClient, type IntentClient } from './client.js'
export type { ActionFilter, ExecuteOptions, IntentClientOptions } from './clientOptions.js'
export type {
  Action,
  ActionPage,
  ActionRequest,
  Chain,
  ChainAuthorization,
  ChainHealth,
  DepositRecord,
  DepositRequest,
  HealthReport,
  Intent,
  IntentRequest,
  Lane,
  LegacyTransactionRequest,
  OnDemandIntent,
  PresignIntent,
  Token,
  TokenBalance,
} from './amounts.js'
export { parseRequest, serializeRequest } from './amounts.js'
export type { GivenHeaders } from './checkOptions.js'
export type { Fetch, FetchInit } from './transport.js'
export type { AuthorizationDraft } from './authorizations.js'
export {
  CannotAuthorizeError,
  ChainMismatchError,
  IntentApiError,
  IntentConnectionError,
  IntentError,
  IntentTimeoutError,
  isIntentError,
  StepFailedError,
  UnregisteredPaymentError,
} from './errors.js'
export type { Expectation, PinnedChain } from './pins.js'
export type { IntentDraft, PreparedAction, PrepareOptions, SignOptions } from './prepareAction.js'
export type { Progress } from './progress.js'
export type { RunOptions } from './runAction.js'
export type { SendOptions } from './send.js'
export { signAuthorization, type SignedIntent, signIntent, type SigningAccount, signRegistration } from './sign.js'
// What only servers need, such as checks of others' signatures, is at ./signing alone.
export {
  authorizationDigest,
  batchHash,
  type Call,
  type ChainBatch,
  chainBatchHash,
  chainBatchStructHash,
  ecdsaIntentDigest,
  eip712IntentDigest,
  intentDigest,
  intentDomain,
  intentTypedData,
  registrationTypedData,
  registrationTypes,
  type SignatureType,
  type SignedAuthorization,
  type TokenTransfer,
  type UnsignedIntent,
} from './digests.js'
export { intentTypes } from './structHash.js'
export type { WaitOptions } from './waitForStep.js'
export type { TracedStep } from './openEvents.js'
export type { StepProgress, WatchOptions } from './watchAction.js'
export type {
  ActionCreated,
  CallOptions,
  ClientOptions,
  ErrorCode,
  Finding,
  FindingCode,
  HealthStatus,
  Issue,
  IssueCode,
  Mode,
  RequestHeaders,
  Status,
  Step,
  StepError,
  StepErrorCode,
  StepRef,
  VenueTxHash,
} from './wire.js'
