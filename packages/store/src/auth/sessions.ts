import type { Cause } from '../events.ts';
import type { SessionId, UserId } from '../values.ts';
import type { UserRecord } from './users.ts';

/**
 * The method of a user's authentication: the password, an identity at a provider, or a code of the second factor, which
 * a sign-in that passed the challenge has required, too.
 */
export type AuthenticationMethod = 'password' | 'provider' | 'code';

/** One sign-in of one user on one device. Active until it is revoked or `expiresAt` is reached. */
export interface SessionRecord {
  readonly id: SessionId;
  readonly userId: UserId;
  /**
   * The stored hash of the current refresh token, as `toRefreshTokenHash` builds it: this session's id and the token's
   * SHA-256. It names its session, so it is found by id, and hashes need not be unique or indexed.
   */
  readonly refreshTokenHash: string;
  /** The hash of the previous token; null before the first rotation. */
  readonly previousTokenHash: string | null;
  /** 32 random bytes, base64url, from which the session's refresh tokens are derived. */
  readonly refreshSalt: string;
  /** How often the refresh token has been rotated; 0 at sign-in. */
  readonly generation: number;
  /** When the current refresh token was issued. */
  readonly rotatedAt: Date;
  readonly ipAddress: string | null;
  readonly userAgent: string | null;
  readonly tenantId: string | null;
  /** When a second factor was last verified in this session: the `fva` claim. */
  readonly secondFactorAt: Date | null;
  /** When the user last proved in this session who they are, at the latest by signing in: the `auth_time` claim. */
  readonly authenticatedAt: Date;
  /** The method of that proof. */
  readonly authenticatedBy: AuthenticationMethod;
  /** The `ver` claim of the JWTs that are still valid; those with a lower one are refused. 0 at sign-in. */
  readonly ver: number;
  readonly createdAt: Date;
  /** The time of the last rotation, or of the sign-in. */
  readonly lastActiveAt: Date;
  /** Fixed at sign-in; refreshes do not move it. From this moment on, the session has ended. */
  readonly expiresAt: Date;
  readonly revokedAt: Date | null;
}

/**
 * A session to store, in the current tenant of its user; the other fields start at zero, at null, or at the current
 * time.
 */
export type NewSession = Pick<
  SessionRecord,
  | 'id'
  | 'userId'
  | 'refreshTokenHash'
  | 'refreshSalt'
  | 'ipAddress'
  | 'userAgent'
  | 'secondFactorAt'
  | 'authenticatedAt'
  | 'authenticatedBy'
  | 'expiresAt'
>;

/** The conditions for storing a session. */
export interface SessionTerms {
  /** How many active sessions the user may have afterwards, 1 or more; the oldest by `createdAt` are ended. */
  readonly maxActive: number;
  /**
   * The password hash that was just verified, or null for a user without one: the session is stored only if it is still
   * the user's. Absent: the sign-in did not depend on a password.
   */
  readonly expectedPasswordHash?: string | null;
}

/** A stored session, and the sessions that were revoked to stay within the maximum. */
export interface CreatedSession {
  /** The user as of this step, for the session's first tokens. */
  readonly user: UserRecord;
  readonly session: SessionRecord;
  readonly revoked: readonly SessionId[];
}

/** A session and its user as of one moment. */
export interface SessionWithUser {
  readonly session: SessionRecord;
  readonly user: UserRecord;
}

/**
 * The outcome of ending one of a user's own sessions. `not_found`: it is unknown, not active, or another user's.
 * `unauthenticated`: the current session is not active itself.
 */
export type OwnRevocation =
  | { readonly outcome: 'revoked'; readonly session: SessionRecord }
  | { readonly outcome: 'not_found' }
  | { readonly outcome: 'unauthenticated' };

/** JWTs of a session that are no longer valid although they have not expired. */
export interface Revocation {
  readonly sessionId: SessionId;
  /** The lowest `ver` that is still valid; null if the session has ended, and none is. */
  readonly lowestVer: number | null;
}

/**
 * Sessions and their refresh-token chain. Every method is one atomic step. Those that take a cause log what they
 * change; rotating a token and raising `ver` are no changes that a person asks for.
 */
export interface SessionStore {
  /**
   * Stores a session and revokes the oldest others above the maximum, so that no reader ever sees more than
   * `maxActive`. Locks the user first. If the user is missing, disabled, or no longer has the expected password: null,
   * and nothing is changed. Logs `sign_in.succeeded`, unless it is implied, and
   * `session.revoked` for the others.
   */
  create(session: NewSession, terms: SessionTerms, cause?: Cause): Promise<CreatedSession | null>;

  /** Finds a session in any state. */
  findById(id: SessionId): Promise<SessionRecord | null>;

  /** Finds a session in any state, together with its user. */
  findWithUser(id: SessionId): Promise<SessionWithUser | null>;

  /**
   * Finds a session in any state by the hash of its current refresh token. Only the session that the hash names can be
   * found; a malformed hash finds nothing.
   */
  findByRefreshHash(hash: string): Promise<SessionRecord | null>;

  /** Finds a session in any state by the hash of its previous refresh token, in the same way. */
  findByPreviousHash(hash: string): Promise<SessionRecord | null>;

  /**
   * Replaces the current refresh token of an active session with the next one, if it is still the expected one: the
   * current one becomes the previous, `generation` rises, `rotatedAt` and `lastActiveAt` become now. Returns the
   * changed session; otherwise null, and nothing is changed.
   */
  rotate(id: SessionId, tokens: { expectedHash: string; nextHash: string }): Promise<SessionRecord | null>;

  /**
   * Forgets the previous refresh token, if the current one is still the given one: from then on, the previous one
   * counts as reused.
   */
  forgetPreviousToken(id: SessionId, currentHash: string): Promise<void>;

  /**
   * Finds an active session and its user. In a transaction, no other transaction can change either until it ends. Null
   * if the session is not active.
   */
  lockActive(id: SessionId): Promise<SessionWithUser | null>;

  /** Records that the user proved now who they are. Null if the session is not active. Logs `session.confirmed`. */
  setAuthenticated(id: SessionId, by: AuthenticationMethod, cause?: Cause): Promise<SessionRecord | null>;

  /**
   * Records that a second factor was verified now, which is a proof, too. Null if the session is not active. Logs
   * `mfa.verified`.
   */
  setSecondFactor(id: SessionId, cause?: Cause): Promise<SessionRecord | null>;

  /** Moves the session to a tenant and raises `ver`. Null if it is not active. Logs `session.tenant_switched`. */
  setTenant(id: SessionId, tenantId: string | null, cause?: Cause): Promise<SessionRecord | null>;

  /**
   * Moves every active session of a user from one tenant to another, or to none, and raises their `ver`. Call it in the
   * transaction that removes the user from the tenant; it locks the user. Logs `session.tenant_switched` for the tenant
   * that they leave.
   */
  leaveTenant(
    userId: UserId,
    ends: { readonly from: string; readonly to: string | null },
    cause?: Cause,
  ): Promise<void>;

  /**
   * Raises `ver` of every active session of a user, so that JWTs from before a change of the user are refused. Call it
   * in the transaction of that change, after it.
   */
  bumpTokenVersion(userId: UserId): Promise<void>;

  /**
   * Ends one session and returns it, even one that has expired: a server whose clock is behind would go on taking it.
   * Null if it was revoked before, or is unknown. Logs `session.revoked`, as do the next three.
   */
  revoke(id: SessionId, cause?: Cause): Promise<SessionRecord | null>;

  /** Ends a session of the user of `current`, possibly `current` itself, and checks that `current` is active. */
  revokeOwn(current: SessionId, id: SessionId, cause?: Cause): Promise<OwnRevocation>;

  /**
   * Ends every other active session of the user of `current`, and returns their ids. If `current` is not active: null,
   * and nothing is changed.
   */
  revokeOthers(current: SessionId, cause?: Cause): Promise<readonly SessionId[] | null>;

  /** Ends every active session of a user and returns their ids. */
  revokeAll(userId: UserId, cause?: Cause): Promise<readonly SessionId[]>;

  /** Lists a user's active sessions, the most recently active first, then by id. */
  listActive(userId: UserId): Promise<readonly SessionRecord[]>;

  /** Does {@link listActive} for the user of `current`; null if `current` is not active. */
  listOwn(current: SessionId): Promise<readonly SessionRecord[] | null>;

  countActive(userId: UserId): Promise<number>;

  /**
   * Deletes up to `limit` sessions that ended before `before`, in the order of their ends, and returns how many. An
   * active session is never deleted, for any `before`.
   */
  prune(options: { readonly before: Date; readonly limit: number }): Promise<number>;
}

/**
 * Builds the stored hash of a refresh token from its session and its SHA-256, base64url: `<session id>.<digest>`.
 *
 * Because the hash names its session, it is found by the session's id. An index over the hashes would be updated at
 * four random places by every rotation, which would dominate its cost with many sessions.
 */
export function toRefreshTokenHash(sessionId: SessionId, digest: string): string {
  return `${sessionId}.${digest}`;
}

/** Says whether a hash is that of the current or the previous refresh token of a session, if there is one. */
export function isKnownToken(found: SessionWithUser | null, hash: string): boolean {
  return found !== null && (hash === found.session.refreshTokenHash || hash === found.session.previousTokenHash);
}

/** Parses the session id that a hash names, whether or not that session exists; null if it names none. Never throws. */
export function sessionIdOfHash(hash: string): SessionId | null {
  const end = hash.indexOf('.');
  return end > 0 ? (hash.slice(0, end) as SessionId) : null;
}
