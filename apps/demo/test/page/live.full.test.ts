import { openBrowser } from '@x/test-support/browser';
import type { Page } from 'playwright-core';
import { expect, it } from 'vitest';
import { password } from '../support/accounts.ts';
import { enter, outdatedJwt } from '../support/open-page.ts';
import { openScreen, visitFilledDemo, type Visit } from '../support/walk-screens.ts';

/** Signs the person of a visit in on another device. */
async function openOther({ origin, person }: Visit): Promise<Page> {
  const { context } = await openBrowser({ expecting: outdatedJwt });
  const tab = await context.newPage();
  await enter(tab, origin, 'signin', { email: person.email, password });
  return tab;
}

it('shows what was done on another device, and unlocks what another plan allows', { timeout: 180_000 }, async () => {
  const visit = await visitFilledDemo({ expecting: outdatedJwt });
  const other = await openOther(visit);
  await openScreen(visit, visit.screens['board'] ?? '');
  await openScreen({ ...visit, tab: other }, visit.screens['board'] ?? '');
  await visit.tab.getByLabel('Title').fill('Seen at once');
  await visit.tab.getByRole('button', { name: 'Add', exact: true }).click();
  await other.getByRole('region', { name: 'To do' }).getByText('Seen at once').waitFor();

  for (const tab of [visit.tab, other]) await tab.getByRole('button', { name: 'More for Website' }).click();
  const csv = visit.tab.getByRole('button', { name: 'Export as CSV' });
  expect(await csv.getAttribute('aria-disabled')).toBe('true');
  await other.getByRole('button', { name: 'Upgrade to Pro' }).click();
  await visit.tab.getByText('Needs Pro.').waitFor({ state: 'detached' });
  expect(await csv.getAttribute('aria-disabled')).toBe('false');
});

it('is signed out at once when another device says so', { timeout: 180_000 }, async () => {
  const visit = await visitFilledDemo({ expecting: outdatedJwt });
  await openScreen(visit, '/');
  const other = await openOther(visit);
  await openScreen({ ...visit, tab: other }, '/account');
  await other.getByRole('button', { name: 'Sign out all other devices' }).click();
  const dialog = other.getByRole('dialog');
  await dialog.getByRole('button', { name: 'Sign out all other devices' }).click();
  await visit.tab.getByText('You were signed out').waitFor();
  expect(await visit.tab.getByRole('heading', { name: 'Sign in' }).count()).toBe(1);
});

it(
  'counts the tasks that another device adds to a project that was just created here',
  { timeout: 180_000 },
  async () => {
    const visit = await visitFilledDemo({ expecting: outdatedJwt });
    const { tab, person } = visit;
    await openScreen(visit, visit.screens['projects'] ?? '');
    await tab.getByRole('button', { name: 'New project' }).click();
    await tab.getByRole('dialog').getByLabel('Name').fill('Planned');
    await tab.keyboard.press('Enter');
    const link = tab.getByRole('link', { name: 'Planned' });
    const tile = tab.getByRole('listitem').filter({ has: link });
    await tile.getByText('No tasks yet').waitFor();
    const projectId = (await link.getAttribute('href'))?.split('/').at(-1);
    await person.must('POST', '/api/tasks', { projectId, title: 'Added' });
    await expect.poll(() => tile.innerText()).toContain('1 open, 0 done');
  },
);
