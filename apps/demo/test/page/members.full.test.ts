import { expect, it } from 'vitest';
import { newAccount } from '../support/accounts.ts';
import { openPage, refusals, signIn } from '../support/open-page.ts';
import { signUpPerson } from '../support/person.ts';

it('shows the new role of a member before the server has answered, and takes it back where it refuses', async () => {
  const { origin, tab } = await openPage({ expecting: refusals });
  const account = newAccount('owner');
  const owner = await signUpPerson(origin, account);
  const { id: userId, email } = await signUpPerson(origin, newAccount('bob'));
  await owner.must('POST', `/api/organizations/${owner.workspaceId}/set-role`, { userId, role: 'member' });
  await signIn(tab, account);
  await tab.getByRole('link', { name: 'Members' }).click();
  const form = tab.getByRole('form', { name: `Role of ${email}` });
  await form.getByLabel('Role').selectOption('admin');

  const answer = Promise.withResolvers<void>();
  await tab.route('**/set-role', async (route) => {
    await answer.promise;
    await route.fulfill({ status: 409, json: { error: { code: 'CONFLICT', message: 'No.' } } });
  });
  await form.getByRole('button').click();
  const role = (): Promise<string> => form.getByLabel('Role').inputValue();
  await expect.poll(role).toBe('admin');
  answer.resolve();
  await expect.poll(role).toBe('member');
  await tab.unroute('**/set-role');

  const project = { organizationId: owner.workspaceId, name: 'Shared' };
  const { id: projectId } = (await owner.must('POST', '/api/projects', project)) as { id: string };
  const guest = await signUpPerson(origin, newAccount('guest'));
  await owner.must('POST', `/api/projects/${projectId}/share`, { userId: guest.id, role: 'viewer' });
  await tab.reload();
  const guests = tab.getByRole('region', { name: 'Roles on projects' });
  await expect.poll(() => guests.getByRole('listitem').filter({ hasText: guest.email }).innerText()).toMatch(/Viewer/);

  await tab.getByLabel('Search').first().fill(email);
  await expect.poll(() => tab.getByRole('form', { name: /^Role of/ }).count()).toBe(1);
});
