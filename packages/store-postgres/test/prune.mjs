// Prunes the database at argv[2] in batches, as a server does; prints how many rows of each kind that deleted.
import { writeSync } from 'node:fs';

import { awaitSignal } from '@x/test-support/await-signal';
import { patient } from '@x/test-support/patient';
import { createPostgresStores } from '../src/index.ts';

const now = new Date();
const stores = createPostgresStores({ patience: patient, url: process.argv[2], clock: { now: () => now } });
const batch = { before: now, limit: 200 };

async function inBatches(deleteBatch) {
  let [deleted, count] = [0, 0];
  do deleted += count = await deleteBatch();
  while (count === batch.limit);
  return deleted;
}

await stores.ping();
await awaitSignal();
const deleted = [
  await inBatches(() => stores.sessions.prune(batch)),
  await inBatches(() => stores.rateLimits.prune(batch)),
  await inBatches(() => stores.events.prune(batch)),
  await inBatches(() => stores.emailVerifications.prune(batch)),
  await inBatches(() => stores.passwordResets.prune(batch)),
  await inBatches(() => stores.oneTimeIds.prune(batch)),
];
writeSync(1, deleted.join(' '));
await stores.close();
