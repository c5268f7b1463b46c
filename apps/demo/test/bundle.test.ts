import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, it, onTestFinished } from 'vitest';
import { newAccount } from './support/accounts.ts';
import { Browser } from './support/browser.ts';
import { count } from './support/database-file.ts';
import { startDemo } from './support/demo-process.ts';
import { makeFolder } from './support/temporary-folder.ts';

const demoFolder = fileURLToPath(new URL('..', import.meta.url));
const tsup = fileURLToPath(new URL('../../../node_modules/.bin/tsup', import.meta.url));

it('is what `npm start` builds and runs: it answers, signs up and signs in', { timeout: 60_000 }, async () => {
  const folder = makeFolder();
  const demo = await startDemo({ folder, main: await buildBundle() });
  const browser = new Browser(demo.origin);
  expect((await browser.get('/healthz')).status).toBe(200);
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

/** Builds as the build script does, but beside `dist`; what is not bundled is found there as from `dist`. */
async function buildBundle(): Promise<string> {
  const folder = mkdtempSync(join(demoFolder, 'node_modules', '.bundle-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  await promisify(execFile)(tsup, ['--out-dir', folder], { cwd: demoFolder, timeout: 30_000 });
  return join(folder, 'main.js');
}
