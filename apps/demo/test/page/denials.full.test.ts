import { expect, it } from 'vitest';
import { newAccount } from '../support/accounts.ts';
import { enter, openPageOf, openTab, refusals } from '../support/open-page.ts';
import { signUpPerson } from '../support/person.ts';

/** Opens the page for a member of somebody's organization, which has a project with a task. */
async function openAsMember() {
  const { origin, tab } = await openTab({ expecting: refusals });
  const owner = await signUpPerson(origin);
  const account = newAccount('member');
  const member = await signUpPerson(origin, account);
  const organizationId = owner.workspaceId;
  await owner.must('POST', `/api/organizations/${organizationId}/set-role`, { userId: member.id, role: 'member' });
  const { id: projectId } = await owner.must('POST', '/api/projects', { organizationId, name: 'Website' });
  const { id: taskId } = await owner.must('POST', '/api/tasks', { projectId, title: 'Publish' });
  await member.must('POST', '/api/auth/switch-tenant', { tenantId: organizationId });
  await enter(tab, origin, 'signin', account);
  return { origin, tab, owner, memberId: member.id, projectId, taskId };
}

it('says in a row of many why something is denied, and leads to the explanation', async () => {
  const { origin, tab, owner, projectId, taskId } = await openAsMember();
  // There is nothing to select for.
  await tab.goto(`${origin}/projects/${projectId}/table`);
  await tab.getByRole('link', { name: 'Publish' }).waitFor();
  expect(await tab.getByRole('checkbox').count()).toBe(0);

  await tab.getByRole('link', { name: 'Board' }).click();
  const complete = tab.getByRole('button', { name: 'Complete Publish' });
  await complete.waitFor();
  expect(await complete.getAttribute('aria-disabled')).toBe('true');
  await complete.press('Enter');
  const why = tab.getByRole('link', { name: 'Why? Needs the role Editor.' });
  await why.waitFor();
  await tab.keyboard.press('Tab');
  expect(await why.evaluate((link) => link === document.activeElement)).toBe(true);
  await tab.keyboard.press('Escape');
  await why.waitFor({ state: 'hidden' });
  expect(await complete.evaluate((button) => button === document.activeElement)).toBe(true);
  expect((await owner.must('GET', `/api/tasks/${taskId}`))['done']).toBe(false);

  await complete.press('Enter');
  await why.click();
  await tab.getByRole('heading', { name: 'You may not change task Publish' }).waitFor();
});

it('lets nobody write into fields that they may not save, and says why once', async () => {
  const { origin, tab, owner, memberId, projectId, taskId } = await openAsMember();
  await tab.goto(`${origin}/projects/${projectId}?task=${taskId}`);
  const panel = tab.getByRole('dialog', { name: 'Task' });
  await panel.getByLabel('Title').waitFor();
  expect(await panel.getByRole('link', { name: 'Why? Needs the role Editor.' }).count()).toBe(1);
  for (const label of ['Title', 'Due', 'Estimate in hours', 'Labels']) {
    expect([label, await panel.getByLabel(label).isEditable()]).toEqual([label, false]);
  }
  for (const label of ['Status', 'Priority', 'Assignee']) {
    expect([label, await panel.getByLabel(label).isDisabled()]).toEqual([label, true]);
  }
  // An empty date would show the pattern of one.
  expect(await panel.getByLabel('Due').getAttribute('type')).toBe('text');
  expect(await panel.getByPlaceholder('Write a comment').isEditable()).toBe(true);

  // Another role shows while it is open.
  const { workspaceId } = owner;
  for (const [role, isEditable] of [
    ['admin', true],
    ['member', false],
  ] as const) {
    await owner.must('POST', `/api/organizations/${workspaceId}/set-role`, { userId: memberId, role });
    await expect.poll(() => panel.getByLabel('Labels').isEditable(), { timeout: 30_000 }).toBe(isEditable);
  }

  for (const path of [`/projects/${projectId}/settings`, '/organization']) {
    await tab.goto(origin + path);
    await tab
      .getByRole('link', { name: /^Why\?/ })
      .first()
      .waitFor();
    expect([path, await tab.getByLabel('Name', { exact: true }).isEditable()]).toEqual([path, false]);
  }
});

it('offers the add-on only where the plan goes with it', async () => {
  const { tab } = await openPageOf(newAccount('owner'));
  await tab.getByRole('link', { name: 'Plan and usage', exact: true }).click();
  await tab.getByText('Only with Pro.').waitFor();
  expect(await tab.getByRole('button', { name: 'Add it' }).count()).toBe(0);
  await tab.getByRole('button', { name: 'Change to Pro' }).click();
  await tab.getByRole('button', { name: 'Add it' }).click();
  await tab.getByRole('button', { name: 'Remove it' }).waitFor();
  await tab.getByText('The add-on is added.').waitFor();
});
