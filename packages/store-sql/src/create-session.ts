import type { CreatedSession, NewSession, SessionTerms, UserId } from '@x/store';

import { sessionColumns, toSessionId, toSessionRecord, toSessionValues } from './session-row.ts';
import type { SqlDialect, SqlRow, SqlScope } from './sql-driver.ts';
import { toUserRecord, userColumns } from './user-row.ts';

/** Builds the statement that locks the row of the user who signs in, if they may. */
export const toLockSignIn = ({ lockRow }: SqlDialect): string => `
  SELECT ${userColumns} FROM auth_users
  WHERE id = $1 AND disabled_at IS NULL AND ($2 OR password_hash IS NOT DISTINCT FROM $3) ${lockRow}`;

/** How many active sessions a user has. */
export const countActive: string = `
  SELECT COUNT(*) AS active FROM auth_sessions
  WHERE user_id = $1 AND revoked_at IS NULL AND expires_at > $2`;

/** The outer conditions re-check rows that another transaction has just changed. */
const revokeOldest = `
  UPDATE auth_sessions SET revoked_at = $2
  WHERE revoked_at IS NULL AND id IN (
    SELECT id FROM auth_sessions
    WHERE user_id = $1 AND revoked_at IS NULL AND expires_at > $2
    ORDER BY created_at DESC, id DESC LIMIT 9223372036854775807 OFFSET $3
  )
  RETURNING id`;

const insertSession = `
  INSERT INTO auth_sessions (${sessionColumns})
  VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $10, $10, 0, 0, NULL, NULL)
  RETURNING ${sessionColumns}`;

/** The data of a new session, and the conditions for it. */
export interface SessionCreation extends SessionTerms {
  readonly session: NewSession;
  readonly milliseconds: () => number;
}

/** Stores a session and revokes those above the maximum; null if the user may not sign in under these conditions. */
export async function createSession(
  step: SqlScope,
  lockSignIn: string,
  { session: newSession, maxActive, expectedPasswordHash, milliseconds }: SessionCreation,
): Promise<CreatedSession | null> {
  const { userId } = newSession;
  const anyPassword = expectedPasswordHash === undefined;
  const [row] = await step.read(lockSignIn, [userId, anyPassword, expectedPasswordHash ?? null]);
  if (!row) return null;
  const user = toUserRecord(row);
  // All statements use the same moment, after the wait for the user's row.
  const now = milliseconds();
  const revoked = await makeRoom(step, { userId, now, atMost: maxActive - 1 });
  const [session] = await step.write(insertSession, [...toSessionValues(newSession, user.tenantId), now]);
  if (!session) throw new TypeError('An insert returned no row.');
  return { user, session: toSessionRecord(session), revoked: revoked.map(toSessionId) };
}

/** Counting first takes a fifth of the time of looking for the oldest, and hardly anybody has too many. */
async function makeRoom(
  step: SqlScope,
  { userId, now, atMost }: { readonly userId: UserId; readonly now: number; readonly atMost: number },
): Promise<readonly SqlRow[]> {
  const [row] = await step.read(countActive, [userId, now]);
  return Number(row?.['active']) > atMost ? step.write(revokeOldest, [userId, now, atMost]) : [];
}
