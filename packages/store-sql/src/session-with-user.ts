import type { SessionWithUser } from '@x/store';

import { joinColumns } from './joined-columns.ts';
import { sessionColumns, toSessionRecord } from './session-row.ts';
import type { SqlRow } from './sql-driver.ts';
import { toUserRecord, userColumns } from './user-row.ts';

const joinedSession = joinColumns('s', sessionColumns);

const joinedUser = joinColumns('u', userColumns);

/** The columns of a session `s` and of its user `u`. */
export const sessionWithUserColumns: string = `${joinedSession.text}, ${joinedUser.text}`;

/** The tables that the two come from. */
export const sessionWithUserTables = 'auth_sessions s JOIN auth_users u ON u.id = s.user_id';

/** Converts a row of {@link sessionWithUserColumns} to both; null if there is no session. */
export function toSessionWithUser([row]: readonly SqlRow[]): SessionWithUser | null {
  if (!row || row['s_id'] === null) return null;
  return { session: toSessionRecord(joinedSession.pick(row)), user: toUserRecord(joinedUser.pick(row)) };
}
