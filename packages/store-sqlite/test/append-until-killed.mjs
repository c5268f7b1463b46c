// Appends events to the database at argv[2], and prints the id of each once it is acknowledged.
import { randomUUID } from 'node:crypto';
import { writeSync } from 'node:fs';
import { patient } from '@x/test-support/patient';

import { createSqliteStores } from '../src/index.ts';

process.once('disconnect', () => process.exit());
const stores = createSqliteStores({ patience: patient, path: process.argv[2], clock: { now: () => new Date() } });

async function appendForEver() {
  for (;;) {
    const id = randomUUID();
    await stores.events.append({ ...event, id });
    writeSync(1, `${id}\n`);
  }
}

async function moveForEver() {
  for (;;) {
    await stores.transaction(async (inside) => {
      await inside.counters.add('left', -1);
      await inside.counters.add('right', 1);
    });
  }
}

const event = {
  type: 'test.appended',
  userId: 'user-1',
  tenantId: null,
  sessionId: null,
  ipAddress: null,
  userAgent: null,
  detail: { text: 'x'.repeat(200) },
};
await Promise.all([moveForEver(), ...Array.from({ length: 8 }, appendForEver)]);
