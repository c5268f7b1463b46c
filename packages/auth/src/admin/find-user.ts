import type { UserRecord } from '@x/store';
import type { AuthContext } from '../auth-context.ts';
import { canonicalizeEmail } from '../email/canonicalize-email.ts';
import { type AdminUser, parseUserId, toAdminUser, userNotFound } from './admin-user.ts';

/** Identifies a user: by id, or by any spelling of the address that they sign in with. */
export type UserQuery = { readonly id: string } | { readonly email: string };

/**
 * Finds a user.
 *
 * @throws CodedError `NOT_FOUND`
 */
export async function findUser(auth: AuthContext, query: UserQuery): Promise<AdminUser> {
  const user = await find(auth, query);
  if (user === null) throw userNotFound();
  return toAdminUser(auth, user);
}

async function find({ stores }: AuthContext, query: UserQuery): Promise<UserRecord | null> {
  if ('id' in query) return stores.users.findById(parseUserId(query.id));
  // Apps may pass on unvalidated input.
  const email = typeof query.email === 'string' ? canonicalizeEmail(query.email) : null;
  return email === null ? null : stores.users.findByLoginEmail(email);
}
