/** Whom a decision about access is for: a user in a tenant, as far as a JWT tells. */
export interface AccessSubject {
  readonly userId: string;
  readonly tenantId: string | null;
  readonly role: string;
  /** When a second factor was last verified in the session. */
  readonly secondFactorAt: Date | null;
}

/** What a user may do, in the form that is sent. Auth passes it on without looking inside. */
export interface ComputedAccessSet {
  /** Plain data. */
  readonly set: object;
  /** Changes whenever the set changes. Letters, digits, `-` and `_`. */
  readonly hash: string;
}

/** Computes what a user may do now. Errors of the stores are passed on. */
export type AccessSetPort = (subject: AccessSubject) => Promise<ComputedAccessSet>;

/** The `acl` claim of a JWT: the user's access set, or that it is too large and has to be requested. Advisory only. */
export type AccessClaim = ComputedAccessSet | { readonly hash: string; readonly overflow: true };

/** The largest encoded set that a JWT may carry, in bytes of JSON. */
const maxSetBytes = 2048;

/**
 * Lists the possible claims for an access set, the most detailed first. The last is no claim, for when the cookie has
 * no room.
 */
export function toAccessClaims(access: ComputedAccessSet | null): readonly (AccessClaim | undefined)[] {
  if (access === null) return [undefined];
  const { set, hash } = access;
  const overflow = { hash, overflow: true } as const;
  return Buffer.byteLength(JSON.stringify(set)) > maxSetBytes
    ? [overflow, undefined]
    : [{ set, hash }, overflow, undefined];
}

/** Says whether a member of a payload is an access claim. */
export function isAccessClaim(value: unknown): value is AccessClaim {
  if (typeof value !== 'object' || value === null) return false;
  const { hash, set, overflow }: { hash?: unknown; set?: unknown; overflow?: unknown } = value;
  return typeof hash === 'string' && ((typeof set === 'object' && set !== null) || overflow === true);
}
