import { join } from 'node:path';
import { expect, it } from 'vitest';
import { newAccount } from '../support/accounts.ts';
import { query } from '../support/database-file.ts';
import { refresh, refreshTokenOf } from '../support/refresh.ts';
import { makeFolder } from '../support/temporary-folder.ts';
import { startTwo } from '../support/two-demos.ts';

it('gives 200 concurrent refreshes of one token over two processes one successor', async () => {
  const folder = makeFolder();
  const [one, two] = await startTwo(folder, { RATE_LIMIT_FACTOR: '100' });
  await one.post('/api/auth/signup', newAccount());
  const token = refreshTokenOf(one);
  const refreshed = await Promise.all(
    Array.from({ length: 200 }, (_, index) => refresh((index % 2 === 0 ? one : two).url, token)),
  );
  expect(refreshed.map(({ answer }) => answer.status)).toEqual(refreshed.map(() => 200));
  const successors = new Set(refreshed.map((each) => each.token));
  expect(successors.size).toBe(1);
  expect(successors).not.toContain(token);
  expect(query(join(folder, '.data/demo.db'), 'SELECT generation, revoked_at FROM auth_sessions')).toEqual([
    { generation: 1, revoked_at: null },
  ]);
  const [successor = ''] = successors;
  expect((await refresh(two.url, successor)).answer.status).toBe(200);
});

it('continues a chain of refreshes from process to process', async () => {
  const [one, two] = await startTwo(makeFolder());
  await one.post('/api/auth/signup', newAccount());
  let token = refreshTokenOf(one);
  for (const browser of [two, one, two, one]) {
    const refreshed = await refresh(browser.url, token);
    expect(refreshed.answer.status).toBe(200);
    token = refreshed.token ?? '';
  }
});
