import type { ComputedAccessSet } from './access-set-port.ts';

/** What a JWT says of its user's access set: the set, or that it is to be asked for. It advises, and authorizes nothing. */
export type AccessClaim = ComputedAccessSet | { readonly hash: string; readonly overflow: true };

/** What an encoded set may take in a JWT, in bytes of JSON. */
const maxSetBytes = 2048;

/** Lists what a JWT may say of an access set, the most telling first; the last is nothing, for want of room in a cookie. */
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
