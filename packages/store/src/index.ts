export { assertAmount, assertMoment, maxConsumed } from './amounts.ts';
export { checkDebits, checkEntries } from './checked-debits.ts';
export type { CheckedDebit, CheckedEntry } from './checked-debits.ts';
export { checkOverrides } from './checked-overrides.ts';
export { systemClock } from './clock.ts';
export type { Clock } from './clock.ts';
export { maxHierarchyDepth } from './closure.ts';
export type {
  AttachOutcome,
  HierarchyStore as ClosureStore,
  HierarchyStore,
  MoveOutcome,
  RelatedResource,
} from './closure.ts';
export type { CounterStore } from './counters.ts';
export { assertReference, assertSortable, checkEntityRow, checkEntityValues } from './entity/check-entity-row.ts';
export type {
  EntityChange,
  EntityCondition,
  EntityListing,
  EntityRecord,
  EntityRow,
  EntityStore,
  EntityValue,
  EntityValues,
  RelatedListing,
} from './entity/entity-store.ts';
export type { ColumnType, EntityColumn, EntityReference, EntityTable } from './entity/entity-table.ts';
export { compareSortKeys, readSortKey } from './entity/sort-key.ts';
export type { SortKey } from './entity/sort-key.ts';
export { MigrationError, storeConflict, storeUnavailable, tableMissing } from './errors.ts';
export type { EventRecord, EventStore, NewEvent } from './events.ts';
export type { FlagKey, FlagStore } from './flags.ts';
export type { EventId, SessionId, UserId } from './id.ts';
export type { JsonObject, JsonValue } from './json.ts';
export type { MailTokenRecord, MailTokenStore } from './mail-tokens.ts';
export type { MfaRecord, MfaStore, PendingMfa } from './mfa.ts';
export type { OAuthAccountRecord, OAuthAccountStore } from './oauth-accounts.ts';
export type { OneTimeIdStore } from './one-time-ids.ts';
export { parseCursor, toCursor, toPage } from './paging.ts';
export type { Page, PageRequest, TimeKey } from './paging.ts';
export type { CheckedSession, RateLimitAttempt, RateLimitStore, RateLimitResult } from './rate-limits.ts';
export { sessionIdOfHash, toRefreshTokenHash } from './refresh-token-hash.ts';
export type { Resource } from './resource.ts';
export { RevocationListeners } from './revocation-listeners.ts';
export type { GrantedResources, GrantedRoles, RoleAssignment, RoleAssignmentStore } from './role-assignments.ts';
export { RequiredRoles } from './role-goal.ts';
export type { InheritanceRule, RoleKind } from './role-hop.ts';
export type {
  CreatedSession,
  NewSession,
  OwnRevocation,
  Revocation,
  SessionRecord,
  SessionStore,
  SessionTerms,
  SessionWithUser,
} from './sessions.ts';
export type { LatestUsage, TenantSnapshot, TenantSnapshotQuery, TenantSnapshotStore } from './standings.ts';
export { assertStorableText, isStorableText, unstorableText } from './storable-text.ts';
export type { Stores, TransactionOptions, TransactionStores } from './stores.ts';
export type {
  AttachedAddOn,
  LimitOverride,
  SubscriptionRecord,
  SubscriptionStore,
  TenantPlans,
} from './subscriptions.ts';
export { maxWaitMs, Mutex } from './turns.ts';
export type { NewUser, UserRecord, UserStore } from './users.ts';
export { compareCodePoints } from './where/compare-code-points.ts';
export { toReceipt } from './wallet-receipt.ts';
export type {
  Consumption,
  ConsumeOutcome,
  WalletCounter,
  WalletDebit,
  WalletEntry,
  WalletReceipt,
  WalletStore,
} from './wallets.ts';
export { maxTransactionMs, withTimeLimit } from './with-time-limit.ts';
