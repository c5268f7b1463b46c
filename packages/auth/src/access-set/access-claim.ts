import type { ComputedAccessSet } from './access-set-port.ts';

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
  return typeof value === 'object' && value !== null && 'hash' in value && typeof value.hash === 'string';
}
