import { storeUnavailable } from '@x/store';
import type { SqlScope } from '@x/store-sql';

/** @throws CodedError `SERVICE_UNAVAILABLE` where the database does not answer, or no migration was applied */
export async function ping(read: SqlScope['read']): Promise<void> {
  try {
    await read('SELECT 1 FROM auth_migrations LIMIT 1', []);
  } catch (error) {
    // A table that is missing is a mistake elsewhere; here it is the answer.
    throw storeUnavailable(error);
  }
}
