import type { UserId } from './id.ts';
import type { Resource } from './resource.ts';
import type { HeldRoles } from './role-assignments.ts';
import type { TenantPlans } from './subscriptions.ts';

/** A user, the tenant that they are at work in, and what is asked of the two. */
export interface StandingQuestion {
  readonly userId: UserId;
  /** What the tenant is among the resources that roles are held on. Plans, flags and counters go by its id. */
  readonly tenant: Resource;
  /** Names of flags. */
  readonly flags: readonly string[];
  /** Names of limits. */
  readonly limits: readonly string[];
}

/** How much of a limit was consumed in the latest of its periods that anything was consumed in. */
export interface LatestUse {
  readonly periodStart: Date;
  readonly consumed: number;
}

/** What a user holds on a tenant, and what that has. */
export interface Standing {
  readonly held: HeldRoles;
  readonly plans: TenantPlans;
  /** The values that count for the tenant, in the order of the names; null where there is none. */
  readonly flags: readonly (boolean | null)[];
  /**
   * In the order of the names; null of what was never consumed. When the current period of a limit began follows from the
   * plans, which only the caller understands: nothing was consumed in a period that began later than this one.
   */
  readonly latestUses: readonly (LatestUse | null)[];
}

/** Reads of several other stores what nearly every question on a tenant itself is decided by. */
export interface StandingStore {
  /**
   * Answers in one query and as of one moment what `readPaths` of the role assignments, `read` of the subscriptions and
   * `readMany` of the flags do.
   */
  read(question: StandingQuestion): Promise<Standing>;
}
