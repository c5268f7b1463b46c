import type { SessionId, SessionWithUser } from '@x/store';

import { sessionColumns, toFirstSession } from './session-row.ts';
import type { SqlDialect, SqlScope } from './sql-driver.ts';
import { toUserRecord, userColumns } from './user-row.ts';

/** The statements that lock a session, in order. */
export interface HoldStatements {
  readonly lockUser: string;
  readonly lockSession: string;
}

/** Builds the statements that lock the row of a session's user and then its own, if it is active. */
export const toHoldStatements = ({ lockRow }: SqlDialect): HoldStatements => ({
  lockUser: `
  SELECT ${userColumns} FROM auth_users WHERE id = (SELECT user_id FROM auth_sessions WHERE id = $1) ${lockRow}`,
  lockSession: `
  SELECT ${sessionColumns} FROM auth_sessions WHERE id = $1 AND revoked_at IS NULL AND expires_at > $2 ${lockRow}`,
});

/** Finds an active session and its user, and locks both until the surrounding transaction ends. */
export async function holdSession(
  step: SqlScope,
  { lockUser, lockSession }: HoldStatements,
  { id, milliseconds }: { readonly id: SessionId; readonly milliseconds: () => number },
): Promise<SessionWithUser | null> {
  const [user] = await step.read(lockUser, [id]);
  if (!user) return null;
  const session = toFirstSession(await step.read(lockSession, () => [id, milliseconds()]));
  return session && { session, user: toUserRecord(user) };
}
