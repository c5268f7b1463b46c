import { createSqliteStores } from '@x/store-sqlite';
import { patient } from '@x/store-testing';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { createOutbox, type Outbox } from '../../src/mail/outbox.ts';
import { Browser } from '../support/browser.ts';
import { startHere } from '../support/demo-in-process.ts';
import { makeFolder } from '../support/temporary-folder.ts';
import { startTwo } from '../support/two-demos.ts';

const baseUrl = 'http://localhost:3000';

it('shows in every process the mails of all processes', async () => {
  const folder = makeFolder();
  const browsers = await startTwo(folder);
  const outbox = openOutbox(join(folder, '.data/demo.db'));
  await outbox.keep({ kind: 'verification', to: 'ada@example.com', token: 'x' }, baseUrl);
  await outbox.keep({ kind: 'reset', to: 'eve@example.com', token: 'y' }, baseUrl);
  await outbox.keep({ kind: 'notice', to: 'ada@example.com', change: 'password.reset' }, baseUrl);
  const sentAt = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
  const hers = { to: 'ada@example.com', kind: 'verification', token: 'x', url: `${baseUrl}/verify?token=x`, sentAt };
  const his = { to: 'eve@example.com', kind: 'reset', token: 'y', url: `${baseUrl}/reset?token=y`, sentAt };
  const notice = { to: 'ada@example.com', kind: 'notice', change: 'password.reset', sentAt };
  for (const browser of browsers) {
    const all = await browser.get('/dev/outbox');
    expect([all.status, all.headers.get('cache-control'), all.body]).toEqual([
      200,
      'no-store',
      { messages: [notice, his, hers] },
    ]);
    expect((await browser.get('/dev/outbox?to=ADA%40example.com')).body).toEqual({ messages: [notice, hers] });
    expect((await browser.get('/dev/outbox?to=nobody%40example.com')).body).toEqual({ messages: [] });
  }
});

it('responds to any address', async () => {
  const browser = new Browser(await startHere());
  for (const query of [
    '',
    '?',
    '?to',
    '?to=',
    '?to=%00',
    '?to=%ff%fe',
    '?to=a@b.c&to=d@e.f',
    `?to=${'a'.repeat(4000)}`,
  ]) {
    const answer = await browser.get(`/dev/outbox${query}`);
    expect([answer.status, answer.body], query).toEqual([200, { messages: [] }]);
  }
  const posted = await browser.post('/dev/outbox', {});
  expect([posted.status, posted.headers.get('allow')]).toEqual([405, 'GET, HEAD']);
});

/** Opens the outbox of the demos on a database file, past them. */
function openOutbox(path: string): Outbox {
  const stores = createSqliteStores({ patience: patient, path, clock: { now: () => new Date() } });
  onTestFinished(() => stores.close());
  return createOutbox(stores);
}
