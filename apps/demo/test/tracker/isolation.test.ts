import { expect, it } from 'vitest';
import { Browser } from '../support/browser.ts';
import { useDemoHere } from '../support/demo-in-process.ts';
import { type AnyBody, type Person, signUpPeople } from '../support/person.ts';

const url = useDemoHere({ RATE_LIMIT_FACTOR: '1000' });

/** Every way to a record by its id: method, path behind the id, body. */
const ways: Readonly<Record<string, readonly (readonly [method: string, path: string, body?: unknown])[]>> = {
  organizations: [
    ['GET', ''],
    ['PATCH', '', { name: 'Mine' }],
    ['DELETE', ''],
    ['GET', '/members'],
    ['GET', '/plan'],
    ['POST', '/plan', { plan: 'enterprise' }],
    ['POST', '/add-ons', { addOn: 'extra-exports', attach: true }],
    ['POST', '/invite', { email: 'eve@example.com', role: 'admin' }],
    ['POST', '/set-role', { userId: crypto.randomUUID(), role: 'owner' }],
    ['POST', '/set-role', { userId: crypto.randomUUID(), role: null }],
  ],
  projects: [
    ['GET', ''],
    ['GET', '?include=tasks,organization'],
    ['PATCH', '', { name: 'Mine' }],
    ['DELETE', ''],
    ['POST', '/share', { userId: crypto.randomUUID(), role: 'manager' }],
    ['POST', '/share', { email: 'eve@example.com', role: 'manager' }],
    ['POST', '/unshare', { userId: crypto.randomUUID() }],
    ['POST', '/export'],
    ['POST', '/archive'],
  ],
  tasks: [
    ['GET', ''],
    ['GET', '?include=project,comments&access=task:update'],
    ['PATCH', '', { done: true }],
    ['DELETE', ''],
  ],
  comments: [
    ['GET', ''],
    ['PATCH', '', { body: 'Mine' }],
    ['DELETE', ''],
  ],
  notes: [
    ['GET', ''],
    ['PATCH', '', { title: 'Mine' }],
    ['DELETE', ''],
  ],
  documents: [
    ['GET', ''],
    ['PATCH', '', { shared: false }],
    ['DELETE', ''],
  ],
  vault: [
    ['GET', ''],
    ['PATCH', '', { secret: 'x' }],
    ['DELETE', ''],
  ],
};

const entities = Object.keys(ways);

/** The records of one user, by the names of the entities. */
type Records = Readonly<Record<string, AnyBody>>;

async function fill(owner: Person): Promise<Records> {
  await owner.stepUp();
  const organizations = await owner.must('GET', `/api/organizations/${owner.workspaceId}`);
  const make = (entity: string, body: unknown): Promise<AnyBody> => owner.must('POST', `/api/${entity}`, body);
  const projects = await make('projects', { organizationId: organizations.id, name: 'Secret' });
  const tasks = await make('tasks', { projectId: projects.id, title: 'Secret' });
  return {
    organizations,
    projects,
    tasks,
    comments: await make('comments', { taskId: tasks.id, body: 'Secret' }),
    notes: await make('notes', { title: 'Secret', body: '' }),
    documents: await make('documents', { title: 'Secret', body: '', shared: true }),
    vault: await make('vault', { label: 'Secret', secret: 'Secret' }),
  };
}

/** Returns the revealing parts of a response: all of it, but for the requested id. */
async function revealedBy(by: Person, method: string, path: string, body: unknown, id: string): Promise<unknown> {
  const { status, text, headers } = await by.ask(method, path, body);
  return [status, text.replaceAll(id, 'id'), headers.get('etag')];
}

it('shows a stranger nothing of another organization, and no response reveals anything', async () => {
  const { ada, eve } = await signUpPeople(url(), ['ada', 'eve']);
  const [theirs, own] = [await fill(ada), await fill(eve)];
  const missing = crypto.randomUUID();
  for (const [entity, tries] of Object.entries(ways)) {
    const { id = '' } = theirs[entity] ?? {};
    for (const [method, path, body] of tries) {
      const revealed = await revealedBy(eve, method, `/api/${entity}/${id}${path}`, body, id);
      expect(revealed, `${method} ${entity}${path}`).toEqual([404, expect.any(String), null]);
      expect(revealed).toEqual(await revealedBy(eve, method, `/api/${entity}/${missing}${path}`, body, missing));
    }
  }
  await createBelow(eve, theirs, missing);
  await listOthers(eve, theirs, own);
  await askAbout(eve, theirs, missing);
  expect(await fillAgain(ada, theirs), 'nothing of it has changed').toMatchObject(Object.values(theirs));
});

/** No record is created below one of another user, and none is moved there. */
async function createBelow(eve: Person, theirs: Records, missing: string): Promise<void> {
  const creations = [
    ['projects', { name: 'x' }, 'organizationId', 'organizations'],
    ['tasks', { title: 'x' }, 'projectId', 'projects'],
    ['comments', { body: 'x' }, 'taskId', 'tasks'],
  ] as const;
  for (const [entity, body, reference, parent] of creations) {
    const { id = '' } = theirs[parent] ?? {};
    const revealed = await revealedBy(eve, 'POST', `/api/${entity}`, { ...body, [reference]: id }, id);
    expect(revealed, entity).toEqual([403, expect.any(String), null]);
    expect(revealed).toEqual(
      await revealedBy(eve, 'POST', `/api/${entity}`, { ...body, [reference]: missing }, missing),
    );
  }
  for (const ids of [[theirs['tasks']?.id], [missing]]) {
    expect((await eve.post('/api/tasks/bulk-complete', { ids })).status).toBe(404);
  }
  const foreign = { update: [{ id: theirs['notes']?.id, title: 'Mine' }], delete: [theirs['notes']?.id] };
  expect((await eve.post('/api/notes/bulk', foreign)).status).toBe(404);
}

/** Lists, counts, filters and includes contain only the caller's own records, for any query. */
async function listOthers(eve: Person, theirs: Records, own: Records): Promise<void> {
  for (const entity of entities) {
    const all = await eve.must('GET', `/api/${entity}?count=true`);
    expect([all['items'], all['total']], entity).toMatchObject([[{ id: own[entity]?.id }], 1]);
    const { id } = theirs[entity] ?? {};
    const where = { OR: [{ id }, { id: { ne: crypto.randomUUID() } }, { NOT: { id: own[entity]?.id } }] };
    const listed = await eve.must('POST', `/api/${entity}/query`, { where, count: true });
    expect([listed['items'], listed['total']], entity).toMatchObject([[{ id: own[entity]?.id }], 1]);
  }
  const { items } = await eve.must('GET', '/api/tasks?include=project,comments');
  for (const entity of entities) expect(JSON.stringify(items)).not.toContain(theirs[entity]?.id);
}

/** The access service reveals no plans, limits or parents of others. */
async function askAbout(eve: Person, theirs: Records, missing: string): Promise<void> {
  for (const [type, entity] of [
    ['organization', 'organizations'],
    ['project', 'projects'],
    ['task', 'tasks'],
  ] as const) {
    const { id = '' } = theirs[entity] ?? {};
    for (const entitlement of ['organization:create-project', 'project:export', 'project:create-task', 'task:read']) {
      const check = (at: string): unknown => ({ checks: [{ entitlement, resource: { type, id: at } }] });
      const revealed = await revealedBy(eve, 'POST', '/api/access/check', check(id), id);
      expect(revealed).toEqual(await revealedBy(eve, 'POST', '/api/access/check', check(missing), missing));
      const who = (at: string): unknown => ({ entitlement, resource: { type, id: at } });
      const told = await revealedBy(eve, 'POST', '/api/access/who', who(id), id);
      expect(told).toEqual(await revealedBy(eve, 'POST', '/api/access/who', who(missing), missing));
      expect(told).toMatchObject({ 0: 404 });
      const explain = (at: string): unknown => ({ entitlement, resource: { type, id: at } });
      const explained = await revealedBy(eve, 'POST', '/api/access/explain', explain(id), id);
      expect(explained).toEqual(await revealedBy(eve, 'POST', '/api/access/explain', explain(missing), missing));
      expect(explained).toEqual([
        200,
        expect.not.stringMatching(/plan_required|limit_reached|consumed|"(free|pro)"/),
        null,
      ]);
    }
  }
}

function fillAgain(ada: Person, theirs: Records): Promise<readonly AnyBody[]> {
  return Promise.all(Object.entries(theirs).map(([entity, { id }]) => ada.must('GET', `/api/${entity}/${id}`)));
}

it('hides everything from a removed member, including what they wrote', async () => {
  const { ada, bob } = await signUpPeople(url(), ['ada', 'bob']);
  const { tasks, projects } = await fill(ada);
  await ada.must('POST', `/api/projects/${projects?.id}/share`, { userId: bob.id, role: 'contributor' });
  const setRole = `/api/organizations/${ada.workspaceId}/set-role`;
  await ada.must('POST', setRole, { userId: bob.id, role: 'member' });
  const own = await bob.must('POST', '/api/comments', { taskId: tasks?.id, body: 'Mine' });
  expect((await bob.patch(`/api/comments/${own.id}`, { body: 'Still mine' })).status).toBe(200);
  await ada.must('POST', setRole, { userId: bob.id, role: null });
  expect((await bob.patch(`/api/comments/${own.id}`, { body: 'Shared with him' })).status).toBe(404);
  for (const path of [`comments/${own.id}`, `tasks/${tasks?.id}`]) {
    expect((await bob.get(`/api/${path}`)).status).toBe(404);
    expect((await bob.delete(`/api/${path}`)).status).toBe(404);
  }
});

it('shows nothing to a signed-out client', async () => {
  const { ada } = await signUpPeople(url(), ['ada']);
  const theirs = await fill(ada);
  const anonymous = new Browser(url());
  for (const [entity, tries] of Object.entries(ways)) {
    for (const [method, path, body] of tries) {
      const answer = await anonymous.send(`/api/${entity}/${theirs[entity]?.id}${path}`, { method, body });
      expect([answer.status, answer.body.error.code], `${method} ${entity}${path}`).toEqual([401, 'UNAUTHENTICATED']);
    }
    expect((await anonymous.get(`/api/${entity}`)).status, entity).toBe(401);
  }
  for (const path of [
    'access/check',
    'access/explain',
    'access/lookup',
    'access/who',
    'tasks/bulk-complete',
    'projects',
    'tasks',
    'comments',
  ]) {
    expect((await anonymous.post(`/api/${path}`, {})).status, path).toBe(401);
  }
});

it('refuses invalid input as a mistake of the caller', async () => {
  const { ada } = await signUpPeople(url(), ['ada']);
  const theirs = await fill(ada);
  const texts = ['', ' ', '\0', '\ud800', '__proto__', 'constructor', "' OR 1=1--", 'x'.repeat(5000), '../..'];
  const values = [...texts, null, true, 0, 1e308, [], {}, ['x'], { $ne: 1 }];
  const inputs = values.flatMap(
    (value) =>
      [
        ['organizations', '/set-role', { userId: value, role: 'member' }],
        ['organizations', '/set-role', { userId: ada.id, role: value === null ? 'x' : value }],
        ['organizations', '/invite', { email: value, role: 'member' }],
        ['organizations', '/plan', { plan: value }],
        ['projects', '/share', { userId: value, role: 'viewer' }],
        ['projects', '/share', { email: value, role: 'viewer' }],
        ['projects', '/share', value],
      ] as const,
  );
  for (const [entity, path, body] of inputs) {
    const answer = await ada.post(`/api/${entity}/${theirs[entity]?.id}${path}`, body);
    expect([400, 404], `${entity}${path} ${JSON.stringify(body)}: ${answer.text}`).toContain(answer.status);
  }
  for (const value of values) {
    const check = { checks: [{ entitlement: value, resource: { type: value, id: value } }] };
    const explain = { entitlement: 'task:read', resource: { type: value, id: value } };
    for (const [path, body] of [
      ['check', check],
      ['explain', explain],
      ['check', { checks: value }],
    ] as const) {
      const answer = await ada.post(`/api/access/${path}`, body);
      expect([200, 400], `${path} ${JSON.stringify(body)}: ${answer.text}`).toContain(answer.status);
      expect(answer.text).not.toContain('"allowed":true');
    }
    expect([400, 404]).toContain((await ada.post('/api/tasks/bulk-complete', { ids: [value] })).status);
  }
  const check = { entitlement: 'task:read', resource: { type: 'task', id: 'x' } };
  expect((await ada.post('/api/access/check', { checks: Array(101).fill(check) })).status).toBe(400);
  expect((await ada.post('/api/access/check', { checks: Array(100).fill(check) })).status).toBe(200);
});
