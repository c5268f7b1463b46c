import type { EventRecord, Page, UserId } from '@x/store';
import type { AuthContext } from '../auth-context.ts';
import { isStorableText } from './admin-user.ts';
import { type PageQuery, toPageRequest } from '../request/page-query.ts';

/** Selects the events of a user or of a tenant. */
export type EventQuery = PageQuery & ({ readonly userId: string } | { readonly tenantId: string });

/**
 * Lists the events of a user or of a tenant, the newest first. Events outlive their user, so an unknown user has an
 * empty list rather than an error.
 *
 * @throws CodedError `INVALID_QUERY`
 */
export async function listEvents({ stores }: AuthContext, query: EventQuery): Promise<Page<EventRecord>> {
  const page = toPageRequest(query);
  const id: unknown = 'userId' in query ? query.userId : query.tenantId;
  if (!isStorableText(id)) return { items: [], nextCursor: null };
  return 'userId' in query ? stores.events.listByUser(id as UserId, page) : stores.events.listByTenant(id, page);
}
