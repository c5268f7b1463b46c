import { storeUnavailable } from '@x/store';
import type { SqlScope } from '@x/store-sql';

/**
 * @throws CodedError `SERVICE_UNAVAILABLE` if the database does not answer, or no migration was applied
 *
 * @throws CodedError `SERVICE_UNAVAILABLE` where the database does not answer, or no migration was applied
 */
export async function ping(read: SqlScope['read']): Promise<void> {
  try {
    await read('SELECT 1 FROM auth_migrations LIMIT 1', []);
  } catch (error) {
    // Elsewhere a missing table is an error; here it is the answer.
    throw storeUnavailable(error);
  }
}
