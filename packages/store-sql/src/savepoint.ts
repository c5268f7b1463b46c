import type { OpenTransaction } from './open-transaction.ts';

/**
 * Runs `work` in a savepoint of the transaction: if it throws, its own changes are rolled back and the error is
 * rethrown. One name serves every depth, because the innermost savepoint of that name is used.
 */
export async function inSavepoint<T>(transaction: OpenTransaction, work: () => Promise<T>): Promise<T> {
  await transaction.run('SAVEPOINT step');
  try {
    const result = await work();
    await transaction.run('RELEASE SAVEPOINT step');
    return result;
  } catch (error) {
    await undo(transaction);
    throw error;
  }
}

/** After a full disk, a failed read or a lost connection, the whole transaction has already been rolled back. */
async function undo(transaction: OpenTransaction): Promise<void> {
  if (!transaction.isOpen) return;
  await transaction.run('ROLLBACK TO SAVEPOINT step');
  await transaction.run('RELEASE SAVEPOINT step');
}
