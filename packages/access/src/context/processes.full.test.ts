import type { UserId } from '@x/store';
import { createPostgresStores } from '@x/store-postgres';
import { patient } from '@x/store-testing';
import { createPostgresDatabase } from '@x/test-support/database';
import { runAtOnce } from '@x/test-support/programs';
import { expect, it } from 'vitest';

const program = new URL('../../test/can-and-consume.mjs', import.meta.url);

// Small, but in depth: the processes themselves take most of the time.
const [uses, max] = process.env['DEEP'] ? [10_000, 1000] : [400, 40];

it('allows exactly as many uses in 4 processes as are left', { timeout: 180_000 }, async () => {
  await using database = await openDatabase();
  const { stores } = database;
  await stores.counters.add('calls', uses / 4);
  await stores.counters.add('max', max);
  await stores.roleAssignments.assign({
    userId: 'ann' as UserId,
    resource: { type: 'project', id: 'p' },
    role: 'manager',
  });
  const outputs = await runAtOnce(4, program, database.url);
  const allowed = outputs.map((output) => output.split(' ').map(Number));
  expect([0, 1].map((kind) => allowed.reduce((sum, each) => sum + (each[kind] ?? 0), 0))).toEqual([max, max]);
  const periodStart = new Date(Date.UTC(new Date().getUTCFullYear(), 0, 1));
  expect(
    await stores.wallets.readMany([
      { tenantId: 'acme', limit: 'exports', periodStart },
      { tenantId: 'acme', limit: 'sends', periodStart },
      { tenantId: 'acme', limit: 'letters', periodStart: new Date(0) },
    ]),
  ).toEqual([max, max, max]);
});

async function openDatabase() {
  const database = await createPostgresDatabase();
  const stores = createPostgresStores({ patience: patient, url: database.url, clock: { now: () => new Date() } });
  await stores.migrate();
  return {
    url: database.url,
    stores,
    async [Symbol.asyncDispose]() {
      await stores.close();
      await database.drop();
    },
  };
}
