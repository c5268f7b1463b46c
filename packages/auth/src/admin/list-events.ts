import type { EventRecord, Page } from '@x/store';
import type { AuthContext } from '../auth-context.ts';
import { parseUserId } from './admin-user.ts';
import { type PageQuery, toPageRequest } from './page-request.ts';

/** Whose events are wanted. */
export type EventQuery = PageQuery & ({ readonly userId: string } | { readonly tenantId: string });

/**
 * Lists what was logged of a user or of a tenant, the newest first. Events outlive their user, so an unknown one has
 * an empty list.
 *
 * @throws CodedError `INVALID_QUERY`
 */
export function listEvents({ stores }: AuthContext, query: EventQuery): Promise<Page<EventRecord>> {
  const page = toPageRequest(query);
  return 'userId' in query
    ? stores.events.listByUser(parseUserId(query.userId), page)
    : stores.events.listByTenant(query.tenantId, page);
}
