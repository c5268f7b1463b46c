import { expect, it } from 'vitest';
import { newAccount } from '../support/accounts.ts';
import { useDemoHere } from '../support/demo-in-process.ts';
import { type Person, signUpPeople, wordOf } from '../support/person.ts';

const url = useDemoHere({ RATE_LIMIT_FACTOR: '100' });

const { password } = newAccount();

function setRole(owner: Person, { id: userId }: Person, role: string | null): Promise<unknown> {
  return owner.must('POST', `/api/organizations/${owner.workspaceId}/set-role`, { userId, role });
}

it('refuses to delete the account of an owner whose organization has other members', async () => {
  const { ada, bob } = await signUpPeople(url(), ['ada', 'bob']);
  await setRole(ada, bob, 'owner');
  for (const owner of [ada, bob]) {
    expect(wordOf(await owner.ask('DELETE', '/api/auth/account', { password }))).toBe('409 CONFLICT');
    expect(wordOf(await owner.get(`/api/organizations/${ada.workspaceId}`)), 'all is as it was').toBe('200');
    expect(wordOf(await owner.get(`/api/organizations/${owner.workspaceId}`))).toBe('200');
  }
});

it('deletes with an account its own organization, and keeps those of others', async () => {
  const { ada, bob } = await signUpPeople(url(), ['ada', 'bob']);
  await setRole(ada, bob, 'member');
  const project = await bob.must('POST', '/api/projects', { organizationId: bob.workspaceId, name: 'Own' });
  await bob.must('POST', `/api/projects/${project.id}/share`, { userId: ada.id, role: 'manager' });
  await bob.must('POST', '/api/tasks', { projectId: project.id, title: 'Own' });
  expect((await ada.must('GET', '/api/tasks'))['items']).toHaveLength(1);
  expect(wordOf(await bob.ask('DELETE', '/api/auth/account', { password }))).toBe('200');
  for (const entity of ['projects', 'tasks']) expect((await ada.must('GET', `/api/${entity}`))['items']).toEqual([]);
  const { members } = await ada.must('GET', `/api/organizations/${ada.workspaceId}/members`);
  expect(members).toEqual([{ userId: ada.id, email: ada.email, role: 'owner' }]);
});

it('moves a removed member to another tenant, in all their sessions', async () => {
  const { ada, bob, cid } = await signUpPeople(url(), ['ada', 'bob', 'cid']);
  for (const member of [bob, cid]) await setRole(ada, member, 'member');
  for (const member of [bob, cid]) {
    const switched = await member.must('POST', '/api/auth/switch-tenant', { tenantId: ada.workspaceId });
    expect(switched).toMatchObject({ tenantId: ada.workspaceId, user: { tenantId: ada.workspaceId } });
  }
  await cid.must('POST', '/api/documents', { title: 'Shared', body: '', shared: true });
  expect((await bob.must('GET', '/api/documents'))['items']).toHaveLength(1);
  const before = bob.browser.cookies.get('app.sid');
  await setRole(ada, bob, null);
  expect(wordOf(await bob.browser.get('/api/documents')), 'the JWT names the old tenant').toBe('401 UNAUTHENTICATED');
  expect((await bob.must('GET', '/api/documents'))['items']).toEqual([]);
  expect(bob.browser.cookies.get('app.sid')).not.toBe(before);
  expect(await bob.tenantId()).toBe(bob.workspaceId);
  expect(await cid.tenantId(), 'no other user is moved').toBe(ada.workspaceId);
  await bob.must('POST', '/api/auth/signin', { email: bob.email, password });
  expect(await bob.tenantId()).toBe(bob.workspaceId);
});
