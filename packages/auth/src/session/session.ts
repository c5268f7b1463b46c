import { type Awaitable, unauthenticated } from '@x/errors';
import type { JsonObject, SessionId, SessionRecord, SessionWithUser, Stores, UserId } from '@x/store';
import type { EventDependencies } from '../events/events.ts';
import type { KeyRing } from '../keys/key-ring.ts';
import type { SigningAlgorithm } from '../keys/parse-pem-key.ts';
import type { LimitDependencies } from '../rate-limits/rate-limits.ts';
import type { Authenticator } from '../principal/authenticate.ts';
import { type CurrentSession, requireSessionOf } from '../principal/principal.ts';
import type { AccessSetPort } from '../token/claims.ts';
import type { AccessTokenIssuer } from '../token/issue.ts';
import type { NoFields, UserFields } from '../user/fields.ts';
import type { AuthHooks } from '../user/hooks.ts';
import type { User, UserConfig } from '../user/user.ts';
import type { CookieConfig } from './cookies.ts';
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

/** The dependencies of sessions. */
export interface SessionDependencies {
  readonly config: SessionConfig;
  readonly stores: Stores;
  /** Finds out who a request is from, by the credentials of sessions and of the app. */
  readonly authenticator: Authenticator;
  readonly accessTokens: AccessTokenIssuer & Pick<KeyRing, 'jwks'>;
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

/** The dependencies that the features that build on sessions share; each adds its own. */
export interface FeatureDependencies extends Pick<SessionDependencies, 'stores' | 'events' | 'limits'> {
  readonly sessions: SessionDependencies;
}

/** The session that a page is rendered for. */
export interface RenderedSession<Fields extends UserFields = NoFields> {
  /** Null for a visitor. */
  readonly session: CurrentSession<Fields> | null;
  /** The `Set-Cookie` values to send with the page; empty unless the session was refreshed, or has ended. Secret. */
  readonly setCookie: readonly string[];
}

type AuthenticateDependencies = Pick<SessionDependencies, 'authenticator'>;

/** Returns the session of a request, as its JWT alone says: no store is read. Null without a valid one. */
export async function getSession(
  { authenticator }: AuthenticateDependencies,
  headers: Headers,
): Promise<CurrentSession | null> {
  return (await authenticator.authenticate(headers))?.session ?? null;
}

/** The session of a request and its user, as its JWT says. */
export interface PresentedSession {
  readonly sid: SessionId;
  readonly userId: UserId;
  readonly tenantId: string | null;
  /** When the JWT expires. */
  readonly expiresAt: Date;
}

/**
 * Returns the session of a request, for operations that require a session. No store is read.
 *
 * @throws CodedError `UNAUTHENTICATED` if there is none; for a credential without one, the message names the credential
 */
export async function requireJwtSession(
  { authenticator }: AuthenticateDependencies,
  headers: Headers,
): Promise<PresentedSession> {
  return toPresented(requireSessionOf(await authenticator.authenticate(headers)));
}

/** Returns the session of a request in the same way; null if there is none. */
export async function findJwtSession(
  deps: AuthenticateDependencies,
  headers: Headers,
): Promise<PresentedSession | null> {
  const session = await getSession(deps, headers);
  return session && toPresented(session);
}

function toPresented({ id, user, expiresAt }: CurrentSession): PresentedSession {
  return { sid: id as SessionId, userId: user.id as UserId, tenantId: user.tenantId, expiresAt };
}

/**
 * Loads a session and its user from the store.
 *
 * @throws CodedError `UNAUTHENTICATED` unless it is active
 */
export async function loadActiveSession({ stores }: SessionDependencies, sid: SessionId): Promise<SessionWithUser> {
  const found = await stores.sessions.findWithUser(sid);
  if (found === null || isEnded(found.session, stores.clock.now())) throw unauthenticated();
  return found;
}

/** Says whether a session was revoked or has expired. */
export function isEnded({ revokedAt, expiresAt }: SessionRecord, now: Date): boolean {
  return revokedAt !== null || now >= expiresAt;
}
