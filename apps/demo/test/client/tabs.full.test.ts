import { openBrowser, type TestBrowser } from '@x/test-support/browser';
import type { Page } from 'playwright-core';
import { expect, it } from 'vitest';
import { newAccount } from '../support/accounts.ts';
import { Browser } from '../support/browser.ts';
import { clientPage, serveClientPage } from '../support/client-page.ts';
import { startHere } from '../support/demo-in-process.ts';
import { type DemoProcess, startDemo } from '../support/demo-process.ts';
import { makeFolder } from '../support/temporary-folder.ts';

/** JWTs that are over all the time, and limits that no client meets by that. */
const hurried = { SESSION_TTL: '2s', RATE_LIMIT_FACTOR: '1000' };

/**
 * On a machine that is late by half a second such a JWT is over before its successor is there; the request is sent
 * again.
 */
const late = /status of 401/;

it('keeps three tabs signed in through expiries and a restart of the server, with one refresh for all', async () => {
  const folder = makeFolder();
  const first = await startOn(folder, '0');
  const device = await openBrowser({ expecting: /net::ERR_|status of 401/ });
  const refreshes: number[] = [];
  device.context.on('request', (request) => request.url().endsWith('/refresh') && refreshes.push(Date.now()));
  const tabs = await openTabs(device, first.origin, 3);
  await expectAll(tabs, 'signedOut');

  const { email } = await signUp(tabs[0]!);
  await expectAll(tabs, email);
  for (const tab of tabs) await tab.evaluate(() => startAsking());
  await expect.poll(() => refreshes.length, { timeout: 30_000 }).toBeGreaterThanOrEqual(4);
  // Three that each refreshed for itself would do so three times as often.
  expect(averageGap(refreshes)).toBeGreaterThan(400);
  expect(await takeAnswers(tabs)).toEqual([['ok'], ['ok'], ['ok']]);

  await first.stop();
  await startOn(folder, String(first.port));
  const before = refreshes.length;
  await expect.poll(() => refreshes.length, { timeout: 30_000 }).toBeGreaterThanOrEqual(before + 3);
  const known = new Set(['ok', 'NETWORK_FAILED', 'SERVICE_UNAVAILABLE']);
  expect((await takeAnswers(tabs)).flat().filter((code) => !known.has(code))).toEqual([]);
  await expect.poll(() => takeAnswers(tabs), { timeout: 30_000 }).toEqual([['ok'], ['ok'], ['ok']]);
  // No tab ever showed the user as signed out, and no refresh token was ever used twice.
  const opened = ['loading', 'signedOut', email];
  expect(await Promise.all(tabs.map((tab) => tab.evaluate(() => shown)))).toEqual([opened, opened, opened]);
  expect(await tabs[1]!.evaluate(kindsOfEvents)).not.toContain('refresh_token.reused');
});

it('keeps the tabs of a browser without locks signed in, which may refresh at once', async () => {
  const origin = await startHere(hurried);
  const device = await openBrowser({ expecting: late });
  await device.context.addInitScript(() => Object.defineProperty(navigator, 'locks', { value: undefined }));
  const refreshes: number[] = [];
  device.context.on('request', (request) => request.url().endsWith('/refresh') && refreshes.push(Date.now()));
  const tabs = await openTabs(device, origin, 3);
  const { email } = await signUp(tabs[0]!);
  await expectAll(tabs, email);
  await expect.poll(() => refreshes.length, { timeout: 30_000 }).toBeGreaterThanOrEqual(6);
  await expectAll(tabs, email);
  expect(await tabs[1]!.evaluate(kindsOfEvents)).not.toContain('refresh_token.reused');
  await tabs[2]!.evaluate(async () => void (await client.auth.signOut()));
  await expectAll(tabs, 'signedOut');
});

it('signs up although another tab keeps the lock, as a suspended one does for ever', async () => {
  const origin = await startHere();
  const device = await openBrowser();
  const tabs = await openTabs(device, origin, 2);
  await tabs[0]!.evaluate(
    () => void navigator.locks.request(`x-client:${location.origin}`, () => new Promise(() => {})),
  );
  const { email } = await signUp(tabs[1]!);
  await expectAll(tabs, email);
  expect(await tabs[0]!.evaluate(() => navigator.locks.query())).toMatchObject({ held: [{}], pending: [] });
});

it('signs a device out in all its tabs when another device does it', async () => {
  const origin = await startHere(hurried);
  const [mine, stolen] = [await openBrowser({ expecting: late }), await openBrowser({ expecting: late })];
  const [here, there] = [await openTabs(mine, origin, 1), await openTabs(stolen, origin, 2)];
  const account = await signUp(here[0]!);
  await there[0]!.evaluate(async (credentials) => void (await client.auth.signIn(credentials)), account);
  await expectAll(there, account.email);

  const left = await here[0]!.evaluate(async () => {
    const listed = await client.auth.sessions.list();
    const other = listed.ok && listed.data.find(({ isCurrent }) => !isCurrent);
    if (other) await client.auth.sessions.revoke(other.id);
    const after = await client.auth.sessions.list();
    return after.ok && after.data.map(({ isCurrent }) => isCurrent);
  });
  expect(left).toEqual([true]);
  await expectAll(there, 'signedOut');
  await expectAll(here, account.email);
});

it('signs in and out in every tab when one tab does, also after a reload', async () => {
  const origin = await startHere(hurried);
  const device = await openBrowser({ expecting: late });
  const tabs = await openTabs(device, origin, 3);
  const account = await signUp(tabs[0]!);
  await expectAll(tabs, account.email);
  await tabs[1]!.reload();
  await expectAll(tabs, account.email);

  await tabs[2]!.evaluate(async () => void (await client.auth.signOut()));
  await expectAll(tabs, 'signedOut');
  await tabs[1]!.reload();
  await expectAll(tabs, 'signedOut');

  await tabs[1]!.evaluate(async (credentials) => void (await client.auth.signIn(credentials)), account);
  await expectAll(tabs, account.email);
  expect(device.console.filter((line) => !late.test(line))).toEqual([]);
});

it('signs in a page that comes back after its JWT expired, without a refused request', async () => {
  const origin = await startHere();
  const device = await openBrowser();
  const [tab] = await openTabs(device, origin, 1);
  const { email } = await signUp(tab!);
  await tab!.goto('about:blank');
  await new Browser(origin).post('/dev/clock', { advanceSeconds: 90 });
  await tab!.goto(origin + clientPage);
  await expectAll([tab!], email);
  expect(device.console).toEqual([]);
});

it('delays the refresh of a page that is hidden or has no network', async () => {
  const origin = await startHere();
  const device = await openBrowser();
  const refreshes: string[] = [];
  device.context.on('request', (request) => request.url().endsWith('/refresh') && refreshes.push(request.url()));
  await device.context.clock.install();
  const [tab] = await openTabs(device, origin, 1);
  const { email } = await signUp(tab!);
  await expectAll([tab!], email);

  await device.context.setOffline(true);
  await tab!.clock.fastForward('05:00');
  await afterRefresh(tab!);
  expect(refreshes).toEqual([]);
  await device.context.setOffline(false);
  await expect.poll(() => refreshes.length, { timeout: 30_000 }).toBe(1);

  await setHidden(tab!, true);
  await tab!.clock.fastForward('05:00');
  await afterRefresh(tab!);
  expect(refreshes).toHaveLength(1);
  await setHidden(tab!, false);
  await expect.poll(() => refreshes.length, { timeout: 30_000 }).toBe(2);
  await expectAll([tab!], email);
  expect(device.console).toEqual([]);
});

it('keeps a worker signed in together with the tabs', async () => {
  const origin = await startHere(hurried);
  const device = await openBrowser({ expecting: late });
  const [tab] = await openTabs(device, origin, 1);
  const { email } = await signUp(tab!);
  const inWorker = await tab!.evaluate(() => {
    const worker = new Worker('/test/worker.js');
    return new Promise((resolve) => worker.addEventListener('message', ({ data }) => resolve(data)));
  });
  expect(inWorker).toEqual({ status: 'signedIn', email });
});

async function openTabs(device: TestBrowser, origin: string, count: number): Promise<readonly Page[]> {
  await serveClientPage(device.context, origin);
  return Promise.all(Array.from({ length: count }, () => device.openTab(origin + clientPage)));
}

function startOn(folder: string, port: string): Promise<DemoProcess> {
  return startDemo({ folder, variables: { ...hurried, PORT: port } });
}

async function signUp(tab: Page): Promise<ReturnType<typeof newAccount>> {
  const account = newAccount();
  const code = await tab.evaluate(async (input) => {
    const signedUp = await client.auth.signUp(input);
    return signedUp.ok ? 'ok' : signedUp.error.code;
  }, account);
  expect(code).toBe('ok');
  return account;
}

/** Waits until all tabs show a status, or an address. */
async function expectAll(tabs: readonly Page[], text: string): Promise<void> {
  for (const tab of tabs) await tab.getByText(text, { exact: true }).waitFor();
}

/** Resolves when a refresh that is due by now would be over: the tab that refreshes has this lock. */
async function afterRefresh(tab: Page): Promise<void> {
  await tab.evaluate(() => navigator.locks.request(`x-client:${location.origin}`, async () => {}));
}

/** Gives a page what a browser would report of its tab; headless ones show all of them. */
async function setHidden(tab: Page, hidden: boolean): Promise<void> {
  await tab.evaluate((value) => {
    Object.defineProperty(document, 'hidden', { value, configurable: true });
    document.dispatchEvent(new Event('visibilitychange'));
  }, hidden);
}

/** Returns what the tabs were answered since the last time, each kind once. */
function takeAnswers(tabs: readonly Page[]): Promise<readonly string[][]> {
  return Promise.all(tabs.map((tab) => tab.evaluate(() => [...new Set(answers.splice(0))])));
}

/** Returns the time from one moment to the next, on average. */
function averageGap(moments: readonly number[]): number {
  return (moments.at(-1)! - moments[0]!) / (moments.length - 1);
}

async function kindsOfEvents(): Promise<readonly string[] | string> {
  const events = await client.auth.events();
  return events.ok ? events.data.items.map(({ type }) => type) : events.error.code;
}
