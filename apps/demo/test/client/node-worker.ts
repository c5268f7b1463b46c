import { createClient } from '@x/client';
import { createCookieFetch } from '@x/client/cookies';
import { parentPort, workerData } from 'node:worker_threads';
import type { Tracker } from '../../src/tracker.ts';
import type { newAccount } from '../support/accounts.ts';

const { url, account } = workerData as { readonly url: string; readonly account: ReturnType<typeof newAccount> };

const client = createClient<Tracker>({ baseUrl: url, fetch: createCookieFetch() });
await client.auth.signUp(account);
await client.entities.notes.create({ title: 'From a thread', body: '' });
const notes = await client.entities.notes.list();
await client.access.refresh();
parentPort?.postMessage({
  status: client.session.getSnapshot().status,
  titles: notes.ok ? notes.data.items.map(({ title }) => title) : notes.error.code,
  mayInvite: client.access.can('organization:invite'),
});
