import { unauthenticated } from '@x/errors';
import type { SessionRecord } from '@x/store';
import type { RequestContext } from '../request/request-context.ts';
import { requireJwtSession, type SessionDependencies } from './session.ts';
import { deviceName } from './device-name.ts';

/** One of a user's active sessions, as its owner sees it. */
export interface OwnSession {
  readonly id: string;
  /** Such as `Firefox on Windows`. */
  readonly deviceName: string;
  /** The client's address at sign-in; null if unknown. */
  readonly ipAddress: string | null;
  /** Whether it is the caller's own session. */
  readonly isCurrent: boolean;
  readonly createdAt: Date;
  /** The last refresh, or the sign-in. */
  readonly lastActiveAt: Date;
  /** When the session ends, however often it is refreshed. */
  readonly expiresAt: Date;
}

/**
 * Lists the caller's active sessions, the most recently active first.
 *
 * @throws CodedError `UNAUTHENTICATED`, also if the caller's own session was revoked since its JWT was issued
 */
export async function listSessions(
  deps: SessionDependencies,
  { headers }: RequestContext,
): Promise<readonly OwnSession[]> {
  const { sid } = await requireJwtSession(deps, headers);
  const sessions = await deps.stores.sessions.listOwn(sid);
  if (sessions === null) throw unauthenticated();
  return sessions.map((session) => toOwnSession(session, session.id === sid));
}

function toOwnSession(session: SessionRecord, isCurrent: boolean): OwnSession {
  return {
    id: session.id,
    deviceName: deviceName(session.userAgent),
    ipAddress: session.ipAddress,
    isCurrent,
    createdAt: session.createdAt,
    lastActiveAt: session.lastActiveAt,
    expiresAt: session.expiresAt,
  };
}
