import type { Locator, Page } from 'playwright-core';
import { expect, it } from 'vitest';
import { inspectScreen, tightest } from '../support/inspect-screen.ts';
import { followLink, openScreen, visitFilledDemo } from '../support/walk-screens.ts';

/** The ways to close a dialog. */
const ways: Readonly<Record<string, (tab: Page, dialog: Locator) => Promise<void>>> = {
  'by Escape': (tab) => tab.keyboard.press('Escape'),
  'by its button': (_, dialog) => dialog.getByRole('button', { name: 'Close' }).click(),
  'by a click outside': (tab) => tab.mouse.click(5, 5),
};

it.each(Object.entries(ways))('asks before a task is closed %s that has unsaved changes', async (_, close) => {
  const visit = await visitFilledDemo();
  const { tab, screens } = visit;
  await openScreen(visit, screens['task'] ?? '');
  const panel = tab.getByRole('dialog', { name: 'Task' });
  const question = tab.getByRole('dialog', { name: 'Discard changes?' });
  for (const [label, text] of [
    ['Title', 'Half a title'],
    ['Due', '2026-12-24'],
  ] as const) {
    await panel.getByLabel(label).fill(text);
    await close(tab, panel);
    await question.getByRole('button', { name: 'Keep editing' }).click();
    await question.waitFor({ state: 'detached' });
    expect(await panel.getByLabel(label).inputValue()).toBe(text);
  }
  await close(tab, panel);
  await question.waitFor();
  await inspectScreen(tab, 'discard-changes', tightest);
  await question.getByRole('button', { name: 'Discard' }).click();
  await panel.waitFor({ state: 'detached' });
  await openScreen(visit, screens['task'] ?? '');
  expect(await panel.getByLabel('Due').inputValue()).toBe('2020-01-01');
});

/** The ways to leave the address of an open task, and what is seen then. */
const departures: Readonly<Record<string, { readonly leave: (tab: Page) => unknown; readonly heading: string }>> = {
  'by Back': { leave: (tab) => void tab.goBack().catch(() => {}), heading: 'Projects' },
  'by a link': {
    // One that is behind the panel, as a screen reader may follow.
    leave: (tab) => tab.getByRole('link', { name: 'Notes', includeHidden: true }).dispatchEvent('click'),
    heading: 'Notes',
  },
  'by a command': { leave: (tab) => runCommand(tab, 'Documents'), heading: 'Documents' },
  'by signing out': { leave: (tab) => runCommand(tab, 'Sign out'), heading: 'Sign in' },
};

async function runCommand(tab: Page, command: string): Promise<void> {
  await tab.keyboard.press('Control+k');
  await tab.getByRole('combobox', { name: /^Search for a screen/ }).fill(command);
  await tab.keyboard.press('Enter');
}

it.each(Object.entries(departures))('asks once before a task is left %s that has unsaved changes', async (_, way) => {
  const visit = await visitFilledDemo();
  const { tab, screens } = visit;
  await openScreen(visit, '/projects');
  await followLink(tab, screens['task'] ?? '');
  const panel = tab.getByRole('dialog', { name: 'Task' });
  const question = tab.getByRole('dialog', { name: 'Discard changes?' });
  await panel.getByLabel('Title').fill('Half a title');
  for (const answer of ['Keep editing', 'Discard']) {
    // Browsers ask only for a visitor who has done something since they last went back.
    await panel.getByLabel('Title').press('End');
    await way.leave(tab);
    await question.waitFor();
    expect(await panel.getByLabel('Title').inputValue()).toBe('Half a title');
    await question.getByRole('button', { name: answer }).click();
    await question.waitFor({ state: 'detached' });
    await expect.poll(() => tab.url().includes('?task=')).toBe(answer === 'Keep editing');
  }
  await tab.getByRole('heading', { name: way.heading, exact: true }).waitFor();
  expect(await tab.getByRole('dialog').count()).toBe(0);
});

it('has the browser ask before a task is loaded again that has unsaved changes, and no other', async () => {
  const visit = await visitFilledDemo();
  const { tab, screens } = visit;
  const asked: string[] = [];
  tab.on('dialog', (dialog) => {
    asked.push(dialog.type());
    void dialog.accept();
  });
  await openScreen(visit, screens['task'] ?? '');
  const panel = tab.getByRole('dialog', { name: 'Task' });
  await panel.getByLabel('Comment', { exact: true }).press('a');
  await tab.reload();
  expect(asked).toEqual([]);
  await panel.getByLabel('Title').press('a');
  await tab.reload();
  expect(asked).toEqual(['beforeunload']);
});

it('deletes a task without a question that has unsaved changes', async () => {
  const visit = await visitFilledDemo();
  const { tab, screens } = visit;
  await openScreen(visit, screens['board'] ?? '');
  await tab.getByRole('link', { name: 'Publish' }).click();
  const panel = tab.getByRole('dialog', { name: 'Task' });
  await panel.getByLabel('Title').fill('Half a title');
  await panel.getByRole('button', { name: 'More for Publish' }).click();
  await panel.getByRole('button', { name: 'Delete', exact: true }).click();
  await tab.getByRole('dialog', { name: 'Delete Publish' }).getByRole('button', { name: 'Delete' }).click();
  await panel.waitFor({ state: 'detached' });
  expect(await tab.getByRole('dialog').count()).toBe(0);
});

it('loses nothing by Escape alone, however often it is pressed', async () => {
  const visit = await visitFilledDemo();
  const { tab, screens } = visit;
  await openScreen(visit, screens['task'] ?? '');
  const panel = tab.getByRole('dialog', { name: 'Task' });
  const question = tab.getByRole('dialog', { name: 'Discard changes?' });
  await panel.getByLabel('Title').fill('Half a title');
  for (let time = 0; time < 2; time += 1) {
    await tab.keyboard.press('Escape');
    await question.waitFor();
    await tab.keyboard.press('Escape');
    await question.waitFor({ state: 'detached' });
  }
  expect(await panel.getByLabel('Title').inputValue()).toBe('Half a title');
});

it('stays open behind a question that is left', async () => {
  const visit = await visitFilledDemo();
  const { tab, screens } = visit;
  await openScreen(visit, screens['board'] ?? '');
  await tab.getByRole('link', { name: 'Publish' }).click();
  const panel = tab.getByRole('dialog', { name: 'Task' });
  await panel.getByRole('button', { name: 'More for Publish' }).click();
  await panel.getByRole('button', { name: 'Delete', exact: true }).click();
  const question = tab.getByRole('dialog', { name: 'Delete Publish' });
  await question.waitFor();
  await tab.keyboard.press('Escape');
  await question.waitFor({ state: 'detached' });
  expect(await panel.isVisible()).toBe(true);
});

it('closes a task without a question once it is saved, and keeps a half-written comment', async () => {
  const visit = await visitFilledDemo();
  const { tab, screens } = visit;
  await openScreen(visit, screens['board'] ?? '');
  await tab.getByRole('link', { name: 'Publish' }).click();
  const panel = tab.getByRole('dialog', { name: 'Task' });
  await panel.getByLabel('Title').fill('Publish it');
  await panel.getByLabel('Status').selectOption('To do');
  await panel.getByRole('button', { name: 'Save' }).click();
  await panel.getByText('Saved.').waitFor();
  await panel.getByLabel('Comment', { exact: true }).fill('Half a sentence');
  await tab.keyboard.press('Escape');
  await panel.waitFor({ state: 'detached' });
  await tab.getByRole('link', { name: 'Publish it' }).click();
  await expect.poll(() => panel.getByLabel('Comment', { exact: true }).inputValue()).toBe('Half a sentence');
});

it('asks before a half-written form for something new is closed, and not where nothing was typed', async () => {
  const visit = await visitFilledDemo();
  const { tab } = visit;
  await openScreen(visit, '/documents');
  await tab.getByRole('button', { name: 'New document' }).click();
  const dialog = tab.getByRole('dialog', { name: 'New document' });
  await dialog.getByLabel('Text').fill('Half a document');
  await dialog.getByLabel('Text').fill('');
  await tab.keyboard.press('Escape');
  await dialog.waitFor({ state: 'detached' });
  await tab.getByRole('button', { name: 'New document' }).click();
  await dialog.getByLabel('Text').fill('Half a document');
  await tab.keyboard.press('Escape');
  await tab.getByRole('dialog', { name: 'Discard changes?' }).getByRole('button', { name: 'Discard' }).click();
  await dialog.waitFor({ state: 'detached' });
  expect(
    await tab.getByRole('button', { name: 'New document' }).evaluate((each) => each === document.activeElement),
  ).toBe(true);
});
