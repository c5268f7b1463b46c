import { CodedError } from '@x/errors';
import type { SessionId } from '@x/store';
import type { AuthContext } from '../auth-context.ts';
import { publishEvents } from '../events/events.ts';
import { recordRevocation } from '../event/record-revocation.ts';
import type { RequestContext } from '../request/request-context.ts';
import { requireClaims, unauthenticated } from './read.ts';
import { isSessionId } from './session-id.ts';

/**
 * Ends one of the caller's sessions, possibly the current one.
 *
 * @throws CodedError `UNAUTHENTICATED`; `SESSION_NOT_FOUND` if it is unknown, malformed, over, or somebody else's
 */
export async function revokeSession(auth: AuthContext, id: string, request: RequestContext): Promise<void> {
  const { sid } = await requireClaims(auth, request.headers);
  const events = await auth.stores.transaction(async (stores) => {
    const revocation = await stores.sessions.revokeOwn(sid, isSessionId(id) ? id : nobodys);
    if (revocation.outcome === 'unauthenticated') throw unauthenticated();
    if (revocation.outcome === 'not_found') throw new CodedError('SESSION_NOT_FOUND', 'There is no such session.');
    const { userId, tenantId } = revocation.session;
    return recordRevocation(stores, { userId, tenantId, ended: [revocation.session.id], reason: 'revoked' }, request);
  });
  publishEvents(auth, events);
}

/** Looked up in place of a malformed id, so that the caller's own session is checked in any case. */
const nobodys = '00000000-0000-0000-0000-000000000000' as SessionId;
