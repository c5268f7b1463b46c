import type { AuthContext } from '../auth-context.ts';
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
    const sessionIds = [...(await stores.sessions.revokeAll(user.id))];
    const detail = { reason: 'operator', sessionIds };
    if (sessionIds.length > 0) {
      await record({ type: 'session.revoked', userId: user.id, tenantId: user.tenantId, detail });
    }
    return { revoked: sessionIds.length };
  });
}
