import { execFile } from 'node:child_process';
import { copyFileSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { newAccount } from '../support/accounts.ts';
import { Browser } from '../support/browser.ts';
import { count } from '../support/database-file.ts';
import { startDemo } from '../support/demo-process.ts';
import { runToEnd } from '../support/run-to-end.ts';
import { makeFolder } from '../support/temporary-folder.ts';

const demoFolder = fileURLToPath(new URL('../..', import.meta.url));
const vite = fileURLToPath(new URL('../../node_modules/.bin/vite', import.meta.url));
const tsup = fileURLToPath(new URL('../../../../node_modules/.bin/tsup', import.meta.url));

/** Stands in for the folder of the demo, below which what is not bundled is found as from there. */
const built = mkdtempSync(join(demoFolder, 'node_modules', '.bundle-'));
const bundle = join(built, 'dist');

beforeAll(async () => {
  const run = promisify(execFile);
  const env = { ...process.env, NODE_ENV: 'production' };
  await run(tsup, ['--out-dir', bundle], { cwd: demoFolder, timeout: 30_000 });
  await run(vite, ['build', '--outDir', join(bundle, 'page')], { cwd: demoFolder, env, timeout: 30_000 });
});

afterAll(() => rmSync(built, { recursive: true, force: true }));

it('is the bundle that `npm start` builds and runs: it responds, signs up and signs in', async () => {
  const folder = makeFolder();
  const demo = await startDemo({ folder, main: join(bundle, 'main.js') });
  const browser = new Browser(demo.origin);
  expect((await browser.get('/healthz')).status).toBe(200);
  expect(await (await fetch(demo.origin)).text()).toContain('<title>Tracker</title>');
  // A14: there is no account but those that sign up.
  const countUsers = (): number => count(join(folder, '.data/demo.db'), 'SELECT COUNT(*) FROM auth_users');
  expect(countUsers()).toBe(0);

  const account = newAccount();
  const signedUp = await browser.post('/api/auth/signup', account);
  expect([signedUp.status, signedUp.body.user.email]).toEqual([201, account.email]);
  expect(countUsers()).toBe(1);
  const signedIn = await browser.post('/api/auth/signin', account);
  expect([signedIn.status, signedIn.body.user.id]).toEqual([200, signedUp.body.user.id]);
  expect((await browser.get('/api/auth/session')).body.session?.user.email).toBe(account.email);
  expect(await demo.stop()).toEqual({ code: 0, signal: null });
});

it("makes keys in any folder, without the demo's dependencies", async () => {
  const [folder, elsewhere] = [makeFolder(), makeFolder()];
  const alone = join(elsewhere, 'make-keys.mjs');
  copyFileSync(join(bundle, 'make-keys.js'), alone);
  const made = await runToEnd(alone, ['--algorithm', 'ES256', '--out', 'here'], folder);
  expect([made.code, made.errors]).toEqual([0, '']);
  expect(readdirSync(join(folder, 'here')).toSorted()).toEqual(['.gitignore', 'jwt-private.pem', 'jwt-public.pem']);
});
