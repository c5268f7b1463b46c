import type { EventRecord, JsonObject, Page } from '@x/store';
import { type PageQuery, toPageRequest } from '../request/page-query.ts';
import type { RequestContext } from '../request/request-context.ts';
import { loadActiveSession, requireJwtSession } from '../session/session.ts';
import { deviceName } from '../session/device-name.ts';
import type { AccountDependencies } from './account.ts';

/** One entry of a user's own security history. */
export interface OwnEvent {
  readonly id: string;
  /** A dotted name such as `sign_in.failed`. */
  readonly type: string;
  readonly at: Date;
  /** How often it happened: many failed sign-ins within an hour are counted by one event. */
  readonly occurrences: number;
  /** The session that the event is about; it may have ended. */
  readonly sessionId: string | null;
  readonly ipAddress: string | null;
  /** Such as `Firefox on Windows`. */
  readonly deviceName: string;
  readonly detail: JsonObject;
}

/**
 * Lists the caller's own events, the newest first.
 *
 * @throws CodedError `UNAUTHENTICATED`, `INVALID_QUERY`
 */
export async function listOwnEvents(
  deps: AccountDependencies,
  query: PageQuery,
  { headers }: RequestContext,
): Promise<Page<OwnEvent>> {
  const { sid } = await requireJwtSession(deps.sessions, headers);
  const page = toPageRequest(query);
  const { user } = await loadActiveSession(deps.sessions, sid);
  const { items, nextCursor } = await deps.stores.events.listByUser(user.id, page);
  return { items: items.map(toOwnEvent), nextCursor };
}

/** Which operator acted is not shown to the user. */
function toOwnEvent({ id, type, at, occurrences, sessionId, ipAddress, userAgent, detail }: EventRecord): OwnEvent {
  const shown = Object.fromEntries(Object.entries(detail).filter(([name]) => name !== 'actor'));
  return { id, type, at, occurrences, sessionId, ipAddress, deviceName: deviceName(userAgent), detail: shown };
}
