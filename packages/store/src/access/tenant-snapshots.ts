import type { UserId } from '../values.ts';
import type { Resource } from './hierarchy.ts';
import type { GrantedRoles } from './role-assignments.ts';
import type { TenantPlans } from './subscriptions.ts';

/** A user, their current tenant, and the names to read about the two. */
export interface TenantSnapshotQuery {
  readonly userId: UserId;
  /** The tenant as a resource that roles are assigned on. Plans, flags and counters use its id. */
  readonly tenant: Resource;
  /** Names of flags. */
  readonly flags: readonly string[];
  /** Names of limits. */
  readonly limits: readonly string[];
}

/** The consumption of a limit, in the latest of its periods that anything was consumed in. */
export interface LatestUsage {
  readonly periodStart: Date;
  readonly consumed: number;
}

/** The roles of a user on a tenant, and the tenant's plans, flags and consumption. */
export interface TenantSnapshot {
  readonly granted: GrantedRoles;
  readonly plans: TenantPlans;
  /** The values that apply to the tenant, in the order of the names; null for a flag that is not set. */
  readonly flags: readonly (boolean | null)[];
  /**
   * In the order of the names; null for a limit that was never consumed. When the current period of a limit began
   * depends on the plans, which only the caller interprets: if it began later than this one, nothing has been consumed
   * in it.
   */
  readonly latestUsages: readonly (LatestUsage | null)[];
}

/** Reads from several other stores the state that nearly every question about a tenant itself depends on. */
export interface TenantSnapshotStore {
  /**
   * Does `readPaths` of the role assignments, `read` of the subscriptions and `readMany` of the flags, in one query and
   * as of one moment.
   */
  read(query: TenantSnapshotQuery): Promise<TenantSnapshot>;
}
