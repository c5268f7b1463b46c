import type { AccessCheck } from '../decision/access-check.ts';

/**
 * What one user may do in one tenant, for a client that shows it. It is advice: whatever is done with it, the server decides
 * again. The records of a decoded set have no prototype, so a name finds nothing that objects have by themselves.
 */
export interface AccessSet {
  /** All entitlements, by name. */
  readonly entitlements: Readonly<Record<string, AccessCheck>>;
  /** The tenant's plans, by group. */
  readonly plans: Readonly<Record<string, string>>;
}

/** An access set as it is sent: an entitlement that is not in it is denied for lack of a role. */
export interface EncodedAccessSet {
  /** The names of what is allowed. */
  readonly allow: readonly string[];
  /** What is denied and says what would change that. */
  readonly deny: Readonly<Record<string, Pick<AccessCheck, 'reasons' | 'meta'>>>;
  readonly plans: Readonly<Record<string, string>>;
}
