import type { EventRecord, SessionId, TransactionStores, UserId } from '@x/store';
import type { RequestContext } from '../request/request-context.ts';
import { type AuthEvent, recordEvent } from '../events/events.ts';

/** Why a step ended sessions as a side effect. */
type RevocationReason =
  | 'sign_out'
  | 'revoked'
  | 'others_revoked'
  | 'too_many_sessions'
  | 'operator'
  | 'password_changed'
  | 'password_reset'
  | 'account_reclaimed';

/** The sessions of one user that a step ended. */
export interface EndedSessions {
  readonly userId: UserId;
  readonly tenantId: string | null;
  readonly ended: readonly SessionId[];
  readonly reason: RevocationReason;
}

/** Appends one event for all sessions that a step ended, if any. */
export async function recordRevocation(
  stores: TransactionStores,
  sessions: EndedSessions,
  request: RequestContext,
): Promise<readonly EventRecord[]> {
  return sessions.ended.length === 0 ? [] : [await recordEvent(stores, toRevocationEvent(sessions), request)];
}

/** Builds the event of the sessions that a step ended. If there is only one, it is also the event's own session. */
export function toRevocationEvent({ userId, tenantId, ended, reason }: EndedSessions): AuthEvent {
  const [first = null, ...others] = ended;
  const sessionId = others.length === 0 ? first : null;
  return { type: 'session.revoked', userId, tenantId, sessionId, detail: { reason, sessionIds: [...ended] } };
}
