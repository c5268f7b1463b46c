import { lookUp } from '@x/test-support/lookup';
import { startPooler, throughPooler } from '@x/test-support/postgres';
import { expect, inject, it, onTestFinished, vi } from 'vitest';
import { newAccount } from '../support/accounts.ts';
import { Browser } from '../support/browser.ts';
import { startDemo } from '../support/demo-process.ts';
import { makeSharedVariables } from '../support/four-demos.ts';
import { createDatabase } from '../support/postgres-database.ts';
import { makeFolder } from '../support/temporary-folder.ts';

it('serves from two processes behind a pooler, which hear of each other within 2 s', async () => {
  const databaseUrl = await createDatabase();
  const server = await lookUp(inject('postgresLookup'), 'No Postgres to test with');
  const pooler = await startPooler({ server, poolSize: 3 });
  onTestFinished(() => pooler[Symbol.asyncDispose]());
  const variables = makeSharedVariables(throughPooler(pooler, databaseUrl));
  const start = (): ReturnType<typeof startDemo> => startDemo({ folder: makeFolder(), variables });
  const [first, second] = await Promise.all([start(), start()]);

  const account = newAccount();
  const phone = new Browser(first.origin);
  expect((await phone.post('/api/auth/signup', account)).status).toBe(201);
  const laptop = new Browser(second.origin);
  expect((await laptop.post('/api/auth/signin', account)).status).toBe(200);
  expect((await laptop.get('/api/auth/session')).body.session).not.toBeNull();

  const lost = phone.at(second.origin);
  expect((await lost.get('/api/auth/session')).body.session).not.toBeNull();
  expect((await phone.post('/api/auth/signout')).status).toBe(200);
  await vi.waitFor(async () => expect((await lost.get('/api/auth/session')).body.session).toBeNull(), {
    timeout: 30_000,
    interval: 50,
  });
  expect((await laptop.get('/api/auth/session')).body.session).not.toBeNull();
});
