import { expect, it } from 'vitest';
import { newAccount } from '../support/accounts.ts';
import { inspectScreen } from '../support/inspect-screen.ts';
import { outdatedJwt, signOut } from '../support/open-page.ts';
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

it('shows a title in the direction of its script', async () => {
  const visit = await visitFilledDemo();
  const { tab, person } = visit;
  await person.must('POST', '/api/notes', { title: 'שלום!', body: 'x' });
  await openScreen(visit, '/notes');
  const title = tab.getByRole('heading', { name: 'שלום!' });
  const [first = 0, last = 0] = await title.evaluate((heading) => {
    const text = document.createTreeWalker(heading, NodeFilter.SHOW_TEXT).nextNode() ?? heading;
    return [0, 4].map((at) => {
      const range = document.createRange();
      range.setStart(text, at);
      range.setEnd(text, at + 1);
      return range.getBoundingClientRect().left;
    });
  });
  expect(last).toBeLessThan(first);
});

it('keeps a half-written note and comment through a reload, until they are sent or their user signs out', async () => {
  const visit = await visitFilledDemo({ expecting: outdatedJwt });
  const { tab, person, screens } = visit;
  const kept = (page = tab) =>
    page.evaluate(() => Object.keys(sessionStorage).filter((key) => key.includes('draft')).length);
  await openScreen(visit, '/notes');
  const note = tab.getByRole('form', { name: 'New note' });
  await note.getByLabel('Title').fill('Fuel');
  await note.getByLabel('Text').fill('Liquid');
  await openScreen(visit, screens['task'] ?? '');
  const comment = tab.getByLabel('Comment', { exact: true });
  await comment.fill('Half a sentence');
  await tab.reload();
  expect(await comment.inputValue()).toBe('Half a sentence');
  await comment.press('Enter');
  await tab.getByRole('button', { name: 'More for Half a sentence' }).waitFor();
  await tab.reload();
  await expect.poll(() => comment.inputValue()).toBe('');

  await openScreen(visit, '/notes');
  expect(await note.getByLabel('Text').inputValue()).toBe('Liquid');
  expect([await note.getByLabel('Text').isVisible(), await kept()]).toEqual([true, 1]);
  await tab.getByRole('heading', { level: 1 }).click();
  const other = await tab.context().newPage();
  await openScreen({ ...visit, tab: other }, '/notes');
  await other.getByRole('form', { name: 'New note' }).getByLabel('Title').fill('Crew');
  expect(await kept(other)).toBe(1);
  await signOut(tab);
  await tab.getByRole('heading', { name: 'Sign in' }).waitFor();
  expect(await kept()).toBe(0);
  await expect.poll(() => kept(other)).toBe(0);
  await tab.getByLabel('E-mail address').fill(person.email);
  await tab.getByLabel('Password').fill(newAccount().password);
  await tab.getByRole('button', { name: 'Sign in', exact: true }).click();
  await tab.getByRole('heading', { name: 'Home' }).waitFor();
  await openScreen(visit, '/notes');
  expect(await note.getByLabel('Title').inputValue()).toBe('');
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
