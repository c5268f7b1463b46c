import { readFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { openBrowser } from '@x/test-support/browser';
import type { Page } from 'playwright-core';
import { expect, it } from 'vitest';
import { definition } from '../../src/access/definition.ts';
import { expectAgreement } from '../support/access-agreement.ts';
import { newAccount } from '../support/accounts.ts';
import { inspectScreen } from '../support/inspect-screen.ts';
import { openPageOf, signUp, switchOrganization } from '../support/open-page.ts';
import { mailedToken } from '../support/outbox.ts';
import { makeFolder } from '../support/temporary-folder.ts';

it('creates projects up to the limit, lifts it with an upgrade, and updates every button', async () => {
  const { device, tab } = await openPageOf(newAccount());
  await verify(tab);
  await openProjects(tab);
  await expectAgreement(tab);
  const create = tab.getByRole('button', { name: 'New project' });
  for (const name of ['Mercury', 'Gemini', 'Apollo']) {
    expect(await create.getAttribute('aria-disabled')).toBe('false');
    await createProject(tab, name);
    await expectAgreement(tab);
  }
  await tab.getByText(/3 of 3 projects are used until/).waitFor();
  expect(await tab.getByRole('progressbar', { name: 'Projects' }).getAttribute('class')).toBe('full');
  await inspectScreen(tab, 'projects-at-limit');
  // It can be reached, says why, and does nothing.
  await create.press('Enter');
  expect(await create.getAttribute('aria-disabled')).toBe('true');
  expect(await tab.getByRole('dialog').count()).toBe(0);

  await tab.getByRole('link', { name: 'Apollo' }).click();
  const toCsv = tab.getByRole('button', { name: 'Export as CSV' });
  await addTask(tab, 'Find a rocket', 'high');
  await openMenu(tab, 'Apollo');
  await tab.getByText('Needs pro.').waitFor();
  await inspectScreen(tab, 'project-on-free');
  const other = await device.openTab(new URL('/projects', tab.url()).href);
  await other.getByText(/3 of 3 projects are used until/).waitFor();
  await tab.getByRole('button', { name: 'Upgrade to pro' }).click();
  await tab.getByText('Needs pro.').waitFor({ state: 'detached' });
  await other.getByText(/3 of 3 projects are used until/).waitFor({ state: 'detached' });
  expect(await other.getByRole('button', { name: 'New project' }).getAttribute('aria-disabled')).toBe('false');
  await other.close();
  await expectAgreement(tab);
  const [download] = await Promise.all([tab.waitForEvent('download'), toCsv.click()]);
  const file = join(makeFolder(), download.suggestedFilename());
  await download.saveAs(file);
  expect([basename(file), await readFile(file, 'utf8')]).toEqual(['Apollo.csv', expect.stringContaining('rocket')]);

  await tab.getByRole('link', { name: 'All projects' }).click();
  await createProject(tab, 'Skylab');
  await tab.getByText('4 of 100 projects added this month').waitFor();
  await inspectScreen(tab, 'projects-on-pro');
  await expectAgreement(tab);

  await tab.getByRole('link', { name: 'Plan and usage' }).first().click();
  await inspectScreen(tab, 'plan');
  await tab.getByRole('button', { name: 'Change to Free' }).click();
  await tab.getByText('Projects: 3 a month instead of 100 a month. 4 are used already').waitFor();
  await inspectScreen(tab, 'plan-downgrade');
  await tab.getByRole('dialog').getByRole('button', { name: 'Cancel' }).click();
  await tab.getByRole('button', { name: 'Change to Enterprise' }).click();
  await tab.getByText('You are on enterprise').waitFor();
  await expectAgreement(tab);
  await openProjects(tab);
  await openMenu(tab, 'Skylab');
  await tab.getByRole('button', { name: 'Delete' }).click();
  await tab.getByRole('dialog').getByRole('button', { name: 'Delete', exact: true }).click();
  await tab.getByRole('link', { name: 'Skylab' }).waitFor({ state: 'detached' });
  expect(device.console).toEqual([]);
});

it('adds, completes, discusses and deletes tasks, and shows it in another tab', async () => {
  const { device, tab } = await openPageOf(newAccount());
  await openProjects(tab);
  await createProject(tab, 'Apollo');
  await tab.getByRole('link', { name: 'Apollo' }).click();
  await tab.getByRole('heading', { name: 'Apollo' }).waitFor();
  const other = await device.openTab(tab.url());
  for (const title of ['Plan', 'Build', 'Fly']) await addTask(tab, title, 'normal');
  const [toDo, done] = [other.getByRole('region', { name: 'To do' }), other.getByRole('region', { name: 'Done' })];
  await toDo.getByText('Fly').waitFor();

  await tab.getByRole('button', { name: 'Complete Plan' }).click();
  await done.getByText('Plan').waitFor();
  await tab.getByRole('button', { name: 'Reopen Plan' }).click();
  await toDo.getByText('Plan').waitFor();
  await openMenu(tab, 'To do');
  await tab.getByRole('button', { name: 'Complete all' }).click();
  for (const title of ['Plan', 'Build', 'Fly']) await done.getByText(title).waitFor();

  await tab.getByRole('link', { name: 'Build' }).click();
  await tab.getByLabel('Comment', { exact: true }).fill('Well done.');
  await tab.getByRole('button', { name: 'Comment', exact: true }).click();
  await tab.getByText('Well done.').waitFor();
  await inspectScreen(tab, 'task-panel');
  await tab.getByRole('dialog').getByRole('button', { name: 'Close' }).click();
  await inspectScreen(tab, 'project-board');
  await openMenu(tab, 'Build');
  await tab.getByRole('button', { name: 'Delete' }).click();
  await tab.getByRole('dialog').getByRole('button', { name: 'Delete', exact: true }).click();
  await done.getByText('Build').waitFor({ state: 'detached' });
  await openMenu(tab, 'Apollo');
  await tab.getByRole('button', { name: 'Archive' }).click();
  await other.getByText('Archived').waitFor();
  expect(device.console).toEqual([]);
});

it('shows a member what their role denies, and explains why', async () => {
  const owner = newAccount();
  const { origin, device, tab } = await openPageOf(owner);
  await openProjects(tab);
  await createProject(tab, 'Apollo');
  const grace = newAccount('grace');
  await tab.getByRole('link', { name: 'Members' }).click();
  await tab.getByLabel('E-mail address').fill(grace.email);
  await tab.getByRole('button', { name: 'Invite', exact: true }).click();
  await tab.getByText('A mail is on its way.').waitFor();

  // Another role has her JWT refused, unless it is refreshed before she asks again.
  const hers = await openBrowser({ expecting: /401/ });
  const there = await hers.openTab(origin);
  await signUp(there, grace);
  await verify(there);
  await switchOrganization(there, `${owner.email.split('@')[0]}'s workspace`);
  await openProjects(there);
  await there.getByRole('link', { name: 'Apollo' }).waitFor();
  await expectAgreement(there);
  expect(await there.getByRole('button', { name: 'New project' }).getAttribute('aria-disabled')).toBe('true');
  await there.getByText('Needs the role owner or admin.').first().waitFor();
  await inspectScreen(there, 'projects-of-a-member');
  await there.getByRole('link', { name: 'Apollo' }).click();
  await openMenu(there, 'Apollo');
  await there
    .getByText(/Needs the role Manager/)
    .first()
    .waitFor();

  await there.keyboard.press('Escape');
  await there.getByRole('link', { name: 'Access', exact: true }).click();
  await there.getByLabel('Entitlement').waitFor();
  const offered = await there.getByLabel('Entitlement').locator('option').allTextContents();
  const names = offered.map((text) => /\(([^()]*)\)$/.exec(text)?.[1] ?? text);
  expect(names.toSorted()).toEqual(Object.keys(definition.entitlements).toSorted());
  await explain(there, 'project:update');
  await there.getByText('is not enough').waitFor();
  expect(await there.locator('ol.path li').allTextContents()).toEqual([
    'Member of the organization',
    'Viewer of project Apollo',
    'is not enough',
  ]);
  await inspectScreen(there, 'explorer-denied');

  await tab.reload();
  await tab.getByLabel(`Role of ${grace.email}`).selectOption('admin');
  await inspectScreen(tab, 'members');
  // The answer follows without being asked for again.
  await there.getByText('Manager of project Apollo').waitFor();
  expect(await there.locator('figcaption').textContent()).toMatch(/^Allowed/);
  // Now they manage it, so they see who else may do what.
  const everybody = there.getByRole('region', { name: 'Who may do what' });
  for (const { email } of [grace, owner]) {
    await everybody.getByRole('link', { name: `${email}: Change the project: Allowed` }).waitFor();
    await everybody.getByRole('link', { name: `${email}: Export as CSV: Denied` }).waitFor();
  }
  await inspectScreen(there, 'explorer-allowed');
  await expectAgreement(there);

  // Who manages the organization may ask about others, too.
  await tab.getByRole('link', { name: 'Access', exact: true }).click();
  await tab.getByLabel('Person').selectOption({ label: grace.email });
  await tab.getByLabel('Entitlement').selectOption('organization:manage');
  await tab.getByRole('heading', { name: `${grace.email} may manage the organization` }).waitFor();
  await tab.locator('.path li', { hasText: 'Admin of the organization' }).waitFor();
  await inspectScreen(tab, 'explorer-about-another');
  expect(device.console).toEqual([]);
});

async function verify(tab: Page): Promise<void> {
  const { origin } = new URL(tab.url());
  const email = await tab.getByRole('complementary', { name: 'Verification' }).locator('strong').textContent();
  await tab.goto(`${origin}/verify?token=${await mailedToken(origin, 'verification', email ?? '')}`);
  await tab.getByRole('button', { name: 'Verify the address' }).click();
  await tab.getByRole('link', { name: 'Go to Tracker' }).click();
  await tab.getByRole('heading', { name: 'Home' }).waitFor();
}

async function openProjects(tab: Page): Promise<void> {
  await tab.getByRole('link', { name: 'Projects', exact: true }).click();
  await tab.getByRole('heading', { name: 'Projects' }).waitFor();
}

async function createProject(tab: Page, name: string): Promise<void> {
  await tab.getByRole('button', { name: 'New project' }).click();
  await tab.getByLabel('Name', { exact: true }).fill(name);
  await tab.getByRole('button', { name: 'Create the project' }).click();
  await tab.getByRole('link', { name }).waitFor();
}

async function openMenu(tab: Page, name: string): Promise<void> {
  await tab.getByRole('button', { name: `More for ${name}` }).click();
}

async function addTask(tab: Page, title: string, priority: string): Promise<void> {
  await tab.getByLabel('Title').fill(title);
  await tab.getByLabel('Priority').selectOption(priority);
  await tab.getByRole('button', { name: 'Add', exact: true }).click();
  await tab.getByRole('button', { name: `Complete ${title}` }).waitFor();
}

async function explain(tab: Page, entitlement: string): Promise<void> {
  await tab.getByLabel('Entitlement').selectOption(entitlement);
  await tab.getByLabel('Resource').selectOption({ label: 'Project Apollo' });
  await tab.locator('figcaption', { hasText: entitlement }).waitFor();
}
