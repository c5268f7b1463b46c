import { expect, it } from 'vitest';
import { password } from '../support/accounts.ts';
import { everyVariant } from '../support/inspect-screen.ts';
import { openScreen, visitFilledDemo, walkThroughScreens } from '../support/walk-screens.ts';

it('shows every screen in both themes at every width without a finding', { timeout: 600_000 }, async () => {
  const visit = await visitFilledDemo();
  await walkThroughScreens(visit, everyVariant);
  expect(visit.console).toEqual([]);
});

it('shows every screen on a slow line', { timeout: 600_000 }, async () => {
  const visit = await visitFilledDemo();
  const session = await visit.tab.context().newCDPSession(visit.tab);
  const bytesPerSecond = 400_000 / 8;
  await session.send('Network.enable');
  await session.send('Network.emulateNetworkConditions', {
    ...{ offline: false, latency: 150 },
    ...{ downloadThroughput: bytesPerSecond, uploadThroughput: bytesPerSecond },
  });
  for (const path of Object.values(visit.screens)) await openScreen(visit, path);
  expect(visit.console).toEqual([]);
});

it.each([500, 503, 'offline'] as const)(
  'shows every screen, and nothing as empty that could not be read, where the API answers %s',
  { timeout: 600_000 },
  async (answer) => {
    const visit = await visitFilledDemo({ expecting: /status of 50\d|net::ERR_/ });
    const { tab, origin } = visit;
    // The session can be read; all other requests fail.
    await tab.route(/\/api\/(?!auth\/(session|refresh))/, (route) =>
      answer === 'offline' ? route.abort() : route.fulfill({ status: answer, json: {} }),
    );
    for (const [name, path] of Object.entries(visit.screens)) {
      await tab.goto(origin + path);
      await tab.locator('h1:not(.unseen)').waitFor();
      await tab.waitForFunction(() => document.querySelector('.skeleton') === null);
      expect([name, await tab.locator('.empty').count()]).toEqual([name, 0]);
    }
  },
);

it('leads back to where the visitor was from every screen whose session has ended', { timeout: 600_000 }, async () => {
  const visit = await visitFilledDemo({ expecting: /status of 401/ });
  const { tab, person } = visit;
  for (const path of Object.values(visit.screens)) {
    await openScreen(visit, path);
    await tab.context().clearCookies();
    await tab.reload();
    await tab.getByRole('heading', { name: 'Sign in' }).waitFor();
    await tab.getByLabel('E-mail address').fill(person.email);
    await tab.getByLabel('Password').fill(password);
    await tab.getByRole('button', { name: 'Sign in', exact: true }).click();
    await tab.getByRole('navigation').first().waitFor();
    expect(new URL(tab.url()).pathname + new URL(tab.url()).search).toBe(path);
  }
});
