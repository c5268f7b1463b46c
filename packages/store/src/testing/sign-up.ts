import type { TransactionStores } from '../stores.ts';
import type { NewUser, UserRecord } from '../auth/users.ts';
import type { SampleRecords } from './sample-records.ts';
import { stored } from './stored.ts';

/** Stores a sample user. */
export async function signUp(
  stores: TransactionStores,
  records: SampleRecords,
  overrides: Partial<NewUser> = {},
): Promise<UserRecord> {
  return stored(await stores.users.create(records.user(overrides)));
}
