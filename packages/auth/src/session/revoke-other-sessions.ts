import type { AuthContext } from '../auth-context.ts';
import { publishEvents } from '../events/events.ts';
import { recordRevocation } from '../event/record-revocation.ts';
import type { RequestContext } from '../request/request-context.ts';
import { requireClaims, unauthenticated } from './read.ts';

/**
 * Ends all of the caller's sessions except the current one.
 *
 * @returns how many it ended
 * @throws CodedError `UNAUTHENTICATED`
 */
export async function revokeOtherSessions(
  auth: AuthContext,
  request: RequestContext,
): Promise<{ readonly revoked: number }> {
  const { sid, sub: userId, tenantId } = await requireClaims(auth, request.headers);
  const { ended, events } = await auth.stores.transaction(async (stores) => {
    const ids = await stores.sessions.revokeOthers(sid);
    if (ids === null) throw unauthenticated();
    const revocation = { userId, tenantId, ended: ids, reason: 'others_revoked' } as const;
    return { ended: ids, events: await recordRevocation(stores, revocation, request) };
  });
  publishEvents(auth, events);
  return { revoked: ended.length };
}
