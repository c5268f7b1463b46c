import type { CreatedSession, EventRecord, JsonObject, SessionTerms, TransactionStores } from '@x/store';
import { type AuthEvent, type AuthEventType, recordEvent } from '../events/events.ts';
import { recordRevocation } from '../event/record-revocation.ts';
import type { RequestContext } from '../request/request-context.ts';
import type { PreparedSession } from './start.ts';

/** How many active sessions a user may have; beyond that the oldest are ended. */
const maxActiveSessions = 50;

/** A stored session, and the events it logged. */
export interface StoredSession extends CreatedSession {
  readonly events: readonly EventRecord[];
}

/** The conditions for storing a session, and how it is logged. */
export interface StoreTerms extends Pick<SessionTerms, 'expectedPasswordHash'> {
  readonly eventType: AuthEventType;
  /** Further details for the log. */
  readonly detail?: JsonObject;
}

/**
 * Stores a prepared session and logs it, in the caller's transaction, which should have nothing else to wait for.
 *
 * Null if the user is gone or disabled, or no longer has the password that was verified.
 */
export async function storeSession(
  stores: TransactionStores,
  { session, request }: PreparedSession,
  { eventType, detail = {}, ...terms }: StoreTerms,
): Promise<StoredSession | null> {
  const created = await stores.sessions.create(session, { maxActive: maxActiveSessions, ...terms });
  if (created === null) return null;
  return { ...created, events: await recordStart(stores, created, { type: eventType, detail }, request) };
}

async function recordStart(
  stores: TransactionStores,
  { user, session, revoked }: CreatedSession,
  start: Pick<AuthEvent, 'type' | 'detail'>,
  request: RequestContext,
): Promise<readonly EventRecord[]> {
  const about = { userId: user.id, tenantId: session.tenantId };
  const events = [await recordEvent(stores, { ...about, ...start, sessionId: session.id }, request)];
  const gaveWay = await recordRevocation(stores, { ...about, ended: revoked, reason: 'too_many_sessions' }, request);
  return [...events, ...gaveWay];
}
