import { findInputProblem, isObject } from '@x/errors';
import type { JsonObject, SessionId, UserId } from '@x/store';

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
  /**
   * When the user last proved in the session who they are, in seconds since the epoch.
   *
   * @see OpenID Connect Core 1.0 section 2
   */
  readonly auth_time: number;
  /** When a second factor was last verified, in seconds since the epoch; absent without one. */
  readonly fva?: number;
  /** The claim about the user's access set; absent if the app has none. */
  readonly acl?: AccessClaim;
  /** The result of the app's `claims(user)`. On the wire these are members of the payload itself. */
  readonly custom: JsonObject;
}

/** The claims that auth sets, and the checks of their values. */
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
  user: isObject,
  auth_time: isNonNegativeInteger,
  fva: (value) => value === undefined || isNonNegativeInteger(value),
  acl: (value) => value === undefined || isAccessClaim(value),
};

type RegisteredClaims = Omit<AccessTokenClaims, 'custom'>;

/** The names of the claims that the app's own can't replace: those that auth sets, and `nbf`, which verifiers obey. */
export const registeredClaimNames: ReadonlySet<string> = new Set([...Object.keys(memberTypes), 'nbf']);

/** A JSON object as a token carries it. */
export type Payload = Readonly<Record<string, unknown>>;

/** Converts claims to the payload of a token, without custom ones that use a registered name. */
export function toPayload({ custom, ...registered }: AccessTokenClaims): Payload {
  return { ...pickCustom(custom), ...registered };
}

/**
 * Converts the payload of a token to claims; null if a member is missing or has the wrong type, or if a key in a custom
 * one could reach a prototype: we issue no such token.
 */
export function fromPayload(payload: Payload): AccessTokenClaims | null {
  const isComplete = Object.entries(memberTypes).every(([name, isValid]) => isValid(payload[name]));
  if (!isComplete) return null;
  const custom = pickCustom(payload);
  if (findInputProblem(custom)) return null;
  const registered = Object.entries(payload).filter(([name]) => Object.hasOwn(memberTypes, name));
  return { ...Object.fromEntries(registered), custom } as unknown as AccessTokenClaims;
}

function pickCustom<Value>(payload: Readonly<Record<string, Value>>): Readonly<Record<string, Value>> {
  return Object.fromEntries(Object.entries(payload).filter(([name]) => !registeredClaimNames.has(name)));
}

/** Whom a decision about access is for: a user in a tenant, as far as a JWT tells. */
export interface AccessSubject {
  readonly userId: string;
  /** The session of the request; absent while a JWT is being issued. */
  readonly sessionId?: string;
  readonly tenantId: string | null;
  readonly role: string;
  /** When a second factor was last verified in the session. */
  readonly secondFactorAt: Date | null;
}

/** The access set of a user, in the form that is sent. Auth passes it on without looking inside. */
export interface ComputedAccessSet {
  /** Plain data. */
  readonly set: object;
  /** Changes whenever the set changes. Letters, digits, `-` and `_`. */
  readonly hash: string;
}

/** Computes the access set that a user has now. Errors of the stores are passed on. */
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
function isAccessClaim(value: unknown): value is AccessClaim {
  if (typeof value !== 'object' || value === null) return false;
  const { hash, set, overflow }: { hash?: unknown; set?: unknown; overflow?: unknown } = value;
  return typeof hash === 'string' && ((typeof set === 'object' && set !== null) || overflow === true);
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
