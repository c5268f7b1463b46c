import type { Locator, Page } from 'playwright-core';
import { expect, it } from 'vitest';
import { inspectScreen, tightest } from '../support/inspect-screen.ts';
import { openScreen, visitFilledDemo } from '../support/walk-screens.ts';

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
