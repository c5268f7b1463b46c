import type { SqliteConnection } from './sqlite-connection.ts';

/**
 * Runs `work` in a savepoint of the open transaction: where it throws, its own changes are undone and
 * the error is thrown on. One name serves every depth, since SQLite takes the innermost.
 */
export async function inSavepoint<T>(connection: SqliteConnection, work: () => Promise<T>): Promise<T> {
  connection.run('SAVEPOINT step');
  try {
    const result = await work();
    connection.run('RELEASE step');
    return result;
  } catch (error) {
    undo(connection);
    throw error;
  }
}

/** After a full disk or a failed read SQLite has already undone the whole transaction. */
function undo(connection: SqliteConnection): void {
  if (!connection.inTransaction) return;
  connection.run('ROLLBACK TO step');
  connection.run('RELEASE step');
}
