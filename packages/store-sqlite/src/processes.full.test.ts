import { setTimeout as sleep } from 'node:timers/promises';
import type { UserId } from '@x/store';
import { ManualClock } from '@x/store-testing/clock';
import { patient } from '@x/store-testing';
import { runAtOnce } from '@x/test-support/programs';
import { expect, it } from 'vitest';
import { createSqliteStores } from './create-sqlite-stores.ts';
import { useTemporaryFolder } from './testing/temporary-folder.ts';

it('allows 4 processes with 50 attempts each exactly as many as the limit', async () => {
  await using temporary = await useTemporaryFolder();
  const path = `${temporary.folder}/test.db`;
  const stores = createSqliteStores({ patience: patient, path, clock: new ManualClock() });
  await stores.migrate();
  const outputs = await runAtOnce(4, new URL('../test/check-rate-limit.mjs', import.meta.url), path);
  const counts = outputs.map((output) => output.split(' ').map(Number));
  const [allowed, firstRefusals] = [0, 1].map((place) => counts.reduce((sum, count) => sum + (count[place] ?? 0), 0));
  expect([allowed, firstRefusals]).toEqual([17, 1]);
  await stores.close();
});

it('keeps at most 50 sessions active at any moment while 4 processes create 60', async () => {
  await using temporary = await useTemporaryFolder();
  const path = `${temporary.folder}/test.db`;
  const stores = createSqliteStores({ patience: patient, path, clock: { now: () => new Date() } });
  await stores.migrate();
  const userId = 'user-1' as UserId;
  await stores.users.create({ ...user, id: userId });
  const seen = new Set<number>();
  let isOver = false;
  const watching = (async (): Promise<void> => {
    for (; !isOver; await sleep(0)) {
      seen.add(await stores.sessions.countActive(userId));
      seen.add((await stores.sessions.listActive(userId)).length);
    }
  })();
  // The test is repeated if this process was not scheduled between none and all.
  do {
    await stores.sessions.revokeAll(userId);
    await runAtOnce(4, new URL('../test/create-sessions.mjs', import.meta.url), path);
  } while (seen.size <= 2);
  isOver = true;
  await watching;
  expect(await stores.sessions.countActive(userId)).toBe(50);
  expect(Math.max(...seen)).toBeLessThanOrEqual(50);
  await stores.close();
});

const user = {
  email: 'a@example.com',
  loginEmail: 'a@example.com',
  emailVerified: true,
  emailProvenAt: null,
  passwordHash: null,
  role: 'user',
  tenantId: null,
  fields: {},
};
