// Makes 50 attempts at once on one key of the database at argv[2], and prints how many were allowed
// and how many were the first to be refused.
import { writeSync } from 'node:fs';

import { awaitSignal } from '@x/test-support/await-signal';
import { patient } from '@x/test-support/patient';
import { createSqliteStores } from '../src/index.ts';

const stores = createSqliteStores({ patience: patient, path: process.argv[2], clock: { now: () => new Date() } });
await awaitSignal();
const results = await Promise.all(Array.from({ length: 50 }, () => stores.rateLimits.check('key', 17, 3_600_000)));
const allowed = results.filter((result) => result.allowed).length;
writeSync(1, `${allowed} ${results.filter(({ isFirstRefusal }) => isFirstRefusal).length}`);
await stores.close();
