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
export type { SortKey } from './entity/sort-key.ts';
export { MigrationError, storeConflict, storeUnavailable } from './errors.ts';
export type { EventRecord, EventStore, NewEvent } from './events.ts';
export type { FlagKey, FlagStore } from './flags.ts';
export type { EventId, SessionId, UserId } from './id.ts';
export type { JsonObject, JsonValue } from './json.ts';
export type { MailTokenRecord, MailTokenStore } from './mail-tokens.ts';
export type { MfaRecord, MfaStore, PendingMfa } from './mfa.ts';
export type { OAuthAccountRecord, OAuthAccountStore } from './oauth-accounts.ts';
export type { OneTimeIdStore } from './one-time-ids.ts';
export type { Page, PageRequest } from './paging.ts';
export type { CheckedSession, RateLimitAttempt, RateLimitStore, RateLimitResult } from './rate-limits.ts';
export { toRefreshTokenHash } from './refresh-token-hash.ts';
export type { Resource } from './resource.ts';
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
export { isStorableText } from './storable-text.ts';
export type { Stores, TransactionOptions, TransactionStores } from './stores.ts';
export type {
  AttachedAddOn,
  LimitOverride,
  SubscriptionRecord,
  SubscriptionStore,
  TenantPlans,
} from './subscriptions.ts';
export type { NewUser, UserRecord, UserStore } from './users.ts';
export { compareCodePoints } from './where/compare-code-points.ts';
export type {
  Consumption,
  ConsumeOutcome,
  WalletCounter,
  WalletDebit,
  WalletEntry,
  WalletReceipt,
  WalletStore,
} from './wallets.ts';
