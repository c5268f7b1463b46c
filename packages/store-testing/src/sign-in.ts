import type {
  MfaRecord,
  NewSession,
  NewUser,
  SessionId,
  SessionRecord,
  TransactionStores,
  UserId,
  UserRecord,
} from '@x/store';
import { expect } from 'vitest';
import type { SampleRecords } from './sample-records.ts';

/** Returns what a store method made or found, and fails the test where it was null. */
export function stored<Found>(found: Found | null): Found {
  expect(found).not.toBeNull();
  if (found === null) throw new TypeError('unreachable');
  return found;
}

/** Stores a sample user. */
export async function signUp(
  stores: TransactionStores,
  records: SampleRecords,
  overrides: Partial<NewUser> = {},
): Promise<UserRecord> {
  return stored(await stores.users.create(records.user(overrides)));
}

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

/** Turns a user's second factor on, with step 1000 as the last accepted one. */
export async function enableMfa(
  stores: TransactionStores,
  records: SampleRecords,
  userId: UserId,
  backupCodeHashes: readonly string[] = ['code-1', 'code-2', 'code-3'],
): Promise<MfaRecord> {
  const setup = records.pendingMfa(userId);
  await stores.mfa.startSetup(setup);
  await stores.mfa.enable(userId, { secret: setup.secret, step: 1000, backupCodeHashes });
  return stored(await stores.mfa.find(userId));
}
