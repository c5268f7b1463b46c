import type { JsonObject, SessionId, UserId } from '@x/store';
import { type AccessClaim, isAccessClaim } from './access-claim.ts';

/** The claims of an access token, named as on the wire. */
export interface AccessTokenClaims {
  readonly iss: string;
  readonly aud: string;
  readonly sub: UserId;
  readonly sid: SessionId;
  readonly jti: string;
  /** Seconds since the epoch. */
  readonly iat: number;
  /** Seconds since the epoch; from this moment on, the token is no longer valid. */
  readonly exp: number;
  readonly email: string;
  readonly emailVerified: boolean;
  readonly role: string;
  readonly tenantId: string | null;
  /** The `ver` of the session row when the token was issued. */
  readonly ver: number;
  /** The rest of the public user: `createdAt`, `updatedAt` and the app's public fields. */
  readonly user: JsonObject;
  /** When a second factor was last verified, in seconds since the epoch; absent without one. */
  readonly fva?: number;
  /** The claim about the user's access set; absent if the app has none. */
  readonly acl?: AccessClaim;
  /** What the app's `claims(user)` returned. On the wire these are members of the payload itself. */
  readonly custom: JsonObject;
}

/** The claims that auth sets, and what their values must be. */
const memberTypes: Readonly<Record<keyof RegisteredClaims, (value: unknown) => boolean>> = {
  iss: isString,
  aud: isString,
  sub: isNonEmpty,
  sid: isNonEmpty,
  jti: isNonEmpty,
  iat: isNonNegativeInteger,
  exp: isNonNegativeInteger,
  email: isString,
  emailVerified: (value) => typeof value === 'boolean',
  role: isString,
  tenantId: (value) => value === null || isString(value),
  ver: isNonNegativeInteger,
  user: (value) => typeof value === 'object' && value !== null && !Array.isArray(value),
  fva: (value) => value === undefined || isNonNegativeInteger(value),
  acl: (value) => value === undefined || isAccessClaim(value),
};

type RegisteredClaims = Omit<AccessTokenClaims, 'custom'>;

/** The names of the claims that the app's own can't replace: those that auth sets, and `nbf`, which verifiers obey. */
export const registeredClaimNames: ReadonlySet<string> = new Set([...Object.keys(memberTypes), 'nbf']);

/** A JSON object as a token carries it. */
export type Payload = Readonly<Record<string, unknown>>;

/** Returns the claims without custom ones that use a registered name, as a token can carry them. */
export function withoutCollisions<Claims extends Pick<AccessTokenClaims, 'custom'>>(claims: Claims): Claims {
  return { ...claims, custom: pickCustom(claims.custom) };
}

/** Converts claims to the payload of a token. The custom ones must be {@link withoutCollisions}. */
export function toPayload({ custom, ...registered }: AccessTokenClaims): Payload {
  return { ...custom, ...registered };
}

/** Converts the payload of a token to claims; null if a member is missing or has the wrong type. */
export function fromPayload(payload: Payload): AccessTokenClaims | null {
  const isComplete = Object.entries(memberTypes).every(([name, isValid]) => isValid(payload[name]));
  if (!isComplete) return null;
  const registered = Object.entries(payload).filter(([name]) => Object.hasOwn(memberTypes, name));
  return { ...Object.fromEntries(registered), custom: pickCustom(payload) } as unknown as AccessTokenClaims;
}

function pickCustom<Value>(payload: Readonly<Record<string, Value>>): Readonly<Record<string, Value>> {
  const isCustom = (name: string): boolean => !registeredClaimNames.has(name) && name !== '__proto__';
  return Object.fromEntries(Object.entries(payload).filter(([name]) => isCustom(name)));
}

function isString(value: unknown): boolean {
  return typeof value === 'string';
}

function isNonEmpty(value: unknown): boolean {
  return typeof value === 'string' && value !== '';
}

function isNonNegativeInteger(value: unknown): boolean {
  return Number.isSafeInteger(value) && Number(value) >= 0;
}
