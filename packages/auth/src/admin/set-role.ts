import type { AuthContext } from '../auth-context.ts';
import { validationFailed } from '../request/parse-input.ts';
import { type AdminAction, type AdminUser, parseUserId, toAdminUser, userNotFound } from './admin-user.ts';
import { operatorStep } from './operator-step.ts';

/**
 * Gives a user a role. JWTs that name the old one are refused; the sessions stay and can be refreshed.
 *
 * @throws CodedError `NOT_FOUND`; `VALIDATION_FAILED` if the role is not a text of 1 to 64 visible characters
 */
export async function setRole(
  auth: AuthContext,
  { id, role }: { readonly id: string; readonly role: string },
  action?: AdminAction,
): Promise<AdminUser> {
  if (!isRole(role)) {
    throw validationFailed([
      { path: ['role'], code: 'invalid_format', message: 'Expected 1 to 64 visible characters.' },
    ]);
  }
  return operatorStep(auth, action, async (stores, record) => {
    const user = await stores.users.setRole(parseUserId(id), role);
    if (user === null) throw userNotFound();
    await stores.sessions.raiseVer(user.id);
    await record({ type: 'user.role_changed', userId: user.id, tenantId: user.tenantId, detail: { role } });
    return toAdminUser(auth, user);
  });
}

/** The role is part of the JWT, and so of a cookie. */
function isRole(role: unknown): role is string {
  return typeof role === 'string' && /^[^\p{C}]{1,64}$/u.test(role) && role.trim() === role;
}
