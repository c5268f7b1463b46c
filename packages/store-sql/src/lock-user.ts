import type { SqlDialect } from './sql-driver.ts';

// Every step that changes several rows of one user, their second factor, or their mailed token locks the user's row
// first, always with the same lock. Such steps run one after another, also with a password change or the deletion of
// the user, and can't deadlock. A weaker lock in one of them could deadlock with one that has to upgrade its own, as a
// new login e-mail does.

/** Builds the statement that locks the row of a user. */
export const toLockUser = ({ lockRow }: SqlDialect): string => `SELECT id FROM auth_users WHERE id = $1 ${lockRow}`;
