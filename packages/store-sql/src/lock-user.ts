import type { SqlDialect } from './sql-driver.ts';

// Whatever changes several rows of one user takes the user's row first: such steps go one after another, also after a
// password change or the deletion of the user, and no two of them can wait for each other.

/** Builds the statement that takes the row of a user. */
export const toLockUser = ({ lockRow }: SqlDialect): string => `SELECT id FROM auth_users WHERE id = $1 ${lockRow}`;
