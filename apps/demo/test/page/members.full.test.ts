import { expect, it } from 'vitest';
import { newAccount } from '../support/accounts.ts';
import { enter, openPageOf, openTab, refusals } from '../support/open-page.ts';
import { signUpPerson } from '../support/person.ts';

it('shows the new role of a member before the server has answered, and takes it back where it refuses', async () => {
  const { origin, tab } = await openTab({ expecting: refusals });
  const account = newAccount('owner');
  const owner = await signUpPerson(origin, account);
  const { id: userId, email } = await signUpPerson(origin, newAccount('bob'));
  await owner.must('POST', `/api/organizations/${owner.workspaceId}/set-role`, { userId, role: 'member' });
  await enter(tab, origin, 'signin', account);
  await tab.goto(`${origin}/organization/members`);
  const select = tab.getByLabel(`Role of ${email}`);
  await select.waitFor();

  const answer = Promise.withResolvers<void>();
  await tab.route('**/set-role', async (route) => {
    await answer.promise;
    await route.fulfill({ status: 409, json: { error: { code: 'CONFLICT', message: 'No.' } } });
  });
  await select.selectOption('admin');
  const role = (): Promise<string> => select.inputValue();
  await expect.poll(role).toBe('admin');
  answer.resolve();
  await expect.poll(role).toBe('member');
  await tab.getByRole('alert').filter({ hasText: 'No.' }).waitFor();
  await tab.unroute('**/set-role');

  const project = { organizationId: owner.workspaceId, name: 'Shared' };
  const { id: projectId } = (await owner.must('POST', '/api/projects', project)) as { id: string };
  const guest = await signUpPerson(origin, newAccount('guest'));
  await owner.must('POST', `/api/projects/${projectId}/share`, { userId: guest.id, role: 'viewer' });
  await tab.reload();
  const guests = tab.getByRole('region', { name: 'Roles on projects' });
  await expect.poll(() => guests.getByRole('listitem').innerText()).toMatch(/Viewer Shared/);
  await guests.getByRole('button', { name: `More for ${guest.email}` }).click();
  await tab.getByRole('button', { name: 'Take the role away' }).click();
  await tab.getByRole('dialog').getByRole('button', { name: 'Take the role away' }).click();
  await guests.getByText('Nobody has a role on a project itself.').waitFor();

  await tab.getByLabel('Search').first().fill(email);
  await expect.poll(() => tab.getByLabel(/^Role of/).count()).toBe(1);
});

it('asks who gives up a role of their own first, and says once to a member why nothing can be changed', async () => {
  const { origin, tab } = await openTab({ expecting: refusals });
  const account = newAccount('owner');
  const owner = await signUpPerson(origin, account);
  const other = await signUpPerson(origin, newAccount('bob'));
  await owner.must('POST', `/api/organizations/${owner.workspaceId}/set-role`, { userId: other.id, role: 'owner' });
  await enter(tab, origin, 'signin', account);
  await tab.goto(`${origin}/organization/members`);
  const select = tab.getByLabel(`Role of ${account.email}`);
  await select.selectOption('member');
  const dialog = tab.getByRole('dialog', { name: 'Give up the role Owner' });
  await dialog.getByRole('button', { name: 'Cancel' }).click();
  await expect.poll(() => select.inputValue()).toBe('owner');

  await select.selectOption('member');
  await dialog.getByRole('button', { name: 'Become Member' }).click();
  await tab.getByText('Owners and admins invite people and change their roles.').waitFor();
  await tab.getByRole('listitem').filter({ hasText: account.email }).getByText('Member').waitFor();
  expect([await tab.getByText('Needs the role').count(), await tab.getByLabel(/^Role of/).count()]).toEqual([0, 0]);
});

it('removes a member from the menu of their row, and keeps the focus in the list', async () => {
  const { origin, tab } = await openTab({ expecting: refusals });
  const account = newAccount('owner');
  const owner = await signUpPerson(origin, account);
  const { id: userId, email } = await signUpPerson(origin, newAccount('bob'));
  await owner.must('POST', `/api/organizations/${owner.workspaceId}/set-role`, { userId, role: 'member' });
  await enter(tab, origin, 'signin', account);
  await tab.goto(`${origin}/organization/members`);
  await tab.getByRole('button', { name: `More for ${email}` }).click();
  await tab.getByRole('button', { name: 'Remove from the organization' }).click();
  await tab.getByRole('dialog').getByRole('button', { name: 'Remove', exact: true }).click();
  await tab.getByText(`${email} is removed.`).waitFor();
  await expect
    .poll(() => tab.evaluate(() => document.activeElement?.closest('li')?.textContent))
    .toContain(account.email);
});

it('lists somebody who was invited among the invitations, or among the members if they are one at once', async () => {
  const account = newAccount('owner');
  const { origin, tab } = await openPageOf(account);
  const bob = await signUpPerson(origin, newAccount('bob'));
  await bob.verify();
  await tab.getByRole('link', { name: 'Members' }).click();
  const invite = async (email: string): Promise<void> => {
    await tab.getByLabel('E-mail address').fill(email);
    await tab.getByRole('button', { name: 'Invite', exact: true }).click();
  };
  await invite('Stranger@example.com');
  await tab.getByRole('region', { name: 'Invitations' }).getByText('stranger@example.com').waitFor();
  await invite(bob.email);
  await expect.poll(() => tab.getByLabel(`Role of ${bob.email}`).inputValue()).toBe('member');
});

it('tells links of the same role apart by who made them, when, how often they were used and until when', async () => {
  const account = newAccount('owner');
  const { tab } = await openPageOf(account);
  await tab.getByRole('link', { name: 'Members' }).click();
  const links = tab.getByRole('region', { name: 'Links' });
  for (const count of [1, 2]) {
    await tab.getByRole('button', { name: 'Create a link' }).click();
    const dialog = tab.getByRole('dialog', { name: 'Create a link' });
    await dialog.getByLabel('For how long').selectOption(count === 1 ? '1' : '30');
    await dialog.getByRole('button', { name: 'Create a link' }).click();
    await dialog.getByText('/join?token=').waitFor();
    await tab.keyboard.press('Escape');
    await expect.poll(() => links.getByRole('listitem').count()).toBe(count);
  }
  const texts = await links.getByRole('listitem').allTextContents();
  expect(new Set(texts).size).toBe(2);
  const made = new RegExp(`Member by ${account.email}, \\w+ \\d+, \\d{4}`);
  for (const text of texts) expect(text).toMatch(made);
  await links
    .getByRole('button', { name: /^Take back/ })
    .first()
    .click();
  await tab.getByRole('dialog', { name: made }).getByRole('button', { name: 'Cancel' }).click();
});
