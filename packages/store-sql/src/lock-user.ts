import type { SqlDialect } from './sql-driver.ts';

// Whatever changes several rows of one user, their second factor, or a mailed token of theirs, takes the user's row first,
// and by the same lock: such steps go one after another, also after a password change or the deletion of the user, and no two of them can
// wait for each other. A weaker lock in one of them would be in the way of another that has to raise its own, as a new
// login e-mail does.

/** Builds the statement that takes the row of a user. */
export const toLockUser = ({ lockRow }: SqlDialect): string => `SELECT id FROM auth_users WHERE id = $1 ${lockRow}`;
