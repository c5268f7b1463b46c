import { expect, it } from 'vitest';
import { startHere } from '../support/demo-in-process.ts';
import { type Person, signUpPeople, wordOf } from '../support/person.ts';
import { createDatabase } from '../support/postgres-database.ts';
import { makeFolder } from '../support/temporary-folder.ts';

it.each(['memory', 'file', 'postgres'])('keeps organizations and their projects on %s', async (kind) => {
  const folder = makeFolder();
  const urls = { memory: () => 'memory:', file: () => `file:${folder}/demo.db`, postgres: createDatabase };
  const databaseUrl = await urls[kind as keyof typeof urls]();
  const url = await startHere({ DATABASE_URL: databaseUrl, RATE_LIMIT_FACTOR: '100' });
  const { ada, bob, eve } = await signUpPeople(url, ['ada', 'bob', 'eve']);
  await seeTheWorkspace(ada);
  await openOrganizations(ada, eve);
  const projectId = await workTogether(ada, bob);
  await expect(keepOut(eve, ada.workspaceId, projectId)).resolves.toBeUndefined();
  await keepAnOwner(ada, bob);
  await deleteTheWorkspace(ada, bob);
});

async function seeTheWorkspace(ada: Person): Promise<void> {
  const localPart = ada.email.slice(0, ada.email.indexOf('@'));
  const { tenants, currentTenantId } = await ada.must('GET', '/api/auth/tenants');
  expect(tenants).toEqual([{ id: ada.workspaceId, name: `${localPart}'s workspace` }]);
  expect(currentTenantId).toBe(ada.workspaceId);
  const { items } = await ada.must('GET', '/api/organizations');
  expect(items).toMatchObject([{ id: ada.workspaceId, name: `${localPart}'s workspace` }]);
  const members = [{ userId: ada.id, email: ada.email, role: 'owner' }];
  expect(await ada.must('GET', `/api/organizations/${ada.workspaceId}/members`)).toEqual({ members });
  expect(await ada.must('GET', `/api/organizations/${ada.workspaceId}/plan`)).toMatchObject({
    plan: 'free',
    limits: [
      { key: 'projects', max: 3, consumed: 0, remaining: 3 },
      { key: 'tasks', max: 50, consumed: 0, remaining: 50 },
    ],
    addOns: [],
  });
  const { accessSet } = await ada.must('GET', '/api/auth/access-set');
  expect(accessSet).toMatchObject({ plans: { base: 'free' }, allow: expect.arrayContaining(['organization:manage']) });
}

async function openOrganizations(ada: Person, eve: Person): Promise<void> {
  const slug = `acme-${crypto.randomUUID()}`;
  const acme = await eve.must('POST', '/api/organizations', { name: 'Acme', slug });
  expect(await eve.must('GET', `/api/organizations/${acme.id}/plan`)).toMatchObject({ plan: 'free' });
  expect(await eve.tenantId(), 'she goes on where she is').toBe(eve.workspaceId);
  expect(wordOf(await ada.post('/api/organizations', { name: 'Acme', slug }))).toBe('409 CONFLICT');
  expect(wordOf(await ada.patch(`/api/organizations/${ada.workspaceId}`, { slug }))).toBe('409 CONFLICT');
  const made = await eve.must('POST', '/api/organizations', { name: "Zoë's Crème & Co." });
  expect(made['slug']).toMatch(/^zoes-creme-co-[0-9a-f]{8}$/);
  for (const body of [
    {},
    { name: '' },
    { name: 'x', slug: 'No' },
    { name: 'x', slug: '-a' },
    { name: 'x', plan: 'pro' },
  ]) {
    expect(wordOf(await ada.post('/api/organizations', body))).toBe('400 VALIDATION_FAILED');
  }
}

async function workTogether(ada: Person, bob: Person): Promise<string> {
  const organizationId = ada.workspaceId;
  const project = await ada.must('POST', '/api/projects', { organizationId, name: 'Website', slug: ' website ' });
  expect(project).toMatchObject({ organizationId, name: 'Website', slug: 'website', description: '', archived: false });
  const again = { organizationId, name: 'Another', slug: 'website' };
  expect(wordOf(await ada.post('/api/projects', again)), 'once in an organization').toBe('409 CONFLICT');
  await ada.must('POST', `/api/organizations/${organizationId}/set-role`, { userId: bob.id, role: 'member' });
  const task = { projectId: project.id, title: 'Write' };
  expect(wordOf(await bob.post('/api/tasks', task)), 'a member only sees').toBe('403 FORBIDDEN');
  await ada.must('POST', `/api/projects/${project.id}/share`, { userId: bob.id, role: 'contributor' });
  const { id } = await bob.must('POST', '/api/tasks', { ...task, estimate: '7.5', labels: ['copy', 'web'] });
  expect(await bob.must('GET', `/api/tasks/${id}`)).toMatchObject({
    ...{ title: 'Write', done: false, priority: 'normal', assigneeId: null, dueAt: null },
    ...{ estimate: '7.50', labels: ['copy', 'web'] },
    __access: { 'task:update': { allowed: true }, 'task:delete': { allowed: true } },
  });
  const comment = await ada.must('POST', '/api/comments', { taskId: id, body: 'Well done' });
  expect(comment).toMatchObject({ authorId: ada.id });
  expect(wordOf(await bob.patch(`/api/comments/${comment.id}`, { body: 'x' }))).toBe('404 NOT_FOUND');
  expect(await bob.must('POST', '/api/tasks/bulk-complete', { ids: [id] })).toEqual({ completed: 1 });
  const shown = await bob.must('GET', `/api/tasks/${id}?include=comments,project`);
  expect(shown).toMatchObject({ done: true, comments: [{ body: 'Well done' }], project: { name: 'Website' } });
  expect(await ada.must('POST', `/api/projects/${project.id}/archive`)).toMatchObject({ archived: true });
  return project.id;
}

async function keepOut(eve: Person, organizationId: string, projectId: string): Promise<void> {
  for (const path of [`organizations/${organizationId}`, `projects/${projectId}`]) {
    expect(wordOf(await eve.get(`/api/${path}`))).toBe('404 NOT_FOUND');
  }
  for (const [path, body] of [
    ['invite', { email: 'x@example.com', role: 'member' }],
    ['set-role', { userId: eve.id, role: 'owner' }],
    ['plan', { plan: 'pro' }],
    ['add-ons', { addOn: 'extra-exports', attach: true }],
  ] as const) {
    expect(wordOf(await eve.post(`/api/organizations/${organizationId}/${path}`, body)), path).toBe('404 NOT_FOUND');
  }
  expect((await eve.must('GET', '/api/projects?count=true'))['total']).toBe(0);
}

async function keepAnOwner(ada: Person, bob: Person): Promise<void> {
  const setRole = `/api/organizations/${ada.workspaceId}/set-role`;
  expect(wordOf(await ada.post(setRole, { userId: ada.id, role: null }))).toBe('409 CONFLICT');
  await ada.must('POST', setRole, { userId: bob.id, role: 'admin' });
  expect(wordOf(await bob.post(setRole, { userId: bob.id, role: 'owner' }))).toBe('403 FORBIDDEN');
  expect(wordOf(await bob.post(setRole, { userId: ada.id, role: 'member' }))).toBe('403 FORBIDDEN');
  expect(wordOf(await ada.post(setRole, { userId: crypto.randomUUID(), role: 'member' }))).toBe('404 NOT_FOUND');
}

async function deleteTheWorkspace(ada: Person, bob: Person): Promise<void> {
  const path = `/api/organizations/${ada.workspaceId}`;
  await bob.must('POST', '/api/auth/switch-tenant', { tenantId: ada.workspaceId });
  await bob.must('POST', '/api/documents', { title: 'Plan', body: '', shared: true });
  expect(wordOf(await ada.delete(path))).toBe('403 STEP_UP_REQUIRED');
  await bob.stepUp();
  expect(wordOf(await bob.delete(path))).toBe('403 FORBIDDEN');
  await ada.stepUp();
  expect(wordOf(await ada.delete(path))).toBe('204');
  expect(await ada.tenantId(), 'she belongs to nothing else').toBeNull();
  expect(await bob.tenantId()).toBe(bob.workspaceId);
  for (const entity of ['projects', 'tasks', 'comments', 'documents']) {
    expect((await bob.must('GET', `/api/${entity}`))['items'], entity).toEqual([]);
  }
  expect(wordOf(await bob.post('/api/auth/switch-tenant', { tenantId: ada.workspaceId }))).toBe('403 FORBIDDEN');
}
