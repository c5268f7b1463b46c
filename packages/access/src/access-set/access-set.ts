import type { AccessCheck } from '../decision/access-check.ts';

/**
 * What one user may do in one tenant, for a client to display. It is advisory: the server decides again whatever the
 * client does with it. The records of a decoded set have no prototype, so looking up a name never finds an inherited
 * property.
 */
export interface AccessSet {
  /** All entitlements, by name. */
  readonly entitlements: Readonly<Record<string, AccessCheck>>;
  /** The tenant's plans, by group. */
  readonly plans: Readonly<Record<string, string>>;
}

/** An access set in the form that is sent. An entitlement that is missing from it is denied for lack of a role. */
export interface EncodedAccessSet {
  /** The names of allowed entitlements. */
  readonly allow: readonly string[];
  /** Denied entitlements, with what would change the denial. */
  readonly deny: Readonly<Record<string, Pick<AccessCheck, 'reasons' | 'meta'>>>;
  readonly plans: Readonly<Record<string, string>>;
}
