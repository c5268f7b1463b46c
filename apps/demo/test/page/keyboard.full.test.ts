import type { Page } from 'playwright-core';
import { expect, it } from 'vitest';
import { newAccount } from '../support/accounts.ts';
import { openPage, outdatedJwt } from '../support/open-page.ts';

it('does the main tasks with the keyboard alone', { timeout: 300_000 }, async () => {
  const { device, tab } = await openPage({ expecting: outdatedJwt });
  const account = newAccount();
  const press = (key: string): Promise<void> => tab.keyboard.press(key);
  const type = (text: string): Promise<void> => tab.keyboard.type(text);
  const open = async (link: string, title: string): Promise<void> => {
    await tabTo(tab, link);
    await press('Enter');
    await tab.getByRole('heading', { name: title, exact: true, level: 1 }).waitFor();
  };

  // Sign up.
  await tab.getByRole('link', { name: 'Create an account' }).waitFor();
  await open('Create an account', 'Create an account');
  await tabTo(tab, 'E-mail address');
  await type(account.email);
  await tabTo(tab, 'Password');
  await type(account.password);
  await press('Enter');
  await tab.getByRole('heading', { name: 'Home' }).waitFor();

  // Create a project, and a task in it.
  await open('Projects', 'Projects');
  await tabTo(tab, 'New project');
  await press('Enter');
  // The focus is in the first field of the dialog.
  await expect.poll(() => tab.evaluate(nameOfFocused)).toBe('Name');
  await type('Apollo');
  await press('Enter');
  await tab.getByRole('link', { name: 'Apollo' }).waitFor();
  await open('Apollo', 'Apollo');
  await tabTo(tab, 'Title');
  await type('Find a rocket');
  await press('Enter');
  await tab.getByRole('button', { name: 'Complete Find a rocket' }).waitFor();
  // The focus stays for the next one.
  expect(await tab.evaluate(nameOfFocused)).toBe('Title');

  // Open the task, comment on it, and close it.
  await tabTo(tab, 'Find a rocket');
  await press('Enter');
  await tab.getByRole('dialog').waitFor();
  await tabTo(tab, 'Comment');
  await type('Which one?');
  await press('Enter');
  await tab.getByText('Which one?').waitFor();
  await press('Escape');
  await tab.getByRole('dialog').waitFor({ state: 'detached' });

  // Complete it, and take that back.
  await tabTo(tab, 'Complete Find a rocket');
  await press('Enter');
  await tab.getByRole('button', { name: 'Reopen Find a rocket' }).waitFor();
  await tabTo(tab, 'Undo');
  await press('Enter');
  await tab.getByRole('button', { name: 'Complete Find a rocket' }).waitFor();

  // Sort the table. Its heading is that of the board, so the table itself is waited for.
  await open('Table', 'Apollo');
  await tab.getByRole('columnheader', { name: 'Due' }).waitFor();
  // The other parts are beside it, and do not begin at the top of the page again.
  expect(await tab.evaluate(nameOfFocused)).toBe('Table');
  await tabTo(tab, 'Due');
  await press('Enter');
  await expect.poll(() => tab.url(), { timeout: 30_000 }).toContain('sort=dueAt');

  // Write a note, and delete it.
  await open('Notes', 'Notes');
  await tabTo(tab, 'Title');
  await type('Fuel');
  await press('Enter');
  await tab.getByRole('button', { name: 'More for Fuel' }).waitFor();
  await tabTo(tab, 'More for Fuel');
  await press('Enter');
  await tabTo(tab, 'Delete');
  await press('Enter');
  await tab.getByRole('dialog', { name: 'Delete Fuel' }).waitFor();
  await tabTo(tab, 'Delete');
  await press('Enter');
  await tab.getByText('There are no notes yet.').waitFor();

  // Invite a member.
  await open('Members', 'Members');
  await tabTo(tab, 'E-mail address');
  await type('bob@example.com');
  await press('Enter');
  await tab.getByText('bob@example.com').waitFor();

  // Ask why something is denied.
  await press('Control+k');
  await tab.getByRole('combobox', { name: 'Search for a screen' }).waitFor();
  await type('Access');
  await press('Enter');
  await tab.getByRole('heading', { name: 'Access explorer' }).waitFor();
  await tabTo(tab, 'Entitlement');
  await type('Export');
  await tab.locator('figcaption', { hasText: 'project:export' }).waitFor();

  // Sign out.
  expect(device.console).toEqual([]);
  await tabTo(tab, `Account of ${account.email}`);
  await press('Enter');
  await tabTo(tab, 'Sign out');
  await press('Enter');
  await expect.poll(() => tab.evaluate(nameOfFocused)).toBe('Sign in');
  expect(await tab.getByText('You were signed out').count()).toBe(0);
});

/** Goes on by Tab until something of that name has the focus. */
async function tabTo(tab: Page, name: string): Promise<void> {
  for (let presses = 0; presses < 80; presses += 1) {
    await tab.keyboard.press('Tab');
    if ((await tab.evaluate(nameOfFocused)) === name) return;
  }
  throw new Error(`Tab never reaches "${name}".`);
}

function nameOfFocused(): string {
  const focused = document.activeElement;
  const isLabelled = focused instanceof HTMLInputElement || focused instanceof HTMLSelectElement;
  const label = isLabelled ? focused.labels?.[0]?.textContent : undefined;
  return (focused?.getAttribute('aria-label') ?? label ?? focused?.textContent ?? '').trim();
}
