import type { Stores } from '@x/store';
import { createMemoryStores } from '@x/store-memory';
import { createPostgresStores } from '@x/store-postgres';
import { createSqliteStores } from '@x/store-sqlite';
import { patient } from '@x/store-testing';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { createOutbox } from '../../src/mail/outbox.ts';
import { createDatabase } from '../support/postgres-database.ts';
import { makeFolder } from '../support/temporary-folder.ts';

/** All mails of a test are of one moment, which must not mix them up. */
const now = new Date('2026-10-05T12:00:00.000Z');
const clock = { now: () => now };
const baseUrl = 'https://tracker.example';

/** Opens the stores of as many processes as one database can have. */
const engines: Readonly<Record<string, () => Promise<readonly Stores[]>>> = {
  memory: async () => {
    const stores = createMemoryStores({ clock });
    return [stores, stores];
  },
  sqlite: async () => {
    const path = join(makeFolder(), 'outbox.db');
    return [
      createSqliteStores({ patience: patient, path, clock }),
      createSqliteStores({ patience: patient, path, clock }),
    ];
  },
  postgres: async () => {
    const database = await createDatabase();
    return [
      createPostgresStores({ patience: patient, url: database, clock }),
      createPostgresStores({ patience: patient, url: database, clock }),
    ];
  },
};

it.each(Object.keys(engines))('lists the mails of every process, newest first, on %s', async (engine) => {
  const [one, two] = await open(engine);
  await one.keep({ kind: 'verification', to: 'ada@example.com', token: 'first' }, baseUrl);
  await two.keep({ kind: 'reset', to: 'eve@example.com', token: 'second' }, baseUrl);
  await one.keep({ kind: 'invitation', to: 'ada@example.com', token: 'third' }, baseUrl);
  const third = {
    kind: 'invitation',
    to: 'ada@example.com',
    token: 'third',
    url: `${baseUrl}/join?token=third`,
    sentAt: now,
  };
  const second = {
    kind: 'reset',
    to: 'eve@example.com',
    token: 'second',
    url: `${baseUrl}/reset?token=second`,
    sentAt: now,
  };
  const first = {
    kind: 'verification',
    to: 'ada@example.com',
    token: 'first',
    url: `${baseUrl}/verify?token=first`,
    sentAt: now,
  };
  for (const outbox of [one, two]) {
    expect(await outbox.list()).toEqual([third, second, first]);
    expect(await outbox.list(' ADA@Example.com')).toEqual([third, first]);
    expect(await outbox.list('nobody@example.com')).toEqual([]);
  }
});

it.each(Object.keys(engines))('keeps all of many mails at once, and lists the newest 100, on %s', async (engine) => {
  const [one, two] = await open(engine);
  const keep = async (index: number): Promise<void> => {
    const to = index < 3 ? 'ada@example.com' : 'eve@example.com';
    await (index % 2 === 0 ? one : two).keep({ kind: 'reset', to, token: `${index}` }, baseUrl);
  };
  await Promise.all([0, 1, 2].map(keep));
  await Promise.all(Array.from({ length: 102 }, (_, index) => keep(index + 3)));
  const [all, hers] = [await one.list(), await two.list('ada@example.com')];
  expect(all).toHaveLength(100);
  expect(all.every(({ to }) => to === 'eve@example.com')).toBe(true);
  expect(new Set(all.map(({ token }) => token)).size).toBe(100);
  expect(hers.map(({ token = '' }) => token).toSorted()).toEqual(['0', '1', '2']);
});

it.each(Object.keys(engines))('lists nothing for an invalid address, on %s', async (engine) => {
  const [outbox] = await open(engine);
  await outbox.keep({ kind: 'reset', to: 'ada@example.com', token: 'x' }, baseUrl);
  const texts = ['', '@', 'ada', 'ada@example.com\0', '\uD800@example.com', 'null', `${'a'.repeat(5000)}@example.com`];
  for (const text of texts) expect(await outbox.list(text), JSON.stringify(text)).toEqual([]);
});

async function open(
  engine: string,
): Promise<readonly [ReturnType<typeof createOutbox>, ReturnType<typeof createOutbox>]> {
  const [one, two] = (await engines[engine]?.()) ?? [];
  if (!one || !two) throw new TypeError('There is no such engine.');
  onTestFinished(async () => {
    await Promise.all([one.close(), two.close()]);
  });
  await one.migrate();
  return [createOutbox(one), createOutbox(two)];
}
