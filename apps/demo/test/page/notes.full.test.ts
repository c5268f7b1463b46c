import { expect, it } from 'vitest';
import { inspectScreen } from '../support/inspect-screen.ts';
import { openScreen, visitFilledDemo } from '../support/walk-screens.ts';

it('takes a note in a line that grows while it is written, and brings a draft back that was left', async () => {
  const visit = await visitFilledDemo();
  const { tab } = visit;
  await openScreen(visit, '/notes');
  const form = tab.getByRole('form', { name: 'New note' });
  expect(await form.getByLabel('Text').isVisible()).toBe(false);
  await form.getByLabel('Title').fill('Fuel');
  await form.getByLabel('Text').fill('Liquid');
  await tab.keyboard.press('Escape');
  expect([await form.getByLabel('Title').inputValue(), await form.getByLabel('Text').isVisible()]).toEqual(['', false]);
  await tab.getByRole('button', { name: 'Undo' }).click();
  await form.getByLabel('Text').waitFor();
  await inspectScreen(tab, 'note-composer');
  await form.getByRole('button', { name: 'Add the note' }).click();
  await expect.poll(() => tab.getByRole('listitem').filter({ hasText: 'Fuel' }).innerText()).toContain('Liquid');
});

it('shows what can be done with several notes once they are selected', async () => {
  const visit = await visitFilledDemo();
  const { tab, person } = visit;
  for (const title of ['Fuel', 'Crew']) await person.must('POST', '/api/notes', { title, body: '' });
  await openScreen(visit, '/notes');
  for (const title of ['Fuel', 'Crew']) await tab.getByRole('checkbox', { name: `Select ${title}` }).check();
  const bar = tab.getByRole('group', { name: 'What is selected' });
  await bar.getByText('2 selected').waitFor();
  await inspectScreen(tab, 'notes-selected');
  await bar.getByRole('button', { name: 'Pin' }).click();
  await tab.getByRole('button', { name: 'Unpin Fuel' }).waitFor();
  await tab.getByRole('button', { name: 'Unpin Crew' }).waitFor();
  await expect.poll(() => bar.count()).toBe(0);
});

it('writes a document, and shares it with a switch that says who can read it', async () => {
  const visit = await visitFilledDemo();
  const { tab } = visit;
  await openScreen(visit, '/documents');
  await tab.getByRole('button', { name: 'New document' }).click();
  const dialog = tab.getByRole('dialog', { name: 'New document' });
  await dialog.getByLabel('Title').fill('Plan');
  await dialog.getByLabel('Text').fill('To the moon.');
  await dialog.getByRole('button', { name: 'Add the document' }).click();
  const tile = tab.getByRole('listitem').filter({ hasText: 'To the moon.' });
  await tile.getByText('Only you can read it.').waitFor();
  const share = tile.getByRole('switch', { name: 'Share Plan' });
  await share.click();
  await tile.getByText(/^Everybody in .* can read it\.$/).waitFor();
  await tab.getByText('Plan is shared with the organization.').waitFor();
  await inspectScreen(tab, 'document-shared');
  await tab.getByRole('button', { name: 'Undo' }).click();
  await tile.getByText('Only you can read it.').waitFor();
  expect(await share.isChecked()).toBe(false);
});
