import { openBrowser } from '@x/test-support/browser';
import { expect, it } from 'vitest';
import { newAccount } from '../support/accounts.ts';
import { Browser } from '../support/browser.ts';
import { hooksPage, serveClientPage } from '../support/client-page.ts';
import { startHere } from '../support/demo-in-process.ts';

it('shows a list and what its user may do, updated after each write', async () => {
  const origin = await startHere();
  const device = await openBrowser();
  await serveClientPage(device.context, origin);
  const tab = await device.openTab(origin + hooksPage);
  const shows = (text: string): Promise<void> => tab.getByText(text, { exact: true }).waitFor();

  await shows('nobody');
  await tab.evaluate(async (account) => void (await tracker.auth.signUp(account)), newAccount());
  await shows('ready:');
  await shows('needs pro or enterprise');

  // One after another: a list that is about to be read again adds no page.
  for (const [title, shown] of Object.entries({ c: 'ready: c', b: 'ready: b c', a: 'ready: a b' })) {
    await tab.evaluate(async (given) => void (await tracker.entities.notes.create({ title: given, body: '' })), title);
    await shows(shown);
  }
  await tab.getByRole('button', { name: 'more' }).click();
  await shows('ready: a b c');
  await tab.evaluate(async () => {
    const notes = await tracker.entities.notes.list({ where: { title: 'b' } });
    const [note] = notes.ok ? notes.data.items : [];
    if (note) await tracker.entities.notes.update(note.id, { title: 'z' });
  });
  await shows('ready: a c z');

  let read = 0;
  tab.on('response', (response) => (read += response.url().endsWith('/api/notes/query') ? 1 : 0));
  await tab.evaluate(async () => {
    const organizations = await tracker.entities.organizations.list();
    const [own] = organizations.ok ? organizations.data.items : [];
    if (own) await tracker.entities.organizations.plan(own.id, { plan: 'pro' });
  });
  await shows('may export');
  // Both pages are read again, for which a user who has signed out meanwhile would be refused.
  await expect.poll(() => read).toBe(2);

  await tab.evaluate(async () => void (await tracker.auth.signOut()));
  await shows('nobody');
  expect(device.console).toEqual([]);
});

it('asks for a proof in strict mode, too, and shows the result of the call that waited for it', async () => {
  const origin = await startHere();
  const device = await openBrowser({ expecting: /status of 40[13]/ });
  await serveClientPage(device.context, origin);
  const tab = await device.openTab(origin + hooksPage);
  const shows = (text: string): Promise<void> => tab.getByText(text, { exact: true }).waitFor();
  const account = newAccount();
  await tab.evaluate(async (given) => void (await tracker.auth.signUp(given)), account);
  await shows('it is not set up');
  await new Browser(origin).post('/dev/clock', { advanceSeconds: 301 });

  await tab.getByRole('button', { name: 'set up' }).click();
  await shows('prove it by password');
  await tab.getByRole('textbox').fill('not this one');
  await tab.getByRole('textbox').fill(account.password);
  await shows('it is set up');
  expect(await tab.getByRole('textbox').count()).toBe(0);
});
