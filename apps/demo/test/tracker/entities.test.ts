import { expect, it } from 'vitest';
import { seededLogins } from '../../src/seed.ts';
import { Browser } from '../support/browser.ts';
import { startHere } from '../support/demo-in-process.ts';
import { startDemo } from '../support/demo-process.ts';
import { createDatabase } from '../support/postgres-database.ts';
import { walkThroughRecords } from '../support/record-journey.ts';
import { makeFolder } from '../support/temporary-folder.ts';

it.each(['memory', 'file', 'postgres'])('serves its entities from a database of the kind %s', async (kind) => {
  const folder = makeFolder();
  const urls = { memory: () => 'memory:', file: () => `file:${folder}/demo.db`, postgres: createDatabase };
  const url = await startHere({ DATABASE_URL: await urls[kind as keyof typeof urls]() });
  await expect(walkThroughRecords(url)).resolves.toBeUndefined();
});

it('seeds accounts and records once, also if two processes start on one database', async () => {
  const [folder, variables] = [makeFolder(), { SEED: 'true' }];
  const [first, second] = await Promise.all([startDemo({ folder, variables }), startDemo({ folder, variables })]);
  for (const word of [...seededLogins.emails, seededLogins.password]) expect(first.output()).toContain(word);
  const [ada, grace] = seededLogins.emails.map(() => new Browser(first.origin)) as [Browser, Browser];
  for (const [index, browser] of [ada, grace].entries()) {
    const account = { email: seededLogins.emails[index], password: seededLogins.password };
    expect((await browser.post('/api/auth/signin', account)).status).toBe(200);
  }
  expect((await ada.get('/api/notes')).body.items).toHaveLength(2);
  expect((await ada.get('/api/documents')).body.items, 'her own two, and what grace shares').toHaveLength(3);
  expect((await grace.get('/api/documents')).body.items).toHaveLength(3);
  for (const browser of [ada, grace]) {
    expect((await browser.get('/api/projects')).body.items).toHaveLength(2);
    expect((await browser.get('/api/tasks')).body.items).toHaveLength(5);
    expect((await browser.get('/api/comments')).body.items).toHaveLength(2);
  }
  expect((await new Browser(second.origin).get('/api/announcements')).body.items).toHaveLength(1);
});
