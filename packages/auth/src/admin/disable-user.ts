import type { AuthContext } from '../auth-context.ts';
import { type AdminAction, type AdminUser, parseUserId, toAdminUser, userNotFound } from './admin-user.ts';
import { operatorStep } from './operator-step.ts';

/**
 * Ends all sessions of a user; from then on, sign-in refuses them like a wrong password. If the user is already
 * disabled, `disabledAt` stays as it is.
 *
 * @throws CodedError `NOT_FOUND`
 */
export function disableUser(auth: AuthContext, id: string, action?: AdminAction): Promise<AdminUser> {
  return operatorStep(auth, action, async (stores, record) => {
    const user = await stores.users.setDisabled(parseUserId(id), true);
    if (user === null) throw userNotFound();
    const sessionIds = [...(await stores.sessions.revokeAll(user.id))];
    await record({ type: 'user.disabled', userId: user.id, tenantId: user.tenantId, detail: { sessionIds } });
    return toAdminUser(auth, user);
  });
}

/**
 * Lets a disabled user sign in again. The sessions that were ended stay ended.
 *
 * @throws CodedError `NOT_FOUND`
 */
export function enableUser(auth: AuthContext, id: string, action?: AdminAction): Promise<AdminUser> {
  return operatorStep(auth, action, async (stores, record) => {
    const user = await stores.users.setDisabled(parseUserId(id), false);
    if (user === null) throw userNotFound();
    await record({ type: 'user.enabled', userId: user.id, tenantId: user.tenantId });
    return toAdminUser(auth, user);
  });
}
