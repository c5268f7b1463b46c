import type { Page } from '@x/store';
import type { AuthContext } from '../auth-context.ts';
import { type AdminUser, toAdminUser } from './admin-user.ts';
import { type PageQuery, toPageRequest } from '../request/page-query.ts';

/** Selects a page of users. */
export type UserListQuery = PageQuery;

/**
 * Lists all users, the newest first.
 *
 * @throws CodedError `INVALID_QUERY`
 */
export async function listUsers(auth: AuthContext, query: UserListQuery = {}): Promise<Page<AdminUser>> {
  const { items, nextCursor } = await auth.stores.users.list(toPageRequest(query));
  return { items: items.map((user) => toAdminUser(auth, user)), nextCursor };
}
