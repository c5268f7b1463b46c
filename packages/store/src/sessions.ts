import type { SessionId, UserId } from './id.ts';
import type { UserRecord } from './users.ts';

/** One sign-in of one user on one device. It is active until it is revoked or `expiresAt` is reached. */
export interface SessionRecord {
  readonly id: SessionId;
  readonly userId: UserId;
  /**
   * What is stored of the current refresh token, as `toRefreshTokenHash` builds it: this session's id and the token's
   * SHA-256. It names its session, so that this is found by id and no hash needs to be unique or indexed.
   */
  readonly refreshTokenHash: string;
  /** The same of the token before it; null before the first rotation. */
  readonly previousTokenHash: string | null;
  /** 32 random bytes, base64url, that the session's refresh tokens are derived with. */
  readonly refreshSalt: string;
  /** How often the refresh token was rotated; 0 at sign-in. */
  readonly generation: number;
  /** When the current refresh token was made. */
  readonly rotatedAt: Date;
  readonly ipAddress: string | null;
  readonly userAgent: string | null;
  readonly tenantId: string | null;
  /** When a second factor was last verified in this session: the `fva` claim. */
  readonly secondFactorAt: Date | null;
  /** The `ver` claim of the JWTs that are still good; older ones are refused. 0 at sign-in. */
  readonly ver: number;
  readonly createdAt: Date;
  /** The last rotation, or the sign-in. */
  readonly lastActiveAt: Date;
  /** Fixed at sign-in; no refresh moves it. The session is over at this very moment. */
  readonly expiresAt: Date;
  readonly revokedAt: Date | null;
}

/** A session to be stored, in the tenant that its user is in then; the rest starts at zero, at null, or at the store clock's now. */
export type NewSession = Pick<
  SessionRecord,
  'id' | 'userId' | 'refreshTokenHash' | 'refreshSalt' | 'ipAddress' | 'userAgent' | 'secondFactorAt' | 'expiresAt'
>;

/** On which terms a session is stored. */
export interface SessionTerms {
  /** How many active sessions the user may have afterwards, 1 or more; the oldest by `createdAt` give way. */
  readonly maxActive: number;
  /**
   * The password hash that was just verified, or null for a user without one: the session is stored only
   * if it still is the user's. Absent: the sign-in did not rest on a password.
   */
  readonly expectedPasswordHash?: string | null;
}

/** A stored session, and the active ones that were revoked to keep within the cap. */
export interface CreatedSession {
  /** The user as of this very step: what the session's first tokens are to say. */
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
 * What came of a user's wish to end one of their sessions. `not_found`: the other one is unknown, not active, or
 * somebody else's. `unauthenticated`: the session that asked is not active itself.
 */
export type OwnRevocation =
  | { readonly outcome: 'revoked'; readonly session: SessionRecord }
  | { readonly outcome: 'not_found' }
  | { readonly outcome: 'unauthenticated' };

/** JWTs of a session that are good no longer although they have not expired. */
export interface Revocation {
  readonly sessionId: SessionId;
  /** The lowest `ver` that is still good; null where the session is over, and none is. */
  readonly lowestVer: number | null;
}

/** Sessions and their refresh-token chain. Every method is one atomic step. */
export interface SessionStore {
  /**
   * Stores a session and revokes the oldest others above the cap, so that no reader ever sees more than
   * `maxActive`. Takes the user first: null, and nothing changed, where the user is missing, disabled, or
   * no longer has the expected password.
   */
  create(session: NewSession, terms: SessionTerms): Promise<CreatedSession | null>;

  /** Finds a session in any state. */
  findById(id: SessionId): Promise<SessionRecord | null>;

  /** Finds a session in any state, together with its user. */
  findWithUser(id: SessionId): Promise<SessionWithUser | null>;

  /**
   * Finds a session in any state by the hash of its current refresh token. Only the session that the hash names is
   * found; a text that names none, or is no hash at all, finds nothing.
   */
  findByRefreshHash(hash: string): Promise<SessionRecord | null>;

  /** Finds a session in any state by the hash of the refresh token before the current one, on the same terms. */
  findByPreviousHash(hash: string): Promise<SessionRecord | null>;

  /**
   * Replaces the current refresh token of an active session by the next, if it still is the expected one:
   * the current becomes the previous, `generation` rises, `rotatedAt` and `lastActiveAt` become now.
   * Returns the session as it is then; null, and nothing changed, otherwise.
   */
  rotate(id: SessionId, tokens: { expectedHash: string; nextHash: string }): Promise<SessionRecord | null>;

  /**
   * Finds an active session and its user. Inside a transaction both stay as they are until it is over, but for what it
   * does itself. Null where the session is not active.
   */
  holdActive(id: SessionId): Promise<SessionWithUser | null>;

  /** Records a second factor verified now. Null where the session is not active. */
  setSecondFactor(id: SessionId): Promise<SessionRecord | null>;

  /** Moves the session to a tenant and raises `ver`. Null where the session is not active. */
  setTenant(id: SessionId, tenantId: string | null): Promise<SessionRecord | null>;

  /**
   * Moves every active session of a user that is in a tenant to another one, or to none, and raises their `ver`; in the
   * transaction that takes the user out of the tenant, for which it holds the user.
   */
  leaveTenant(userId: UserId, ends: { readonly from: string; readonly to: string | null }): Promise<void>;

  /**
   * Raises `ver` of every active session of a user, so that JWTs from before a change of the user are refused. In the
   * transaction of that change, after it.
   */
  raiseVer(userId: UserId): Promise<void>;

  /** Ends one session and returns it. Null where it was not active. */
  revoke(id: SessionId): Promise<SessionRecord | null>;

  /** Ends a session, which may be the current one, for the user of `current`, and checks that `current` is active. */
  revokeOwn(current: SessionId, id: SessionId): Promise<OwnRevocation>;

  /**
   * Ends every other active session of the user of `current`, and returns their ids. Null, and nothing
   * changed, where `current` itself is not active.
   */
  revokeOthers(current: SessionId): Promise<readonly SessionId[] | null>;

  /** Ends every active session of a user and returns their ids. */
  revokeAll(userId: UserId): Promise<readonly SessionId[]>;

  /** Lists a user's active sessions, the last active first, then by id. */
  listActive(userId: UserId): Promise<readonly SessionRecord[]>;

  /** Lists what {@link listActive} lists for the user of `current`; null where `current` itself is not active. */
  listOwn(current: SessionId): Promise<readonly SessionRecord[] | null>;

  countActive(userId: UserId): Promise<number>;

  /**
   * Deletes up to `limit` sessions that were revoked or over before `before`, the first to end first, and says how many.
   * An active session stays, whatever `before` says.
   */
  prune(options: { readonly before: Date; readonly limit: number }): Promise<number>;
}
