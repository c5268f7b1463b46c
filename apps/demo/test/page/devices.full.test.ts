import { openBrowser } from '@x/test-support/browser';
import type { Page } from 'playwright-core';
import { expect, it } from 'vitest';
import { newAccount } from '../support/accounts.ts';
import { startDemo } from '../support/demo-process.ts';
import { findPage } from '../support/find-page.ts';
import { inspectScreen } from '../support/inspect-screen.ts';
import { openPageOf, refusals, signIn, signUp, userMenu } from '../support/open-page.ts';
import { makeFolder } from '../support/temporary-folder.ts';

/** JWTs that are over all the time, and limits that no client meets by that. */
const hurried = { SESSION_TTL: '2s', RATE_LIMIT_FACTOR: '1000' };

/**
 * On a machine that is late by half a second such a JWT is over before its successor is there; the request is sent
 * again.
 */
const late = /status of 401/;

it('says in its tab that a device was signed out from another one, and removes it from every list', async () => {
  const account = newAccount();
  const { origin, device, tab } = await openPageOf(account, { variables: hurried, expecting: late });
  const stolen = await openBrowser({ expecting: refusals });
  const there = await stolen.openTab(origin);
  await signIn(there, account);
  await userMenu(there).waitFor();

  const second = await device.openTab(`${origin}/account`);
  for (const page of [tab, second]) await openAccount(page);
  await tab.reload();
  await tab.getByRole('button', { name: 'Sign out Chrome' }).waitFor();
  await inspectScreen(tab, 'devices');
  await second.reload();
  await second.getByRole('button', { name: 'Sign out Chrome' }).waitFor();
  await tab.getByRole('button', { name: 'Sign out Chrome' }).click();
  await tab.getByRole('dialog').getByRole('button', { name: 'Sign out' }).click();

  await tab
    .getByRole('status')
    .getByText(/is signed out\.$/)
    .waitFor();
  await there.getByRole('heading', { name: 'Sign in' }).waitFor();
  for (const page of [tab, second]) {
    await page.getByRole('button', { name: 'Sign out Chrome' }).waitFor({ state: 'detached' });
    await page.getByText('This device').waitFor();
  }
  expect(device.console.filter((line) => !late.test(line))).toEqual([]);
});

it('keeps three tabs signed in through many expiries and a restart of the server', async () => {
  const folder = makeFolder();
  const variables = { ...hurried, PAGE_FOLDER: await findPage() };
  const first = await startDemo({ folder, variables });
  const device = await openBrowser({ expecting: /net::ERR_|status of 401/ });
  const refreshes: number[] = [];
  device.context.on('request', (request) => request.url().endsWith('/refresh') && refreshes.push(Date.now()));
  const tabs = await Promise.all([1, 2, 3].map(() => device.openTab(first.origin)));
  const account = newAccount();
  await signUp(tabs[0]!, account);
  for (const tab of tabs) await openAccount(tab);
  for (const tab of tabs) await tab.evaluate(watchHeading);

  await expect.poll(() => refreshes.length, { timeout: 30_000 }).toBeGreaterThanOrEqual(3);
  await first.stop();
  await startDemo({ folder, variables: { ...variables, PORT: String(first.port) } });
  const before = refreshes.length;
  await expect.poll(() => refreshes.length, { timeout: 30_000 }).toBeGreaterThanOrEqual(before + 2);
  // All actions of a tab work now, and none has shown anything but its screen meanwhile.
  for (const tab of tabs) {
    await tab.getByRole('button', { name: 'Set up a second factor' }).click();
    await tab.getByRole('img', { name: 'QR code' }).waitFor();
    expect(await tab.evaluate(() => [...new Set(seen)])).toEqual(['Account']);
  }
});

declare global {
  /** The headings that a tab has shown since {@link watchHeading}. */
  var seen: string[];
}

function watchHeading(): void {
  globalThis.seen = [];
  const look = (): void => void seen.push(document.querySelector('h1')?.textContent ?? '');
  look();
  new MutationObserver(look).observe(document.body, { childList: true, subtree: true });
}

async function openAccount(tab: Page): Promise<void> {
  await tab.getByRole('link', { name: 'Account', exact: true }).click();
  await tab.getByText('This device').waitFor();
}
