import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createClient } from 'redis';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { AuthOptions } from '@x/auth';
import { refusalOf } from '../../support/refusal-of.ts';
import { createTestServer } from '../../support/test-server.ts';

type LimitStore = NonNullable<NonNullable<AuthOptions['limits']>['store']>;

const program = '/usr/bin/redis-server';
// .ci/run installs it; elsewhere, a message says why nothing ran.
const isMissing = !existsSync(program) && !process.env['CI'];
if (isMissing)
  process.stderr.write(`Limits in Redis are not tested: there is no ${program} (apt-get install redis-server).\n`);

const folder = mkdtempSync(join(tmpdir(), 'redis-'));
const socket = join(folder, 'redis.sock');
const redis = createClient({ socket: { path: socket, tls: false } });
let server: ReturnType<typeof spawn> | undefined;

beforeAll(async () => {
  if (isMissing) return;
  const options = ['--port', '0', '--unixsocket', socket, '--dir', folder, '--save', '', '--appendonly', 'no'];
  server = spawn(program, options, { stdio: ['ignore', 'pipe', 'inherit'] });
  let printed = '';
  await new Promise<void>((resolve) => {
    server?.stdout?.on('data', (chunk) => {
      printed += String(chunk);
      if (printed.includes('ready to accept connections')) resolve();
    });
  });
  await redis.connect();
});

afterAll(async () => {
  if (redis.isOpen) await redis.close();
  if (server?.exitCode === null && server.kill()) await once(server, 'exit');
  rmSync(folder, { recursive: true, force: true });
});

it.skipIf(isMissing)('counts attempts in Redis by the code of the page about limits', async () => {
  const store = await storeOfPage();
  const startedAt = Date.now();
  const first = await store.check('a', 2, 60_000);
  expect(first).toMatchObject({ allowed: true, isFirstRefusal: false });
  expect(first.resetsAt.getTime()).toBeGreaterThan(startedAt + 50_000);
  expect(first.resetsAt.getTime()).toBeLessThanOrEqual(Date.now() + 60_000);
  const all = await Promise.all(Array.from({ length: 4 }, () => store.check('a', 2, 60_000)));
  expect(all.map(({ allowed }) => allowed)).toEqual([true, false, false, false]);
  expect(all.map(({ isFirstRefusal }) => isFirstRefusal)).toEqual([false, true, false, false]);
  expect(await store.check('b', 2, 60_000)).toMatchObject({ allowed: true });
  expect(await store.check('short', 1, 1)).toMatchObject({ allowed: true });
  await expect.poll(() => redis.exists('limits:short')).toBe(0);
  expect(await store.check('short', 1, 1)).toMatchObject({ allowed: true });
});

it.skipIf(isMissing)('limits sign-ups by Redis, and refuses them where it is gone', async () => {
  const { client } = await createTestServer({
    engine: 'memory',
    auth: { emailPassword: { rateLimit: { maxAttempts: 1 } }, limits: { store: await storeOfPage() } },
  });
  const good = { email: 'ada@example.com', password: 'correct horse battery' };
  expect(await client().post('/api/auth/signup', good)).toMatchObject({ status: 201 });
  expect(refusalOf(await client().post('/api/auth/signup', good))).toBe('RATE_LIMITED');
  await redis.close();
  const other = await client().post('/api/auth/signup', { ...good, email: 'grace@example.com' });
  expect(refusalOf(other)).toBe('SERVICE_UNAVAILABLE');
});

/** Runs the page's own code. */
async function storeOfPage(): Promise<LimitStore> {
  const page = readFileSync(join(import.meta.dirname, '../../../auth/docs/limits.md'), 'utf8');
  const [method = ''] = /async check\(key, max, windowMs\) \{.*?^ {6}\}/ms.exec(page) ?? [];
  const url = `data:text/javascript,${encodeURIComponent(`export const storeOf = (redis) => ({ ${method} });`)}`;
  const { storeOf } = (await import(/* @vite-ignore */ url)) as { storeOf: (given: typeof redis) => LimitStore };
  return storeOf(redis);
}
