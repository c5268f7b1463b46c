import type { Page } from 'playwright-core';
import { expect, it } from 'vitest';
import { openPage } from '../support/open-page.ts';
import { openScreen, type Visit, visitFilledDemo } from '../support/walk-screens.ts';

/** The name of what has the focus. */
function focused(tab: Page): Promise<string | null | undefined> {
  return tab.evaluate(() => document.activeElement?.getAttribute('aria-label'));
}

async function visitByPhone(): Promise<Visit> {
  const visit = await visitFilledDemo();
  await visit.tab.setViewportSize({ width: 390, height: 844 });
  return visit;
}

it('says what it is before it asks to sign in', async () => {
  const { tab } = await openPage({ variables: { SEED: 'true' } });
  await tab.setViewportSize({ width: 390, height: 844 });
  await tab.getByText('Always up to date.').waitFor();
  const inOrder = [
    tab.getByRole('link', { name: 'Tracker' }),
    tab.getByText('A project tracker for many organizations'),
    tab.getByRole('button', { name: 'Sign in as Ada' }),
    tab.getByRole('heading', { name: 'Sign in' }),
    tab.getByText('Always up to date.'),
  ];
  const tops = await Promise.all(inOrder.map(async (each) => (await each.boundingBox())?.y));
  expect(tops).toEqual(tops.toSorted((one, other) => (one ?? 0) - (other ?? 0)));
});

it('gives the focus back to the button of the drawer when a dialog from there is closed', async () => {
  const visit = await visitByPhone();
  const { tab } = visit;
  const press = (name: string | RegExp): Promise<void> => tab.getByRole('button', { name }).click();
  for (const names of [
    [/^Search or go to/],
    [/^Organization: /, 'New organization'],
    [/^Account of /, 'Developer tools'],
  ]) {
    await openScreen(visit, '/');
    await press('Open the menu');
    for (const name of names) await press(name);
    await tab.getByRole('dialog').waitFor();
    await tab.keyboard.press('Escape');
    await tab.getByRole('dialog').waitFor({ state: 'detached' });
    // The browser hides the dialog before the page hears that it is closed.
    await expect.poll(async () => [names.join(), await focused(tab)]).toEqual([names.join(), 'Open the menu']);
  }
});

it('shows what gets the focus below its bar, and not behind it', async () => {
  const visit = await visitByPhone();
  const { tab } = visit;
  await openScreen(visit, '/account');
  const setUp = tab.getByRole('button', { name: 'Set up a second factor' });
  await setUp.evaluate((button) => scrollTo(0, button.getBoundingClientRect().top - 1));
  expect((await setUp.boundingBox())?.y).toBeLessThan(10);
  await setUp.focus();
  const bar = await tab.getByRole('banner').boundingBox();
  await expect.poll(async () => (await setUp.boundingBox())?.y).toBeGreaterThanOrEqual(bar?.height ?? 0);
});

it('says what has happened in front of an open dialog, where it is read and can be closed', async () => {
  const visit = await visitByPhone();
  const { tab } = visit;
  await openScreen(visit, visit.screens['task'] ?? '');
  const panel = tab.getByRole('dialog', { name: 'Task', exact: true });
  await panel.getByRole('button', { name: 'Save' }).click();
  const saved = panel.getByRole('status').filter({ hasText: 'Saved.' });
  await saved.waitFor();
  await panel.getByRole('button', { name: 'Dismiss the notice' }).click();
  await saved.waitFor({ state: 'detached' });
  expect(await panel.isVisible()).toBe(true);
});

it('shows the tab of the current part, and names as long as they may be on a few lines', async () => {
  const visit = await visitByPhone();
  const { tab } = visit;
  await openScreen(visit, '/organization/danger');
  const current = tab.getByRole('link', { name: 'Danger zone' });
  expect((await current.boundingBox())?.x).toBeLessThan(300);
  await openScreen(visit, visit.screens['long-project-settings'] ?? '');
  const heading = tab.getByRole('heading', { level: 1 });
  expect((await heading.boundingBox())?.height).toBeLessThan(100);
  expect(await heading.getAttribute('title')).toBe(await heading.textContent());
  const longId = visit.screens['long-project-settings']?.split('/')[2] ?? '';
  await openScreen(visit, `/access?entitlement=project:update&resource=project:${longId}`);
  const answer = tab.getByRole('heading', { name: /^You may change project An extraordinarily/ });
  expect((await answer.boundingBox())?.height).toBeLessThan(180);
  expect(await answer.textContent()).toMatch(/…: the role there is Manager/);
  expect(await answer.getAttribute('title')).toContain('xxxxx: the role there is Manager');
  await openScreen(visit, visit.screens['board'] ?? '');
  await tab.getByRole('button', { name: /^Complete An extraordinarily/ }).click();
  const notice = tab.getByRole('status').filter({ hasText: 'is done.' });
  await notice.waitFor();
  expect((await notice.boundingBox())?.height).toBeLessThan(100);
  // The day is long over.
  await tab.getByRole('button', { name: 'Undo' }).click();
  await tab.getByText(/^Was due (Jan 1, 2020|Dec 31, 2019)$/).waitFor();
});

it('shows the column of the question in the matrix of the access explorer, beside the names', async () => {
  const visit = await visitByPhone();
  const { tab } = visit;
  await openScreen(visit, visit.screens['access'] ?? '');
  const [names, column] = ['Person', 'Export as CSV'].map((name) => tab.getByRole('columnheader', { name }));
  await expect
    .poll(async () => {
      const [beside, shown] = [await names?.boundingBox(), await column?.boundingBox()];
      return beside && shown && shown.x >= beside.x + beside.width && shown.x + shown.width <= 390;
    })
    .toBe(true);
});
