import { expect, it } from 'vitest';
import { startHere } from '../support/demo-in-process.ts';
import { type AnyBody, type Person, signUpPeople, wordOf } from '../support/person.ts';
import { createDatabase } from '../support/postgres-database.ts';
import { makeFolder } from '../support/temporary-folder.ts';

type Place = { readonly type: string; readonly id: string };

/** Reads all pages of a lookup. */
async function walk(person: Person, path: string, body: object, limit = 1): Promise<readonly AnyBody[]> {
  const items: AnyBody[] = [];
  for (let after: string | null = null; ;) {
    const page = await person.must('POST', `/api/access/${path}`, { ...body, limit, after });
    items.push(...(page['items'] as readonly AnyBody[]));
    if (page['nextCursor'] === null) return items;
    after = page['nextCursor'] as string;
  }
}

/** An organization of Ada's with two projects; Bob is a member, and Cid contributes to one project. */
async function openTracker(databaseUrl: string) {
  const url = await startHere({ DATABASE_URL: databaseUrl });
  const { ada, bob, cid } = await signUpPeople(url, ['ada', 'bob', 'cid']);
  const { id: organizationId } = await ada.must('POST', '/api/organizations', { name: 'Acme' });
  await ada.must('POST', `/api/organizations/${organizationId}/set-role`, { userId: bob.id, role: 'member' });
  const project = await ada.must('POST', '/api/projects', { organizationId, name: 'One' });
  const other = await ada.must('POST', '/api/projects', { organizationId, name: 'Two' });
  const task = await ada.must('POST', '/api/tasks', { projectId: project.id, title: 'Task' });
  await ada.must('POST', `/api/projects/${project.id}/share`, { userId: cid.id, role: 'contributor' });
  const places = {
    organization: { type: 'organization', id: organizationId },
    project: { type: 'project', id: project.id },
    other: { type: 'project', id: other.id },
    task: { type: 'task', id: task.id },
  };
  return { ada, bob, cid, places };
}

it.each(['memory', 'file', 'postgres'])('lists resources by caller, and users by resource, on %s', async (kind) => {
  const folder = makeFolder();
  const urls = { memory: () => 'memory:', file: () => `file:${folder}/demo.db`, postgres: createDatabase };
  const { ada, bob, cid, places } = await openTracker(await urls[kind as keyof typeof urls]());
  const { organization, project, other, task } = places;
  const resourcesOf = async (person: Person, entitlement: string, type: string): Promise<readonly unknown[]> =>
    (await walk(person, 'lookup', { entitlement, type })).map((item) => item['resource']);
  const usersOf = async (entitlement: string, resource: Place): Promise<readonly unknown[]> =>
    (await walk(ada, 'who', { entitlement, resource })).map((item) => item['userId']);
  const sorted = (...all: readonly Place[]): readonly Place[] => all.toSorted((a, b) => (a.id < b.id ? -1 : 1));
  expect(await resourcesOf(ada, 'project:update', 'project')).toEqual(sorted(project, other));
  expect(await resourcesOf(bob, 'project:read', 'project')).toEqual(sorted(project, other));
  expect(await resourcesOf(bob, 'project:update', 'project')).toEqual([]);
  expect(await resourcesOf(cid, 'task:update', 'task')).toEqual([task]);
  expect(await resourcesOf(ada, 'project:export', 'project')).toEqual([]);
  expect(await usersOf('task:read', task)).toEqual([ada.id, bob.id, cid.id].toSorted());
  expect(await usersOf('task:update', task)).toEqual([ada.id, cid.id].toSorted());
  expect(await usersOf('project:update', project)).toEqual([ada.id]);
  expect(await usersOf('project:export', project)).toEqual([]);
  const contributors = await walk(ada, 'who', { entitlement: 'project:create-task', resource: project });
  expect(contributors.map((item) => String(item['email'])).toSorted()).toEqual([ada.email, cid.email].toSorted());
  expect(await usersOf('organization:read', organization)).toEqual([ada.id, bob.id].toSorted());
  const [found] = await walk(cid, 'lookup', { entitlement: 'task:update', type: 'task' });
  expect(found?.['way']).toEqual([
    { resource: project, role: 'contributor' },
    { resource: task, role: 'editor' },
  ]);
});

it('tells a guest who manages a project no addresses of members', async () => {
  const { ada, bob, cid, places } = await openTracker('memory:');
  await ada.must('POST', `/api/projects/${places.project.id}/share`, { userId: cid.id, role: 'manager' });
  const addressesFor = async (person: Person): Promise<unknown> => {
    const found = await walk(person, 'who', { entitlement: 'project:read', resource: places.project });
    return Object.fromEntries(found.map((item) => [item['userId'], item['email']]));
  };
  expect(await addressesFor(ada)).toEqual({ [ada.id]: ada.email, [bob.id]: bob.email, [cid.id]: cid.email });
  expect(await addressesFor(cid)).toEqual({ [ada.id]: null, [bob.id]: null, [cid.id]: cid.email });
});

it('tells who may only to those who manage the resource', async () => {
  const { ada, bob, cid, places } = await openTracker('memory:');
  const ask = async (person: Person, resource: Place): Promise<string> =>
    wordOf(await person.post('/api/access/who', { entitlement: 'organization:read', resource }));
  for (const [place, resource] of Object.entries(places)) {
    expect((await ada.post('/api/access/who', { entitlement: 'task:read', resource })).status, place).toBe(200);
    expect(await ask(bob, resource), place).toBe('403 FORBIDDEN');
  }
  expect(await ask(cid, places.project)).toBe('403 FORBIDDEN');
  expect(await ask(cid, places.task)).toBe('403 FORBIDDEN');
  expect(await ask(cid, places.other)).toBe('404 NOT_FOUND');
  expect(await ask(cid, places.organization)).toBe('404 NOT_FOUND');
  for (const type of ['task', 'none', '__proto__']) {
    expect(await ask(ada, { type, id: crypto.randomUUID() }), type).toBe('404 NOT_FOUND');
  }
});

/** The decision in an answer of `explain`, or the first of `check`. */
function allowedIn(body: object): unknown {
  const { allowed, results } = body as { allowed?: boolean; results?: readonly { allowed: boolean }[] };
  return allowed ?? results?.[0]?.allowed;
}

it('explains what another user may do to those who manage the resource, and to nobody else', async () => {
  const { ada, bob, cid, places } = await openTracker('memory:');
  const ask = async (person: Person, userId: string, entitlement: string, resource?: Place): Promise<string> => {
    const explained = await person.post('/api/access/explain', { entitlement, resource, userId });
    const checked = await person.post('/api/access/check', { checks: [{ entitlement, resource }], userId });
    const outcomes = [explained, checked].map((answer) =>
      answer.status === 200 ? String(allowedIn(answer.body)) : wordOf(answer),
    );
    expect(outcomes[1]).toBe(outcomes[0]);
    return outcomes[0] ?? '';
  };
  const { organization, project, other, task } = places;
  expect(await ask(ada, cid.id, 'project:create-task', project)).toBe('true');
  expect(await ask(ada, cid.id, 'task:update', task)).toBe('true');
  expect(await ask(ada, cid.id, 'project:read', other)).toBe('false');
  expect(await ask(ada, bob.id, 'project:read', other)).toBe('true');
  expect(await ask(ada, crypto.randomUUID(), 'organization:read', organization)).toBe('false');
  for (const resource of [organization, project, task]) {
    expect(await ask(bob, ada.id, 'organization:read', resource), resource.type).toBe('403 FORBIDDEN');
  }
  expect(await ask(cid, ada.id, 'project:read', other)).toBe('404 NOT_FOUND');
  // About themselves, everybody may ask.
  expect(await ask(bob, bob.id, 'project:read', project)).toBe('true');
});

it('takes the organization of the caller for a question about another user without a resource', async () => {
  const { ada, bob, places } = await openTracker('memory:');
  const question = { entitlement: 'organization:manage', userId: bob.id };
  // Bob manages his own workspace, which is his current organization and is nothing to Ada.
  expect((await bob.must('POST', '/api/access/explain', { entitlement: 'organization:manage' }))['allowed']).toBe(true);
  await ada.must('POST', '/api/auth/switch-tenant', { tenantId: places.organization.id });
  expect((await ada.must('POST', '/api/access/explain', question))['allowed']).toBe(false);
});

it('refuses pages that can not be', async () => {
  const { ada, places } = await openTracker('memory:');
  const asked = { entitlement: 'project:read', resource: places.project };
  for (const page of [{ limit: 0 }, { limit: 101 }, { limit: '5' }, { after: 5 }, { from: 'a' }]) {
    expect(wordOf(await ada.post('/api/access/who', { ...asked, ...page }))).toBe('400 VALIDATION_FAILED');
    const lookup = { entitlement: 'project:read', type: 'project', ...page };
    expect(wordOf(await ada.post('/api/access/lookup', lookup))).toBe('400 VALIDATION_FAILED');
  }
  const lookup = { entitlement: 'project:read', type: 'project', after: 'a\0' };
  expect(wordOf(await ada.post('/api/access/lookup', lookup))).toBe('400 INVALID_QUERY');
  expect(wordOf(await ada.post('/api/access/who', { ...asked, after: '\ud800' }))).toBe('400 INVALID_QUERY');
});
