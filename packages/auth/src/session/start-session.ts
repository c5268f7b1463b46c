import type { EventRecord, SessionId, SessionRecord, SessionTerms, TransactionStores, UserRecord } from '@x/store';
import type { AuthContext } from '../auth-context.ts';
import { type AuthEventType, recordEvent } from '../event/record-event.ts';
import { type RequestContext, userAgentOf } from '../request/request-context.ts';
import { hashRefreshToken } from './refresh-token.ts';

/** How many active sessions a user may have; the oldest give way. */
const maxActiveSessions = 50;

/** A session that was stored, with the only copy of its refresh token. */
export interface StartedSession {
  readonly user: UserRecord;
  readonly session: SessionRecord;
  readonly refreshToken: string;
  /** The sessions that gave way to it. */
  readonly revoked: readonly SessionId[];
  /** What was logged; to be published after the commit. */
  readonly events: readonly EventRecord[];
}

/** What starts a session: who, on which terms, and what the log calls it. */
export interface SessionStart extends Pick<SessionTerms, 'expectedPasswordHash'> {
  readonly user: UserRecord;
  readonly request: RequestContext;
  readonly eventType: AuthEventType;
}

/**
 * Stores a new session of a user and logs it. Never adopts anything that the request presents.
 *
 * Null where the user is gone, disabled, or no longer has the password that was verified.
 */
export async function startSession(
  auth: Pick<AuthContext, 'config' | 'clock' | 'refreshTokens'>,
  stores: TransactionStores,
  start: SessionStart,
): Promise<StartedSession | null> {
  const { user, request, eventType, ...terms } = start;
  const { refreshToken, ...tokenFields } = firstRefreshToken(auth);
  const created = await stores.sessions.create(
    {
      ...tokenFields,
      userId: user.id,
      ipAddress: request.ipAddress,
      userAgent: userAgentOf(request),
      tenantId: user.tenantId,
      secondFactorAt: null,
      expiresAt: new Date(auth.clock.now().getTime() + auth.config.session.refreshTtl),
    },
    { maxActive: maxActiveSessions, ...terms },
  );
  if (created === null) return null;
  const about = { userId: user.id, tenantId: user.tenantId };
  const events = [await recordEvent(stores, { ...about, type: eventType, sessionId: created.session.id }, request)];
  for (const sessionId of created.revoked) {
    const detail = { reason: 'too_many_sessions' };
    events.push(await recordEvent(stores, { ...about, type: 'session.revoked', sessionId, detail }, request));
  }
  return { ...created, user, refreshToken, events };
}

function firstRefreshToken({ refreshTokens }: Pick<AuthContext, 'refreshTokens'>): FirstRefreshToken {
  const id = crypto.randomUUID() as SessionId;
  const refreshSalt = Buffer.from(crypto.getRandomValues(new Uint8Array(32))).toString('base64url');
  const refreshToken = refreshTokens.derive({ sessionId: id, generation: 0, salt: refreshSalt });
  return { id, refreshSalt, refreshToken, refreshTokenHash: hashRefreshToken(refreshToken) };
}

type FirstRefreshToken = Pick<SessionRecord, 'id' | 'refreshSalt' | 'refreshTokenHash'> & { refreshToken: string };
