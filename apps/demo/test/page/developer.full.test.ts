import { expect, it } from 'vitest';
import { inspectScreen, tightest } from '../support/inspect-screen.ts';
import { userMenu } from '../support/open-page.ts';
import { openScreen, visitFilledDemo } from '../support/walk-screens.ts';

it('shows developers the insides of a screen, by keyboard', { timeout: 120_000 }, async () => {
  const visit = await visitFilledDemo();
  const { tab, person } = visit;
  await openScreen(visit, '/notes');
  await userMenu(tab).click();
  await tab.getByRole('button', { name: 'Developer tools' }).click();
  const drawer = tab.getByRole('dialog', { name: 'Developer tools' });
  const show = async (section: string): Promise<void> => {
    await tab.keyboard.press('ArrowRight');
    await drawer.getByRole('tabpanel', { name: section }).waitFor();
    await inspectScreen(tab, `developer-${section}`, tightest);
  };

  await drawer.getByText(/^This screen has sent \d+ requests, in \d+ round trips?\.$/).waitFor();
  const query = drawer.locator('summary', { hasText: '/api/notes/query' }).first();
  await query.click();
  await drawer.getByRole('region', { name: 'Received' }).first().waitFor();
  await inspectScreen(tab, 'developer-requests', tightest);

  await drawer.getByRole('tab', { name: 'Requests' }).focus();
  await show('Mails');
  await drawer.locator('summary', { hasText: person.email }).first().click();
  expect(await drawer.getByRole('link', { name: 'Open its link' }).first().getAttribute('href')).toContain('token=');
  await drawer.getByRole('tab', { name: 'Mails' }).focus();
  await show('Session');
  await drawer.getByText(person.id, { exact: true }).waitFor();
  await drawer.getByText(/^valid for \d+ s$/).waitFor();
  await show('Live');
  await drawer.getByText('This tab has it').waitFor();
  await show('Clock');
  await show('Source');
  await drawer.getByText('apps/demo/src/entities/notes.ts').waitFor();
  await tab.keyboard.press('ArrowRight');
  await drawer.getByRole('tabpanel', { name: 'Requests' }).waitFor();
  await tab.keyboard.press('Escape');
  await drawer.waitFor({ state: 'detached' });
  expect(visit.console).toEqual([]);
});
