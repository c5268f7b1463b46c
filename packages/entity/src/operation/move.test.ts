import { anonymous, rules } from '@x/access';
import { all } from '@x/store/where';
import { describe, expect, it } from 'vitest';
import { defineEntity } from '../definition/define-entity.ts';
import type { EntityHooks } from '../definition/entity-hooks.ts';
import { defineModel } from '../model/define-model.ts';
import { field } from '../model/field.ts';
import { engines, openTracker, refusalOf, type TrackerApp, type TrackerResponse } from '../testing/tracker-app.ts';
import { definition, trackerEntities } from '../testing/tracker.ts';

const nowhere = '00000000-0000-4000-8000-000000000000';

const model = defineModel('papers', {
  fields: {
    projectId: field.uuid({ references: 'projects', onDelete: 'cascade' }),
    name: field.text({ default: 'N' }),
  },
  parent: 'projectId',
});
const [read, manage] = [rules.entitlement('project:read'), rules.entitlement('project:update')];

/** Records with keys, one of them unique below the parent alone. */
const pages = defineEntity({
  model: defineModel('pages', {
    fields: {
      projectId: field.uuid({ references: 'projects', onDelete: 'cascade' }),
      slug: field.text({ maxLength: 100 }),
      code: field.text({ maxLength: 100, unique: true }),
      name: field.text(),
    },
    unique: [['projectId', 'slug']],
    parent: 'projectId',
  }),
  definition,
  access: { list: read, get: read, create: manage, update: read, delete: read },
  resource: { type: 'task' },
});

interface TwoProjects {
  readonly organizationId: string;
  readonly from: string;
  readonly to: string;
  readonly taskId: string;
}

/** Two projects of an organization of Ada's, with a task in the first. */
async function addProjects({ organizationOf, add }: TrackerApp): Promise<TwoProjects> {
  const organizationId = await organizationOf('ada');
  const from = await add('ada', 'projects', { organizationId, name: 'P' });
  const to = await add('ada', 'projects', { organizationId, name: 'Q' });
  return { organizationId, from, to, taskId: await add('ada', 'tasks', { projectId: from, title: 'T' }) };
}

/** Reads where a resource is: by its row, and by the hierarchy. */
async function placeOf({ stores }: TrackerApp, type: string, id: string): Promise<readonly unknown[]> {
  const { row } = (await stores.entities.get(`${type}s`, id, all)) ?? {};
  const [above] = await stores.hierarchy.ancestors({ type, id });
  return [row?.['projectId'] ?? row?.['organizationId'], above?.resource.id];
}

/** Reads where a page is, and its name. */
async function pageOf({ stores }: TrackerApp, id: string): Promise<readonly unknown[]> {
  const { row } = (await stores.entities.get('pages', id, all)) ?? {};
  const [above] = await stores.hierarchy.ancestors({ type: 'task', id });
  return [row?.['projectId'], above?.resource.id, row?.['name']];
}

describe.each(engines)('a change of the parent on %s', (engine) => {
  it('moves column, rights and version together, with everything below', async () => {
    const app = await openTracker(engine);
    const { send, add, give, stores } = app;
    const { from, to, taskId } = await addProjects(app);
    const commentId = await add('ada', 'comments', { taskId, body: 'C' });
    await give('bob', 'viewer', 'project', from);
    await give('eve', 'viewer', 'project', to);
    const moved = await send('ada', `PATCH /tasks/${taskId}`, { projectId: to, title: 'U' });
    expect([moved.status, moved.body]).toMatchObject([200, { id: taskId, projectId: to, title: 'U' }]);
    expect(moved.headers.get('etag')).toBe('"2"');
    expect(await placeOf(app, 'task', taskId)).toEqual([to, to]);
    for (const path of [`tasks/${taskId}`, `comments/${commentId}`]) {
      expect(refusalOf(await send('bob', `GET /${path}`))).toBe('404 NOT_FOUND');
      expect((await send('eve', `GET /${path}`)).status).toBe(200);
    }
    expect((await send('eve', `GET /tasks/${taskId}?include=project`)).body['project']).toMatchObject({ name: 'Q' });
    expect((await send('ada', `DELETE /projects/${from}`)).status).toBe(204);
    expect((await send('ada', `GET /tasks/${taskId}`)).status).toBe(200);
    expect((await send('ada', `DELETE /projects/${to}`)).status).toBe(204);
    expect(await stores.entities.count('comments', all)).toBe(0);
  });

  it('takes the rights to delete at the old place and to create at the new one', async () => {
    const app = await openTracker(engine);
    const { send, organizationOf, add, give } = app;
    const { to, taskId } = await addProjects(app);
    const organizationId = await organizationOf('bob');
    const foreign = await add('bob', 'projects', { organizationId, name: 'R' });
    const move = (user: string, projectId: string): Promise<TrackerResponse> =>
      send(user, `PATCH /tasks/${taskId}`, { projectId });
    // Whoever sees neither record learns nothing of them.
    expect((await move('eve', to)).text).toBe((await send('eve', `PATCH /tasks/${nowhere}`, { projectId: to })).text);
    const hidden = await move('ada', foreign);
    expect([hidden.status, hidden.text]).toEqual([403, (await move('ada', nowhere)).text]);
    expect(hidden.text).toBe((await send('ada', 'POST /tasks', { projectId: foreign, title: 'T' })).text);
    // A viewer of the new parent lacks the right to create.
    await give('ada', 'viewer', 'project', foreign);
    const denied = await move('ada', foreign);
    expect([denied.status, denied.body.error]).toMatchObject([403, { reasons: ['role_required'] }]);
    await give('ada', 'manager', 'project', foreign);
    expect((await move('ada', foreign)).body).toMatchObject({ projectId: foreign });
    expect(await placeOf(app, 'task', taskId)).toEqual([foreign, foreign]);
  });

  it('is refused to a caller who may change the record, but not delete it', async () => {
    const access = { list: read, get: read, create: read, update: read, delete: manage };
    const app = await openTracker(engine, [...trackerEntities, defineEntity({ model, definition, access })]);
    const { send, add, give } = app;
    const { from, to } = await addProjects(app);
    const id = await add('ada', 'papers', { projectId: from });
    for (const project of [from, to]) await give('bob', 'viewer', 'project', project);
    expect((await send('bob', `PATCH /papers/${id}`, { name: 'O', projectId: from })).status).toBe(200);
    const denied = await send('bob', `PATCH /papers/${id}`, { projectId: to });
    expect([denied.status, denied.body.error]).toMatchObject([403, { reasons: ['role_required'] }]);
    await give('bob', 'manager', 'project', from);
    expect((await send('bob', `PATCH /papers/${id}`, { projectId: to })).body).toMatchObject({ projectId: to });
  });

  it('is not possible for callers if the entity exposes no creation or no deletion, but for the system', async () => {
    const access = { list: read, get: read, create: read, update: read, delete: false as const };
    const papers = defineEntity({ model, definition, access });
    const app = await openTracker(engine, [...trackerEntities, papers]);
    const { send, add, entities } = app;
    const { from, to } = await addProjects(app);
    const id = await add('ada', 'papers', { projectId: from });
    expect((await send('ada', `PATCH /papers/${id}`, { projectId: from })).status).toBe(200);
    const refused = await send('ada', `PATCH /papers/${id}`, { projectId: to });
    expect([refused.status, refused.body.error.issues]).toMatchObject([
      400,
      [{ path: ['projectId'], code: 'not_writable' }],
    ]);
    const moved = await entities.asSystem().update(papers, id, { projectId: to });
    expect(moved.ok && moved.value.record).toMatchObject({ projectId: to });
  });

  it('shows the record by its id alone to a caller who may not read it any more', async () => {
    const papers = defineEntity({
      model,
      definition,
      access: { list: manage, get: manage, create: read, update: read, delete: read, bulk: rules.authenticated() },
    });
    const app = await openTracker(engine, [...trackerEntities, papers]);
    const { send, add, give } = app;
    const { from, to } = await addProjects(app);
    const id = await add('ada', 'papers', { projectId: from });
    await give('bob', 'manager', 'project', from);
    await give('bob', 'viewer', 'project', to);
    expect((await send('bob', `PATCH /papers/${id}`, { projectId: to })).body).toEqual({ id });
    await send('ada', `PATCH /papers/${id}`, { projectId: from });
    const bulk = await send('bob', 'POST /papers/bulk', { update: [{ id, projectId: to }] });
    expect(bulk.body['updated']).toEqual([{ id }]);
  });

  it('works in process, with a version, in bulk and by a filter, and is never half done', async () => {
    const app = await openTracker(engine);
    const { send, add, entities } = app;
    const { from, to, taskId } = await addProjects(app);
    const [, , tasks] = trackerEntities;
    if (!tasks) throw new TypeError('There are no tasks.');
    const api = entities.as({ ...anonymous, userId: 'ada' });
    const outdated = await api.update(tasks, taskId, { projectId: to }, 7);
    expect(outdated.ok || outdated.error.code).toBe('PRECONDITION_FAILED');
    expect(await placeOf(app, 'task', taskId)).toEqual([from, from]);
    expect((await api.update(tasks, taskId, { projectId: to }, 1)).ok).toBe(true);
    expect(await placeOf(app, 'task', taskId)).toEqual([to, to]);
    const other = await add('ada', 'tasks', { projectId: to, title: 'U' });
    const half = await send('ada', 'POST /tasks/bulk', {
      update: [
        { id: taskId, projectId: from },
        { id: other, projectId: nowhere },
      ],
    });
    expect([half.status, half.body.error.issues[0]?.path]).toEqual([403, ['update', 1]]);
    for (const id of [taskId, other]) expect(await placeOf(app, 'task', id)).toEqual([to, to]);
    const where = { projectId: to };
    const filtered = await send('ada', 'POST /tasks/bulk', { updateWhere: { where, set: { projectId: from } } });
    expect(filtered.body['updated']).toEqual([taskId, other].toSorted().map((id) => expect.objectContaining({ id })));
    for (const id of [taskId, other]) expect(await placeOf(app, 'task', id)).toEqual([from, from]);
  });

  it('is made by an upsert as well, or its whole change is refused', async () => {
    const app = await openTracker(engine, [...trackerEntities, pages]);
    const { send, add, give } = app;
    const { from, to } = await addProjects(app);
    const id = await add('ada', 'pages', { projectId: from, slug: 'a', code: 'c', name: 'N' });
    await give('bob', 'manager', 'project', from);
    await give('bob', 'viewer', 'project', to);
    const put = (user: string, projectId: string, name: string): Promise<TrackerResponse> =>
      send(user, 'POST /pages/upsert', { by: 'code', record: { projectId, slug: 'a', code: 'c', name } });
    const denied = await put('bob', to, 'O');
    expect([denied.status, denied.body.error]).toMatchObject([403, { reasons: ['role_required'] }]);
    expect(await pageOf(app, id)).toEqual([from, from, 'N']);
    const moved = await put('ada', to, 'O');
    expect([moved.status, moved.body]).toMatchObject([200, { id, projectId: to, name: 'O' }]);
    expect(await pageOf(app, id)).toEqual([to, to, 'O']);
  });

  it('is refused where a value is taken that is unique below the new parent, and says which fields', async () => {
    const app = await openTracker(engine, [...trackerEntities, pages]);
    const { send, add } = app;
    const { from, to } = await addProjects(app);
    const id = await add('ada', 'pages', { projectId: from, slug: 'a', code: 'c', name: 'N' });
    const twin = await add('ada', 'pages', { projectId: to, slug: 'a', code: 'd', name: 'N' });
    const taken = ['projectId', 'slug'].map((field) => ({ path: [field], code: 'not_unique' }));
    const refused = await send('ada', `PATCH /pages/${id}`, { projectId: to, name: 'O' });
    expect([refused.status, refused.body.error]).toMatchObject([409, { code: 'CONFLICT', issues: taken }]);
    const record = { projectId: to, slug: 'a', code: 'c', name: 'O' };
    const upserted = await send('ada', 'POST /pages/upsert', { by: 'code', record });
    const within = taken.map((issue) => ({ ...issue, path: ['record', ...issue.path] }));
    expect([upserted.status, upserted.body.error]).toMatchObject([409, { code: 'CONFLICT', issues: within }]);
    expect(await pageOf(app, id)).toEqual([from, from, 'N']);
    // The value is free once the other record has moved away, or when it changes together with the parent.
    const swapped = await send('ada', `PATCH /pages/${id}`, { projectId: to, slug: 'b' });
    expect([swapped.status, swapped.body]).toMatchObject([200, { projectId: to, slug: 'b' }]);
    expect((await send('ada', `PATCH /pages/${twin}`, { projectId: from })).status).toBe(200);
    expect((await send('ada', `PATCH /pages/${id}`, { slug: 'a' })).status).toBe(200);
    expect([await pageOf(app, id), await pageOf(app, twin)]).toEqual([
      [to, to, 'N'],
      [from, from, 'N'],
    ]);
  });

  it('consumes the limits of the new tenant, gives back those of the old one, and none within a tenant', async () => {
    const app = await openTracker(engine);
    const { send, organizationOf, add, give, clock } = app;
    const [here, there] = [await organizationOf('ada'), await organizationOf('bob')];
    await give('ada', 'owner', 'organization', there);
    const ids: string[] = [];
    for (const name of ['a', 'b', 'c']) ids.push(await add('ada', 'projects', { organizationId: here, name }));
    const create = (organizationId: string): Promise<TrackerResponse> =>
      send('ada', 'POST /projects', { organizationId, name: 'd' });
    const move = (id: string | undefined, organizationId: string): Promise<TrackerResponse> =>
      send('ada', `PATCH /projects/${id}`, { organizationId });
    expect(refusalOf(await create(here))).toBe('403 FORBIDDEN');
    expect((await move(ids[0], there)).status).toBe(200);
    expect((await create(here)).status).toBe(201);
    for (const status of [201, 201]) expect((await create(there)).status).toBe(status);
    const full = await move(ids[1], there);
    expect([full.status, full.body.error]).toMatchObject([
      403,
      { reasons: ['limit_reached'], meta: { limit: { key: 'projects', max: 3, consumed: 3 } } },
    ]);
    expect(await placeOf(app, 'project', ids[1] ?? '')).toEqual([here, here]);
    // What was consumed on another day is given back to that day.
    clock.advance(24 * 3600 * 1000);
    expect((await move(ids[1], there)).status).toBe(200);
    for (const status of [201, 201, 201]) expect((await create(here)).status).toBe(status);
    expect(refusalOf(await create(here))).toBe('403 FORBIDDEN');
  });

  it('consumes limits for what is below the record, too, and is refused if the new tenant has not enough left', async () => {
    const add = rules.entitlement('project:add-paper');
    const access = { list: read, get: read, create: add, update: read, delete: read };
    const papers = defineEntity({ model, definition, access });
    const app = await openTracker(engine, [...trackerEntities, papers]);
    const { send, organizationOf, give, clock } = app;
    const [here, there] = [await organizationOf('ada'), await organizationOf('bob')];
    await give('ada', 'owner', 'organization', there);
    const id = await app.add('ada', 'projects', { organizationId: here, name: 'P' });
    const other = await app.add('ada', 'projects', { organizationId: there, name: 'Q' });
    const move = (organizationId: string): Promise<TrackerResponse> =>
      send('ada', `PATCH /projects/${id}`, { organizationId });
    const addPaper = async (projectId: string): Promise<number> =>
      (await send('ada', 'POST /papers', { projectId })).status;
    const isFull = { reasons: ['limit_reached'], meta: { limit: { key: 'papers', max: 4 } } };
    for (const projectId of [id, id, other, other, other]) expect(await addPaper(projectId)).toBe(201);
    expect((await move(there)).body.error).toMatchObject({ ...isFull, meta: { ...isFull.meta, needed: 2 } });
    expect(await placeOf(app, 'project', id)).toEqual([here, here]);
    // What was consumed yesterday is not given back.
    clock.advance(24 * 3600 * 1000);
    for (const status of [201, 201]) expect(await addPaper(id)).toBe(status);
    expect((await move(there)).status).toBe(200);
    expect(await addPaper(other)).toBe(403);
    const another = await app.add('ada', 'projects', { organizationId: here, name: 'R' });
    for (const status of [201, 201, 201, 201, 403]) expect(await addPaper(another)).toBe(status);
  });

  it('is logged for an audited record and for its place, with the caller', async () => {
    const task = { type: 'task' } as const;
    const audited = defineModel('papers', { fields: model.fields, parent: 'projectId', audit: true });
    const access = { list: read, get: read, create: read, update: read, delete: read };
    const papers = defineEntity({ model: audited, definition, access, resource: task });
    const app = await openTracker(engine, [...trackerEntities, papers]);
    const { send, add, callers, stores } = app;
    const { organizationId, from, to } = await addProjects(app);
    const id = await add('ada', 'papers', { projectId: from });
    callers.set('ada', { tenantId: organizationId });
    expect((await send('ada', `PATCH /papers/${id}`, { projectId: to })).status).toBe(200);
    const { items } = await stores.events.listByTenant(organizationId, { limit: 10, after: null });
    const place = (project: string) => ({ type: 'project', id: project });
    expect(Object.fromEntries(items.map(({ type, detail }) => [type, detail]))).toMatchObject({
      'record.updated': { by: 'ada' },
      'resource.moved': { resource: { type: 'task', id }, from: place(from), to: place(to), by: 'ada' },
    });
  });

  it('runs the hooks of an update, and follows a hook that moves the record itself', async () => {
    const calls: string[] = [];
    let target: string | undefined;
    const hooks: EntityHooks<typeof model> = {
      before: { update: () => (target === undefined ? undefined : { projectId: target }) },
      after: { update: ({ record, previous }) => void calls.push(`${previous.projectId} ${record.projectId}`) },
    };
    const access = { list: read, get: read, create: read, update: read, delete: read };
    const entity = defineEntity({ model, definition, access, hooks, resource: { type: 'task' } });
    const app = await openTracker(engine, [...trackerEntities, entity]);
    const { send, add, stores } = app;
    const { from, to } = await addProjects(app);
    const id = await add('ada', 'papers', { projectId: from });
    const above = async (): Promise<string | undefined> =>
      (await stores.hierarchy.ancestors({ type: 'task', id }))[0]?.resource.id;
    expect((await send('ada', `PATCH /papers/${id}`, { projectId: to })).status).toBe(200);
    expect(await above()).toBe(to);
    target = from;
    expect((await send('ada', `PATCH /papers/${id}`, { name: 'O' })).body).toMatchObject({
      projectId: from,
      name: 'O',
    });
    expect(await above()).toBe(from);
    expect(calls).toEqual([`${from} ${to}`, `${to} ${from}`]);
  });
});
