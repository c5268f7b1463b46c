import type { SessionId, UserId } from '../values.ts';
import type { NewSession, SessionRecord } from '../auth/sessions.ts';
import type { TransactionStores } from '../stores.ts';
import type { SampleRecords } from './sample-records.ts';
import { stored } from './stored.ts';

/** Stores a sample session of a user, far from the cap. */
export async function signIn(
  stores: TransactionStores,
  records: SampleRecords,
  userId: UserId,
  overrides: Partial<NewSession> = {},
): Promise<SessionRecord> {
  const created = await stores.sessions.create(records.session(userId, overrides), { maxActive: 1000 });
  return stored(created).session;
}

/** Signs a user in six times. */
export async function signInOften(
  stores: TransactionStores,
  records: SampleRecords,
  userId: UserId,
): Promise<readonly [SessionId, SessionId, SessionId, SessionId, SessionId, SessionId]> {
  const start = async (): Promise<SessionId> => (await signIn(stores, records, userId)).id;
  return [await start(), await start(), await start(), await start(), await start(), await start()];
}
