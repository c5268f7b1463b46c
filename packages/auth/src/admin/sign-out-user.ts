import type { AuthContext } from '../auth-context.ts';
import { toRevocationEvent } from '../event/record-revocation.ts';
import { type AdminAction, parseUserId, userNotFound } from './admin-user.ts';
import { operatorStep } from './operator-step.ts';

/**
 * Ends all sessions of a user.
 *
 * @returns how many it ended
 * @throws CodedError `NOT_FOUND`
 */
export function signOutUser(
  auth: AuthContext,
  id: string,
  action?: AdminAction,
): Promise<{ readonly revoked: number }> {
  return operatorStep(auth, action, async (stores, record) => {
    const user = await stores.users.findById(parseUserId(id));
    if (user === null) throw userNotFound();
    const ended = await stores.sessions.revokeAll(user.id);
    const about = { userId: user.id, tenantId: user.tenantId };
    if (ended.length > 0) await record(toRevocationEvent({ ...about, ended, reason: 'operator' }));
    return { revoked: ended.length };
  });
}
