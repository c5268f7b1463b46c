import { type Awaitable, unauthenticated } from '@x/errors';
import type { JsonObject, JsonValue, SessionRecord, SessionWithUser, Stores } from '@x/store';
import type { EventDependencies } from '../events/events.ts';
import type { KeyRing } from '../keys/key-ring.ts';
import type { SigningAlgorithm } from '../keys/parse-pem-key.ts';
import type { LimitDependencies } from '../rate-limits/rate-limits.ts';
import { bearerToken, readCookie, sendsCookie } from '../request/headers.ts';
import type { AccessSetPort, AccessSubject, AccessTokenClaims } from '../token/claims.ts';
import type { AccessTokenIssuer } from '../token/issue.ts';
import type { AccessTokenVerifier } from '../token/verify.ts';
import type { NoFields, UserFields } from '../user/fields.ts';
import type { AuthHooks } from '../user/hooks.ts';
import type { User, UserConfig } from '../user/user.ts';
import { type CookieConfig, cookieName } from './cookies.ts';
import type { RefreshTokens } from './refresh-token.ts';
import type { RevokedSessions } from './revoked-sessions.ts';

/**
 * How long the previous refresh token stays good: so many milliseconds from the rotation, the last moment excluded, or
 * until its successor is presented.
 */
export type RefreshGrace = number | 'until-used';

/** The settings of sessions. */
export interface SessionConfig extends CookieConfig, UserConfig {
  readonly session: CookieConfig['session'] & {
    readonly strategy: 'jwt';
    /** In milliseconds, a multiple of 1000. */
    readonly ttl: number;
    /** In milliseconds, a multiple of 1000. */
    readonly refreshTtl: number;
    readonly refreshGrace: RefreshGrace;
    readonly algorithm: SigningAlgorithm;
  };
}

/** What sessions work with. */
export interface SessionDependencies {
  readonly config: SessionConfig;
  readonly stores: Stores;
  readonly accessTokens: AccessTokenIssuer & AccessTokenVerifier & Pick<KeyRing, 'jwks'>;
  readonly refreshTokens: RefreshTokens;
  readonly revokedSessions: RevokedSessions;
  /** The refreshes for pages that are in progress, by the hash of their token. */
  readonly refreshing: Map<string, Promise<RenderedSession>>;
  /** Returns the app's claims for a user's JWTs. */
  readonly claims: (user: User) => Awaitable<JsonObject>;
  /** Null if the app has no access sets. */
  readonly accessSet: AccessSetPort | null;
  readonly hooks: Pick<AuthHooks, 'beforeSignIn' | 'afterSignIn'>;
  readonly events: EventDependencies;
  readonly limits: LimitDependencies;
}

/** What the features that build on sessions work with; each adds its own. */
export interface FeatureDependencies extends Pick<SessionDependencies, 'stores' | 'events' | 'limits'> {
  readonly sessions: SessionDependencies;
}

/** The session that a request's valid JWT belongs to. */
export interface CurrentSession<Fields extends UserFields = NoFields> {
  readonly id: string;
  readonly user: User<Fields>;
  /** When the JWT expires. */
  readonly expiresAt: Date;
  /** What the app's `claims(user)` returned. */
  readonly claims: JsonObject;
}

/** The session that a page is rendered for. */
export interface RenderedSession<Fields extends UserFields = NoFields> {
  /** Null for a visitor. */
  readonly session: CurrentSession<Fields> | null;
  /** The `Set-Cookie` values to send with the page; empty unless the session was refreshed, or has ended. Secret. */
  readonly setCookie: readonly string[];
}

/**
 * Returns the session of a request, as its JWT alone says: no store is read. Null without a valid JWT, or if this
 * process knows that the session was revoked.
 */
export async function getSession(deps: VerifyDependencies, headers: Headers): Promise<CurrentSession | null> {
  const claims = await verifiedClaims(deps, headers);
  return claims && toCurrentSession(claims);
}

type VerifyDependencies = Pick<SessionDependencies, 'config' | 'accessTokens' | 'revokedSessions'>;

/** Returns the claims of a request's valid JWT, synchronously if they are cached; null if there is none. */
export function verifiedClaims(deps: VerifyDependencies, headers: Headers): Awaitable<AccessTokenClaims | null> {
  const token = presentedAccessToken(deps.config, headers);
  if (token === null) return null;
  const unlessRevoked = (claims: AccessTokenClaims | null): AccessTokenClaims | null =>
    claims === null || deps.revokedSessions.has(claims.sid, claims.ver) ? null : claims;
  const claims = deps.accessTokens.verify(token);
  return claims instanceof Promise ? claims.then(unlessRevoked) : unlessRevoked(claims);
}

/**
 * Returns the claims of a request's valid JWT.
 *
 * @throws CodedError `UNAUTHENTICATED` if there is none
 */
export async function requireClaims(deps: VerifyDependencies, headers: Headers): Promise<AccessTokenClaims> {
  const claims = await verifiedClaims(deps, headers);
  if (claims === null) throw unauthenticated();
  return claims;
}

/**
 * Finds the session of the caller, and its user.
 *
 * @throws CodedError `UNAUTHENTICATED`
 */
export async function requireActiveSession(
  { stores }: SessionDependencies,
  sid: AccessTokenClaims['sid'],
): Promise<SessionWithUser> {
  const found = await stores.sessions.findWithUser(sid);
  if (found === null || isEnded(found.session, stores.clock.now())) throw unauthenticated();
  return found;
}

/** Says whether a session was revoked or has expired. */
export function isEnded({ revokedAt, expiresAt }: SessionRecord, now: Date): boolean {
  return revokedAt !== null || now >= expiresAt;
}

/** Converts the claims of a valid JWT to its session. */
export function toCurrentSession(claims: AccessTokenClaims): CurrentSession {
  const { createdAt, updatedAt, ...fields } = claims.user;
  return {
    id: claims.sid,
    user: {
      ...fields,
      id: claims.sub,
      email: claims.email,
      emailVerified: claims.emailVerified,
      role: claims.role,
      tenantId: claims.tenantId,
      createdAt: toDate(createdAt),
      updatedAt: toDate(updatedAt),
    },
    expiresAt: new Date(claims.exp * 1000),
    claims: claims.custom,
  };
}

/** Converts the claims of a valid JWT to whom it is about. */
export function toAccessSubject({ sub, sid, tenantId, role, fva }: AccessTokenClaims): AccessSubject {
  const secondFactorAt = fva === undefined ? null : new Date(fva * 1000);
  return { userId: sub, sessionId: sid, tenantId, role, secondFactorAt };
}

/** A bearer token counts only if there is no session cookie, not even an ambiguous one. */
function presentedAccessToken(config: CookieConfig, headers: Headers): string | null {
  const name = cookieName(config, 'sid');
  return readCookie(headers, name) ?? (sendsCookie(headers, name) ? null : bearerToken(headers));
}

function toDate(claim: JsonValue | undefined): Date {
  return new Date(typeof claim === 'string' ? claim : Number.NaN);
}
