// Creates 15 sessions of the user of the database at argv[2], three at a time, as sign-ins do.
import { randomUUID } from 'node:crypto';
import { toRefreshTokenHash } from '@x/store';

import { awaitSignal } from '@x/test-support/await-signal';
import { patient } from '@x/test-support/patient';
import { createSqliteStores } from '../src/index.ts';

const stores = createSqliteStores({ patience: patient, path: process.argv[2], clock: { now: () => new Date() } });

async function signInFiveTimes() {
  for (let count = 0; count < 5; count += 1) {
    const id = randomUUID();
    const session = { ...signIn, id, refreshTokenHash: toRefreshTokenHash(id, randomUUID()) };
    await stores.sessions.create(session, { maxActive: 50 });
  }
}

const signIn = {
  userId: 'user-1',
  refreshSalt: 'salt',
  ipAddress: null,
  userAgent: null,
  tenantId: null,
  secondFactorAt: null,
  authenticatedAt: new Date(),
  authenticatedBy: 'password',
  expiresAt: new Date(Date.now() + 3_600_000),
};
await awaitSignal();
await Promise.all([signInFiveTimes(), signInFiveTimes(), signInFiveTimes()]);
await stores.close();
