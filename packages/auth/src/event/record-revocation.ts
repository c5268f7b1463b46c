import type { EventRecord, SessionId, TransactionStores, UserId } from '@x/store';
import type { RequestContext } from '../request/request-context.ts';
import { recordEvent } from './record-event.ts';

/** Why sessions were ended by a step that is not an event of its own. */
export type RevocationReason = 'sign_out' | 'revoked' | 'others_revoked' | 'too_many_sessions';

/** Sessions of one user that one step ended. */
export interface EndedSessions {
  readonly userId: UserId;
  readonly tenantId: string | null;
  readonly ended: readonly SessionId[];
  readonly reason: RevocationReason;
}

/** Appends one event for all sessions that a step ended; none where it ended none. */
export async function recordRevocation(
  stores: TransactionStores,
  { userId, tenantId, ended, reason }: EndedSessions,
  request: RequestContext,
): Promise<readonly EventRecord[]> {
  const [first = null, ...others] = ended;
  if (first === null) return [];
  const sessionId = others.length === 0 ? first : null;
  const detail = { reason, sessionIds: [...ended] };
  return [await recordEvent(stores, { type: 'session.revoked', userId, tenantId, sessionId, detail }, request)];
}
