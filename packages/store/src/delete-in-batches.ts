/** Small, because a batch blocks other writers, here for a few milliseconds. */
const batchSize = 200;

/**
 * Deletes rows batch by batch, until none are left; returns how many.
 *
 * @param deleteBatch - deletes at most `limit` rows, and returns how many it deleted
 * @param signal - stops after the current batch
 */
export async function deleteInBatches(
  deleteBatch: (limit: number) => Promise<number>,
  signal?: AbortSignal,
): Promise<number> {
  let deleted = 0;
  while (signal?.aborted !== true) {
    const count = await deleteBatch(batchSize);
    deleted += count;
    // A batch may come out short because another process is deleting the same rows; that process goes on.
    if (count < batchSize) break;
  }
  return deleted;
}
