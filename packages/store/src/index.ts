export type { StepStores, Stores, TransactionOptions, TransactionStores } from './stores.ts';
export type { Change, ChangeFeed, ChangeKind, ChangePage, ChangeStore, StoredChange } from './changes.ts';
export type { LiveStream, LiveStreamStore, LiveSubscription } from './live-streams.ts';
export { systemClock } from './clock.ts';
export type { Clock } from './clock.ts';
export { createDatabaseClock } from './database-clock.ts';
export type { DatabaseClock, DatabaseClockOptions } from './database-clock.ts';
export { composeStores } from './compose-stores.ts';
export type { OwnStores } from './compose-stores.ts';
export { deleteInBatches } from './delete-in-batches.ts';
export { isQueryTooExpensive, MigrationError, queryTooExpensive, storeConflict, storeUnavailable } from './errors.ts';
export type {
  MigrateOptions,
  MigrationOutcome,
  MigrationPlan,
  MigrationProgress,
  MigrationStep,
  PlannedStep,
  OwnMigration,
} from './migration.ts';
export type { AppSql, AppSqlRow, AppSqlValue, RowSchema } from './app-sql.ts';
export type { Page, PageRequest } from './paging.ts';
export { compareCodePoints, isStorableText, toUserId } from './values.ts';
export type { EventId, JsonObject, JsonValue, SessionId, UserId } from './values.ts';
export type { CounterStore } from './counters.ts';
export type { Cause, EventRecord, EventStore, NewEvent } from './events.ts';

export type { MailTokenRecord, MailTokenStore } from './auth/mail-tokens.ts';
export type { MfaRecord, MfaStore, PendingMfa, StoredMfaSecret } from './auth/mfa.ts';
export type { OAuthAccountRecord, OAuthAccountStore } from './auth/oauth-accounts.ts';
export type { OneTimeIdStore } from './auth/one-time-ids.ts';
export type {
  CheckedSession,
  RateLimitAttempt,
  RateLimitResult,
  RateLimitStore,
  SessionAttempt,
} from './auth/rate-limits.ts';
export { isKnownToken, toRefreshTokenHash } from './auth/sessions.ts';
export type {
  AuthenticationMethod,
  CreatedSession,
  NewSession,
  OwnRevocation,
  Revocation,
  SessionRecord,
  SessionStore,
  SessionTerms,
  SessionWithUser,
} from './auth/sessions.ts';
export type { NewUser, PasswordHashes, UnfinishedStep, UserRecord, UserStore } from './auth/users.ts';

export type { FlagKey, FlagStore } from './access/flags.ts';
export { maxGroupDepth } from './access/groups.ts';
export type { AddMemberOutcome, Group, GroupStore, Membership, RoleHolder } from './access/groups.ts';
export { maxHierarchyDepth } from './access/hierarchy.ts';
export type {
  AttachOutcome,
  HierarchyStore as ClosureStore,
  HierarchyStore,
  MoveEnds,
  MoveOutcome,
  RelatedResource,
  Resource,
  ResourceEdge,
} from './access/hierarchy.ts';
export { RequiredRoles } from './access/inheritance.ts';
export type { InheritanceRule, RoleKind } from './access/inheritance.ts';
export type {
  GrantedPage,
  GrantedResources,
  Grant,
  GrantedRoles,
  GrantedUsers,
  GrantsWithin,
  GroupRole,
  RoleAssignment,
  RoleAssignmentStore,
  RoleByGroup,
  RolesOfOthers,
  RolesOfType,
  UserPath,
  UserGrant,
  UserRole,
} from './access/role-assignments.ts';
export type {
  AttachedAddOn,
  LimitOverride,
  NewSubscription,
  SubscriptionRecord,
  SubscriptionStore,
  TenantAddOn,
  TenantPlans,
} from './access/subscriptions.ts';
export type {
  LatestUsage,
  TenantSnapshot,
  TenantSnapshotQuery,
  TenantSnapshotStore,
} from './access/tenant-snapshots.ts';
export type {
  ConsumeOutcome,
  Consumption,
  WalletCounter,
  WalletDebit,
  WalletEntry,
  WalletReceipt,
  WalletStore,
} from './access/wallets.ts';

export type {
  AggregateFunction,
  EntityAggregation,
  EntityChange,
  EntityCondition,
  EntityGroup,
  EntityGroups,
  EntityListing,
  EntityPage,
  EntityRecord,
  EntityRow,
  NewEntityRow,
  EntityStore,
  EntityValue,
  EntityValues,
  Measure,
  QueryBounds,
  RelatedListing,
} from './entity/entities.ts';
export { toDecimal } from './decimal.ts';
export type { DecimalSize } from './decimal.ts';
export { isDate, isEntityId, parseIndexPart } from './entity/entity-table.ts';
export type {
  ColumnType,
  EntityColumn,
  EntityKey,
  EntityReference,
  EntityTable,
  ExistingTable,
  PartialIndex,
} from './entity/entity-table.ts';
export type { Reference, SortKey } from './entity/sort-key.ts';
