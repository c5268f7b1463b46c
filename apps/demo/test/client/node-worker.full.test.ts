import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { expect, it } from 'vitest';
import { newAccount } from '../support/accounts.ts';
import { startHere } from '../support/demo-in-process.ts';

it('works in a thread of Node as anywhere, and lets it end', async () => {
  const workerData = { url: await startHere(), account: newAccount() };
  const worker = new Worker(new URL('./node-worker.ts', import.meta.url), { workerData });
  const exited = once(worker, 'exit');
  const [reported] = (await once(worker, 'message')) as readonly unknown[];
  expect(reported).toEqual({ status: 'signedIn', titles: ['From a thread'], mayInvite: true });
  expect(await exited).toEqual([0]);
});
