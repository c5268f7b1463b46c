import { openBrowser } from '@x/test-support/browser';
import type { Page } from 'playwright-core';
import { expect, it } from 'vitest';
import { newAccount } from '../support/accounts.ts';
import { inspectScreen, tightest } from '../support/inspect-screen.ts';
import { enter } from '../support/open-page.ts';
import { signUpPerson } from '../support/person.ts';
import { followLink, openScreen, type Visit, visitFilledDemo } from '../support/walk-screens.ts';

it('shows a manager who may do what, and removes what is in the way of one', { timeout: 120_000 }, async () => {
  const visit = await visitFilledDemo();
  const { tab } = visit;
  const { email } = await addMember(visit);
  await openScreen(visit, visit.screens['access'] ?? '');
  const mark = tab.getByRole('link', { name: `${email}: Export as CSV: Denied` });
  await mark.press('Enter');
  const answer = tab.getByRole('heading', { name: `${email} may not export project Website` });
  await answer.waitFor();
  // Both are said and marked, and choosing has not moved the focus.
  expect(await answer.textContent()).toContain(
    'the role there is Viewer, where Manager is needed, and the organization',
  );
  expect(await tab.locator('[data-state="blocks"] h3').allTextContents()).toEqual(['Inheritance', 'Plan']);
  expect(await mark.evaluate((link) => link === document.activeElement)).toBe(true);
  await inspectScreen(tab, 'explorer-about-a-member', tightest);

  await tab.getByRole('button', { name: 'Make them Manager of project Website' }).click();
  await tab.getByRole('link', { name: `${email}: Change the project: Allowed` }).waitFor();
  expect(await tab.locator('[data-state="blocks"] h3').allTextContents()).toEqual(['Plan']);
  await tab.getByRole('button', { name: 'Upgrade to Pro' }).click();
  await tab.getByRole('heading', { name: `${email} may export project Website` }).waitFor();
  await tab.getByRole('link', { name: `${email}: Export as CSV: Allowed` }).waitFor();
  expect(visit.console).toEqual([]);
});

it('opens with the question of whatever was denied', { timeout: 120_000 }, async () => {
  const visit = await visitFilledDemo();
  const member = await addMember(visit);
  const device = await openBrowser();
  const tab = await device.context.newPage();
  await enter(tab, visit.origin, 'signin', member);
  await openScreen({ ...visit, tab }, '/');
  const asked = new Set<string>();
  for (const path of Object.values(visit.screens)) {
    await followLink(tab, path);
    for (const link of await tab.getByRole('link', { name: /^Why\?/ }).all()) {
      asked.add((await link.getAttribute('href')) ?? '');
    }
  }
  expect([...asked].map(toEntitlement)).toEqual(
    expect.arrayContaining(['organization:create-project', 'project:create-task', 'project:update', 'task:update']),
  );
  for (const href of asked) {
    await followLink(tab, href);
    await tab.locator('figcaption').getByText(toEntitlement(href), { exact: true }).waitFor();
    expect(await readQuestion(tab)).toEqual([...new URLSearchParams(href.split('?')[1]).values()]);
    expect(await tab.locator('[data-state="blocks"]').count()).toBeGreaterThan(0);
  }
  expect(device.console).toEqual([]);
});

function toEntitlement(href: string): string {
  return new URLSearchParams(href.split('?')[1]).get('entitlement') ?? '';
}

function readQuestion(tab: Page): Promise<readonly string[]> {
  const fields = [tab.getByLabel('Entitlement'), tab.getByLabel('Resource', { exact: true })];
  return Promise.all(fields.map((field) => field.inputValue()));
}

/** Signs up another person, who joins the organization as a member and works in it. */
async function addMember({ origin, person: owner }: Visit): Promise<ReturnType<typeof newAccount>> {
  const account = newAccount('grace');
  const member = await signUpPerson(origin, account);
  await owner.must('POST', `/api/organizations/${owner.workspaceId}/set-role`, { userId: member.id, role: 'member' });
  await member.must('POST', '/api/auth/switch-tenant', { tenantId: owner.workspaceId });
  return account;
}
