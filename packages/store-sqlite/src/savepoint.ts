import type { OpenTransaction } from './open-transaction.ts';

/**
 * Runs `work` in a savepoint of the transaction: where it throws, its own changes are undone and
 * the error is thrown on. One name serves every depth, since SQLite takes the innermost.
 */
export async function inSavepoint<T>(transaction: OpenTransaction, work: () => Promise<T>): Promise<T> {
  transaction.run('SAVEPOINT step');
  try {
    const result = await work();
    transaction.run('RELEASE step');
    return result;
  } catch (error) {
    undo(transaction);
    throw error;
  }
}

/** After a full disk or a failed read SQLite has already undone the whole transaction. */
function undo(transaction: OpenTransaction): void {
  if (!transaction.isOpen) return;
  transaction.run('ROLLBACK TO step');
  transaction.run('RELEASE step');
}
