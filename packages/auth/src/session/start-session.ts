import type {
  CreatedSession,
  EventRecord,
  JsonObject,
  SessionId,
  SessionRecord,
  SessionTerms,
  TransactionStores,
  UserRecord,
} from '@x/store';
import type { AuthContext } from '../auth-context.ts';
import { type AuthEventType, recordEvent } from '../event/record-event.ts';
import { recordRevocation } from '../event/record-revocation.ts';
import { type RequestContext, userAgentOf } from '../request/request-context.ts';
import { currentClaims } from './custom-claims.ts';
import { issueTokens, type SignedIn } from './issue-tokens.ts';
import { hashRefreshToken } from './refresh-token.ts';

/** How many active sessions a user may have; the oldest give way. */
const maxActiveSessions = 50;

/** A session that was stored, and what is to follow the commit. */
export interface StartedSession {
  readonly signedIn: SignedIn;
  /** What was logged. */
  readonly events: readonly EventRecord[];
}

/** What starts a session: who, on which terms, and what the log calls it. */
export interface SessionStart extends Pick<SessionTerms, 'expectedPasswordHash'> {
  readonly user: UserRecord;
  /** What the app's `claims` returned for the user. */
  readonly custom: JsonObject;
  readonly request: RequestContext;
  readonly eventType: AuthEventType;
}

/**
 * Stores a new session of a user, logs it and issues its tokens, so that nothing is left to fail after the commit.
 * Never adopts anything that the request presents.
 *
 * Null where the user is gone, disabled, or no longer has the password that was verified.
 */
export async function startSession(
  auth: AuthContext,
  stores: TransactionStores,
  start: SessionStart,
): Promise<StartedSession | null> {
  const { user, custom, request, eventType, ...terms } = start;
  const { refreshToken, ...tokenFields } = firstRefreshToken(auth);
  const created = await stores.sessions.create(
    {
      ...tokenFields,
      userId: user.id,
      ipAddress: request.ipAddress,
      userAgent: userAgentOf(request),
      tenantId: user.tenantId,
      secondFactorAt: null,
      expiresAt: new Date(auth.stores.clock.now().getTime() + auth.config.session.refreshTtl),
    },
    { maxActive: maxActiveSessions, ...terms },
  );
  if (created === null) return null;
  const events = await recordStart(stores, created, { request, eventType });
  const current = { ...created, refreshToken, custom: await currentClaims(auth, created.user, { user, custom }) };
  return { signedIn: await issueTokens(auth, current), events };
}

async function recordStart(
  stores: TransactionStores,
  { user, session, revoked }: CreatedSession,
  { request, eventType }: Pick<SessionStart, 'request' | 'eventType'>,
): Promise<readonly EventRecord[]> {
  const about = { userId: user.id, tenantId: session.tenantId };
  const events = [await recordEvent(stores, { ...about, type: eventType, sessionId: session.id }, request)];
  const gaveWay = await recordRevocation(stores, { ...about, ended: revoked, reason: 'too_many_sessions' }, request);
  return [...events, ...gaveWay];
}

function firstRefreshToken({ refreshTokens }: Pick<AuthContext, 'refreshTokens'>): FirstRefreshToken {
  const id = crypto.randomUUID() as SessionId;
  const refreshSalt = Buffer.from(crypto.getRandomValues(new Uint8Array(32))).toString('base64url');
  const refreshToken = refreshTokens.derive({ sessionId: id, generation: 0, salt: refreshSalt });
  return { id, refreshSalt, refreshToken, refreshTokenHash: hashRefreshToken(id, refreshToken) };
}

type FirstRefreshToken = Pick<SessionRecord, 'id' | 'refreshSalt' | 'refreshTokenHash'> & { refreshToken: string };
