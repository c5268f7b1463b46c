import type { UserId } from '../values.ts';
import type { MfaRecord } from '../auth/mfa.ts';
import type { TransactionStores } from '../stores.ts';
import type { SampleRecords } from './sample-records.ts';
import { stored } from './stored.ts';

/** Turns a user's second factor on, with step 1000 as the last accepted one. */
export async function turnOn(
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
