import { expect } from 'vitest';
import { newAccount, password } from '../support/accounts.ts';
import { mailedToken } from '../support/outbox.ts';
import { type Person, wordOf } from '../support/person.ts';

/** Does everything with organizations, projects, tasks and comments. */
export async function useTracker(ada: Person, bob: Person): Promise<void> {
  const organization = await ada.must('POST', '/api/organizations', { name: 'Acme' });
  const path = `/api/organizations/${organization.id}`;
  await ada.must('PATCH', path, { name: 'Acme & Sons' });
  const { slug } = organization;
  await ada.must('POST', '/api/organizations/upsert', { by: 'slug', record: { name: 'Acme and Sons', slug } });
  await useEntity(ada, 'organizations', organization.id);
  await ada.must('POST', `${path}/plan`, { plan: 'pro' });
  await ada.must('POST', `${path}/add-ons`, { addOn: 'extra-exports', attach: true });
  await ada.must('GET', `${path}/plan`);
  await ada.must('POST', `${path}/set-role`, { userId: bob.id, role: 'member' });
  await ada.must('GET', `${path}/members`);
  await ada.must('GET', `${path}/members?search=a&limit=1`);
  await ada.must('GET', `${path}/events?limit=10`);
  await useInvitations(ada, bob, path);
  await useLinks(ada, bob, path);
  const project = await ada.must('POST', '/api/projects', { organizationId: organization.id, name: 'Website' });
  await useProject(ada, bob, project.id);
  await ada.must('DELETE', `/api/projects/${project.id}`);
  await ada.must('POST', `${path}/transfer`, { userId: bob.id });
  await bob.must('POST', `${path}/transfer`, { userId: ada.id });
  await bob.must('POST', `${path}/leave`);
  await ada.must('DELETE', path);
}

async function useInvitations(ada: Person, bob: Person, path: string): Promise<void> {
  const { email } = newAccount();
  await ada.must('POST', `${path}/invite`, { email, role: 'member' });
  const { items } = await ada.must('GET', `${path}/invitations`);
  const [{ id: invitationId } = { id: '' }] = items as readonly { readonly id: string }[];
  const token = await mailedToken(bob.browser.url, 'invitation', email);
  expect(wordOf(await bob.post('/api/invitations/join', { token }))).toBe('403 FORBIDDEN');
  for (const answer of ['accept', 'decline']) {
    expect(wordOf(await bob.post(`/api/invitations/${answer}`, { invitationId }))).toBe('403 FORBIDDEN');
  }
  await ada.must('POST', `${path}/resend-invitation`, { invitationId });
  await ada.must('POST', `${path}/revoke-invitation`, { invitationId });
}

async function useLinks(ada: Person, bob: Person, path: string): Promise<void> {
  const { id: linkId, token } = await ada.must('POST', `${path}/create-link`, { role: 'member', maxUses: 1 });
  await ada.must('GET', `${path}/links`);
  await bob.must('POST', '/api/invitations/preview', { token });
  await bob.must('POST', '/api/invitations/join', { token });
  await ada.must('POST', `${path}/revoke-link`, { linkId });
  await bob.must('GET', '/api/invitations');
  for (const answer of ['accept', 'decline']) {
    expect((await bob.ask('POST', `/api/invitations/${answer}`, { invitationId: linkId })).status).toBe(404);
  }
}

async function useProject(ada: Person, bob: Person, projectId: string): Promise<void> {
  const path = `/api/projects/${projectId}`;
  const { organizationId } = await ada.must('PATCH', path, { description: 'A new one', slug: 'website' });
  const record = { organizationId, slug: 'website', name: 'Website' };
  await ada.must('POST', '/api/projects/upsert', { by: ['organizationId', 'slug'], record });
  await useEntity(ada, 'projects', projectId, 'include=organization,tasks.comments');
  await ada.must('POST', `${path}/share`, { userId: bob.id, role: 'viewer' });
  await ada.must('POST', `${path}/unshare`, { userId: bob.id });
  const task = await ada.must('POST', '/api/tasks', { projectId, title: 'Draw', dueAt: new Date().toISOString() });
  await ada.must('PATCH', `/api/tasks/${task.id}`, { ...task, priority: 'high' });
  const comment = await ada.must('POST', '/api/comments', { taskId: task.id, body: 'Soon' });
  await ada.must('PATCH', `/api/comments/${comment.id}`, { ...comment, body: 'Now' });
  await useEntity(ada, 'tasks', task.id, 'include=comments,project&access=task:read,project:read');
  await useEntity(ada, 'comments', comment.id);
  const measures = { open: { count: true }, hours: { sum: 'estimate' }, due: { min: 'dueAt' } };
  await ada.must('POST', '/api/tasks/aggregate', { where: { done: false }, groupBy: ['projectId'], measures });
  await ada.must('GET', '/api/tasks?orderBy=project.name,title:desc');
  await ada.must('POST', '/api/tasks/bulk-complete', { ids: [task.id] });
  const resource = { type: 'project', id: projectId };
  await ada.must('POST', '/api/access/check', { checks: [{ entitlement: 'project:update', resource }] });
  await ada.must('POST', '/api/access/explain', { entitlement: 'project:update', resource });
  await ada.must('POST', '/api/access/lookup', { entitlement: 'task:read', type: 'task', limit: 1 });
  await ada.must('POST', '/api/access/who', { entitlement: 'project:update', resource, limit: 1 });
  await bob.must('POST', '/api/access/check', { checks: [{ entitlement: 'project:update', resource }] });
  await ada.must('POST', `${path}/export`);
  await ada.must('DELETE', `/api/comments/${comment.id}`);
  await moveTask(ada, task.id);
  await ada.must('POST', `${path}/archive`);
  await ada.must('DELETE', `/api/tasks/${task.id}`);
}

/** Exports a task, deletes it, and imports it again. */
async function moveTask(ada: Person, id: string): Promise<void> {
  const { text } = await ada.browser.get(`/api/tasks/export?where[id]=${id}`);
  await ada.must('DELETE', `/api/tasks/${id}`);
  const headers = { 'content-type': 'application/x-ndjson' };
  const { body } = await ada.browser.send('/api/tasks/import', { method: 'POST', body: `${text}{}\n`, headers });
  const failed = [{ line: 2, error: expect.objectContaining({ code: 'VALIDATION_FAILED' }) }];
  expect(body).toEqual({ created: 1, failed, resumeAfter: 2 });
}

/** Reads records of an entity in every way. */
async function useEntity(ada: Person, entity: string, id: string, query = 'select=id'): Promise<void> {
  await ada.must('GET', `/api/${entity}?count=true&where[id][in]=${id}&orderBy=createdAt:desc&limit=1`);
  await ada.must('GET', `/api/${entity}?${query}`);
  await ada.must('GET', `/api/${entity}/${id}`);
  await ada.must('GET', `/api/${entity}/${id}?${query}`);
  await ada.must('POST', `/api/${entity}/query`, { where: { OR: [{ id: { eq: id } }] }, limit: 1, select: ['id'] });
  await ada.must('POST', `/api/${entity}/aggregate`, { groupBy: ['createdAt'], measures: { n: { count: true } } });
}

/** Does everything with what is a user's own. */
export async function useOwnRecords(ada: Person): Promise<void> {
  for (const [entity, body] of [
    ['notes', { title: 'First', body: 'Text' }],
    ['documents', { title: 'First', body: 'Text' }],
    ['vault', { label: 'Door', secret: 'Open sesame' }],
  ] as const) {
    const record = await ada.must('POST', `/api/${entity}`, body);
    await ada.must('PATCH', `/api/${entity}/${record.id}`, record);
    await useEntity(ada, entity, record.id);
    await ada.must('DELETE', `/api/${entity}/${record.id}`);
  }
  await ada.must('POST', '/api/notes/bulk', { create: [{ title: 'One', body: '' }], update: [], delete: [] });
}

/** Does everything with announcements, as who may. */
export async function useAnnouncements(person: Person): Promise<void> {
  const body = { title: 'News', body: 'Text', publishedAt: new Date().toISOString() };
  const { id } = await person.must('POST', '/api/announcements', body);
  await person.must('PATCH', `/api/announcements/${id}`, { title: 'Olds' });
  await useEntity(person, 'announcements', id);
  await person.must('DELETE', `/api/announcements/${id}`);
}

/** Sends what is right by itself, and stands against what there is. */
export async function meetConflicts(ada: Person): Promise<void> {
  const slug = `taken-${crypto.randomUUID()}`;
  const { id } = await ada.must('POST', '/api/organizations', { name: 'First', slug });
  const path = `/api/organizations/${id}`;
  const second = await ada.post('/api/organizations', { name: 'Second', slug });
  const stale = await ada.browser.send(path, { method: 'PATCH', body: { name: 'x' }, headers: { 'if-match': '"99"' } });
  const last = await ada.post(`${path}/set-role`, { userId: ada.id, role: null });
  const nobody = await ada.post(`${path}/set-role`, { userId: crypto.randomUUID(), role: 'member' });
  const twice = await ada.post('/api/auth/signup', { email: ada.email, password });
  const on = await ada.post('/api/auth/mfa/setup');
  expect([second, stale, last, nobody, twice, on].map(wordOf)).toEqual([
    ...['409 CONFLICT', '412 PRECONDITION_FAILED', '409 CONFLICT', '404 NOT_FOUND', '409 USER_EXISTS'],
    '409 MFA_ALREADY_ENABLED',
  ]);
}

/** Asks for a task that is larger than a page with all its comments. */
export async function exceedPage(ada: Person): Promise<void> {
  const { id: organizationId } = await ada.must('POST', '/api/organizations', { name: 'Talkative' });
  const { id: projectId } = await ada.must('POST', '/api/projects', { organizationId, name: 'Forum' });
  const { id: taskId } = await ada.must('POST', '/api/tasks', { projectId, title: 'Discuss' });
  const body = '😀'.repeat(10_000);
  for (let kilobytes = 0; kilobytes < 1100; kilobytes += 40) await ada.must('POST', '/api/comments', { taskId, body });
  const one = await ada.get(`/api/tasks/${taskId}?include=comments`);
  const listed = await ada.get(`/api/tasks?where[id]=${taskId}&include=comments`);
  const queried = await ada.post('/api/tasks/query', { where: { id: taskId }, include: 'comments' });
  expect([one, listed, queried].map(wordOf)).toEqual(Array(3).fill('400 QUERY_TOO_EXPENSIVE'));
}
