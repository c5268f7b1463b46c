import type { OpenApiDocument } from '@x/openapi';
import { expect, it } from 'vitest';
import { newAccount } from '../support/accounts.ts';
import { askAmiss } from './ask-amiss.ts';
import { Browser } from '../support/browser.ts';
import { startHere } from '../support/demo-in-process.ts';
import { compareAnswers } from './compare-answers.ts';
import { type Person, signUpPerson } from '../support/person.ts';
import { createDatabase } from '../support/postgres-database.ts';
import { makeFolder } from '../support/temporary-folder.ts';
import { recordAnswers } from './record-answers.ts';
import { endAccounts, useAccount } from './use-account.ts';
import { exceedPage, meetConflicts, useAnnouncements, useOwnRecords, useTracker } from './use-records.ts';

const admin = newAccount('admin');

/** Returns the `DATABASE_URL` of an empty database. */
const createDatabases = {
  memory: async () => 'memory:',
  SQLite: async () => `file:${makeFolder()}/demo.db`,
  Postgres: createDatabase,
} satisfies Readonly<Record<string, () => Promise<string>>>;

/** Starts a demo in which no client meets a limit, and reads what it says of itself. */
async function startDemo(databaseUrl: string): Promise<{ readonly url: string; readonly document: OpenApiDocument }> {
  const variables = { RATE_LIMIT_FACTOR: '1000', OAUTH_MOCK: 'true', ADMIN_EMAIL: admin.email };
  const url = await startHere({ ...variables, DATABASE_URL: databaseUrl });
  return { url, document: JSON.parse((await new Browser(url).get('/api/openapi.json')).text) as OpenApiDocument };
}

async function signUpAdmin(url: string): Promise<Person> {
  const person = await signUpPerson(url, admin);
  await person.verify();
  await person.browser.post('/api/auth/signin', admin);
  return person;
}

it.for(Object.entries(createDatabases))('responds as documented to every valid request, on %s', async ([, create]) => {
  const { url, document } = await startDemo(await create());
  const answers = recordAnswers(url);
  const [ada, bob] = [await signUpPerson(url), await signUpPerson(url)];
  const code = await useAccount(ada);
  await useTracker(ada, bob);
  await useOwnRecords(ada);
  await useAnnouncements(await signUpAdmin(url));
  await useLive(ada.browser);
  await useServer(ada.browser);
  await meetConflicts(ada);
  await exceedPage(ada);
  await endAccounts(ada, code);

  const { complaints, seen } = compareAnswers(document, answers);
  expect(complaints).toEqual([]);
  const operations = Object.values(document.paths).flatMap((path) => Object.values(path));
  const unseen = operations.filter(
    ({ operationId, responses }) =>
      !Object.keys(responses).some((status) => status < '400' && seen.has(`${operationId} ${status}`)),
  );
  // The demo accepts at once, so no invitation waits for a proven address. The package tests these two.
  expect(unseen.map(({ operationId }) => operationId)).toEqual(['invitations.accept', 'invitations.decline']);
});

it('refuses invalid requests as documented', async () => {
  const { url, document } = await startDemo('memory:');
  const answers = recordAnswers(url);
  await askAmiss(url, document);

  const { complaints, seen } = compareAnswers(document, answers);
  expect(complaints).toEqual([]);
  const statuses = new Set([...seen].map((each) => each.split(' ')[1]));
  expect([...statuses]).toEqual(expect.arrayContaining(['400', '401', '403', '404', '405', '413', '415']));
});

async function useLive(browser: Browser): Promise<void> {
  const leave = new AbortController();
  const cookie = [...browser.cookies].map(([name, value]) => `${name}=${value}`).join('; ');
  const { body } = await fetch(`${browser.url}/api/live`, { headers: { cookie }, signal: leave.signal });
  const { value } = (await body?.getReader().read()) ?? {};
  const [, streamId = ''] = /"streamId":"([^"]+)"/.exec(new TextDecoder().decode(value)) ?? [];
  const subscription = { streamId, id: 'open', entity: 'tasks', where: { title: { contains: 'a' } } };
  expect((await browser.post('/api/live/subscriptions', subscription)).status).toBe(201);
  expect((await browser.delete(`/api/live/subscriptions/${streamId}/open`)).status).toBe(204);
  leave.abort();
}

async function useServer(browser: Browser): Promise<void> {
  for (const path of ['/healthz', '/readyz', '/api/auth/.well-known/jwks.json']) await browser.get(path);
  for (const path of ['/api/docs', '/api/openapi.json']) {
    const { headers } = await browser.get(path);
    await browser.send(path, { headers: { 'if-none-match': headers.get('etag') } });
  }
}
