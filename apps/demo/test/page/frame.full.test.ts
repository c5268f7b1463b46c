import { expect, it } from 'vitest';
import { newAccount } from '../support/accounts.ts';
import { inspectScreen } from '../support/inspect-screen.ts';
import { openPageOf, refusals, userMenu } from '../support/open-page.ts';
import { daysOnScreen, openScreen, visitFilledDemo } from '../support/walk-screens.ts';

it('says in the menu of the account that a sign-out has failed', async () => {
  const { tab } = await openPageOf(newAccount(), { expecting: /status of 50\d/ });
  await tab.route('**/api/auth/signout', (route) => route.fulfill({ status: 503, json: {} }));
  await userMenu(tab).click();
  await inspectScreen(tab, 'user-menu');
  await tab.getByRole('button', { name: 'Sign out', exact: true }).click();
  await tab.getByRole('alert').waitFor();
  expect(await tab.getByRole('button', { name: 'Sign out', exact: true }).isVisible()).toBe(true);
  await tab.unroute('**/api/auth/signout');
  await tab.getByRole('button', { name: 'Sign out', exact: true }).click();
  await tab.getByRole('heading', { name: 'Sign in' }).waitFor();
});

it('creates another organization where organizations are chosen, and continues in it', async () => {
  const { tab } = await openPageOf(newAccount(), { expecting: refusals });
  await tab.getByRole('button', { name: /^Organization: / }).click();
  await inspectScreen(tab, 'organization-menu');
  await tab.getByRole('button', { name: 'New organization' }).click();
  const dialog = tab.getByRole('dialog', { name: 'New organization' });
  await dialog.getByLabel('Name').fill('Second');
  await dialog.getByRole('button', { name: 'Create the organization' }).click();
  await tab.getByRole('button', { name: 'Organization: Second' }).waitFor();
  await expect.poll(() => dialog.count()).toBe(0);
});

it('completes a task on the first screen, and takes that back', async () => {
  const visit = await visitFilledDemo();
  const { tab } = visit;
  await openScreen(visit, '/');
  const mine = tab.getByRole('region', { name: 'My tasks' });
  const complete = mine.getByRole('button', { name: /^Complete An extraordinarily/ });
  await complete.click();
  await mine.getByText('Nothing is assigned to you.').waitFor();
  await tab.getByRole('button', { name: 'Undo' }).click();
  await complete.waitFor();
  await expect.poll(() => mine.getByText('Nothing is assigned to you.').count()).toBe(0);
});

it('says in their own places that the palette, the developer tools or a task could not be loaded', async () => {
  const visit = await visitFilledDemo({ expecting: /net::ERR_|dynamically imported module/ });
  const { tab } = visit;
  await openScreen(visit, visit.screens['board'] ?? '');
  await tab.getByLabel('Title').fill('Half written');
  await tab.context().setOffline(true);
  await tab.getByRole('link', { name: 'Publish' }).click();
  const panel = tab.getByRole('dialog', { name: 'Task', exact: true });
  await panel.getByRole('alert').getByText('This part of the page could not be loaded.').waitFor();
  await inspectScreen(tab, 'part-not-loaded');
  await tab.keyboard.press('Escape');
  await tab.keyboard.press('Control+k');
  const palette = tab.getByRole('dialog', { name: 'Go to' });
  await palette.getByRole('alert').getByRole('button', { name: 'Load the page again' }).waitFor();
  await tab.keyboard.press('Escape');
  await palette.waitFor({ state: 'detached' });
  await userMenu(tab).click();
  await tab.getByRole('button', { name: 'Developer tools' }).click();
  await tab.getByRole('dialog', { name: 'Developer tools' }).getByRole('alert').waitFor();
  await tab.keyboard.press('Escape');
  expect(await tab.getByLabel('Title').inputValue()).toBe('Half written');
});

it('loads a part again on demand, as often as it takes, and keeps the screen around it', async () => {
  const visit = await visitFilledDemo({ expecting: /net::ERR_|dynamically imported module/ });
  const { tab } = visit;
  await openScreen(visit, visit.screens['board'] ?? '');
  await tab.getByLabel('Title').fill('Half written');
  let failures = 0;
  await tab.route(/task-panel/, (route) => (++failures <= 2 ? route.abort() : route.fallback()));
  await tab.getByRole('link', { name: 'Publish' }).click();
  const panel = tab.getByRole('dialog', { name: 'Task', exact: true });
  await panel.getByRole('button', { name: 'Try again' }).click();
  await expect.poll(() => failures).toBe(2);
  await panel.getByRole('button', { name: 'Try again' }).click();
  await panel.getByLabel('Title').waitFor();
  await tab.keyboard.press('Escape');
  await panel.waitFor({ state: 'detached' });
  expect(await tab.getByLabel('Title').inputValue()).toBe('Half written');
});

it('tells the history of an organization in sentences, by day', async () => {
  const visit = await visitFilledDemo();
  const { tab, person } = visit;
  await openScreen(visit, '/organization/history');
  await tab.getByText(`${person.email} added the task “Publish” to “Website”`).waitFor();
  await tab.getByText(`${person.email} added the project “Website” to the organization`).waitFor();
  expect(await tab.getByRole('heading', { level: 2 }).allTextContents()).toEqual(await daysOnScreen(tab));
});

it('offers the ways on beside each other where a screen could not be shown', async () => {
  const visit = await visitFilledDemo({ expecting: /./ });
  const { tab } = visit;
  await tab.route('**/api/notes/query', (route) => route.fulfill({ json: { items: [{}], nextCursor: null } }));
  await openScreen(visit, '/notes');
  await tab.getByRole('heading', { name: 'Something went wrong' }).waitFor();
  const reload = await tab.getByRole('button', { name: 'Load the page again' }).boundingBox();
  const home = await tab.getByRole('link', { name: 'Go to the start' }).boundingBox();
  expect(home?.x).toBeLessThan((reload?.x ?? 0) + (reload?.width ?? 0) + 20);
});
