// Migrates the database at argv[2] at the same moment as its siblings.
import { writeSync } from 'node:fs';

import { awaitSignal } from '@x/test-support/await-signal';
import { patient } from '@x/test-support/patient';
import { createSqliteStores } from '../src/index.ts';

await awaitSignal();
const stores = createSqliteStores({ patience: patient, path: process.argv[2], clock: { now: () => new Date() } });
await stores.migrate();
writeSync(1, String(await stores.counters.add('migrated', 1)));
await stores.close();
