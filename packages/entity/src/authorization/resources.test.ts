import { rules } from '@x/access';
import type { UserId } from '@x/store';
import { all } from '@x/store/where';
import { describe, expect, it } from 'vitest';
import { defineEntity } from '../definition/define-entity.ts';
import { definition, trackerEntities } from '../testing/tracker.ts';
import { engines, openTracker, refusalOf, sortedIdsOf } from '../testing/tracker-app.ts';

const nowhere = '00000000-0000-4000-8000-000000000000';

describe.each(engines)('resources on %s', (engine) => {
  it('have their creator and their parent as soon as they exist', async () => {
    const { send, organizationOf, add, stores } = await openTracker(engine);
    const organizationId = await organizationOf('ada');
    expect((await send('ada', `GET /organizations/${organizationId}`)).status).toBe(200);
    const assigned = await stores.roleAssignments.listByResource({ type: 'organization', id: organizationId });
    expect(assigned).toMatchObject([{ userId: 'ada', role: 'owner' }]);
    const projectId = await add('ada', 'projects', { organizationId, name: 'P' });
    const taskId = await add('ada', 'tasks', { projectId, title: 'T' });
    const commentId = await add('ada', 'comments', { taskId, body: 'C' });
    const above = await stores.hierarchy.ancestors({ type: 'task', id: taskId });
    expect(above.map(({ resource }) => resource.id)).toEqual([projectId, organizationId]);
    for (const path of [`projects/${projectId}`, `tasks/${taskId}`, `comments/${commentId}`]) {
      expect((await send('ada', `GET /${path}`)).status).toBe(200);
      expect(refusalOf(await send('bob', `GET /${path}`))).toBe('404 NOT_FOUND');
    }
  });

  it('are created only below a parent that the caller can see, and reveal no other', async () => {
    const { send, organizationOf, add, give } = await openTracker(engine);
    const organizationId = await organizationOf('ada');
    const projectId = await add('ada', 'projects', { organizationId, name: 'P' });
    const taskId = await add('ada', 'tasks', { projectId, title: 'T' });
    for (const [entity, parent, id, rest] of [
      ['projects', 'organizationId', organizationId, { name: 'Q' }],
      ['tasks', 'projectId', projectId, { title: 'U' }],
      ['comments', 'taskId', taskId, { body: 'D' }],
    ] as const) {
      const foreign = await send('bob', `POST /${entity}`, { ...rest, [parent]: id });
      const missing = await send('bob', `POST /${entity}`, { ...rest, [parent]: nowhere });
      expect([foreign.status, foreign.text]).toEqual([403, missing.text]);
      expect(refusalOf(await send(null, `POST /${entity}`, {}))).toBe('401 UNAUTHENTICATED');
      expect(refusalOf(await send('bob', `POST /${entity}`, {}))).toBe('400 VALIDATION_FAILED');
    }
    await give('bob', 'member', 'organization', organizationId);
    const denied = await send('bob', 'POST /projects', { name: 'Q', organizationId });
    expect([denied.status, denied.body.error]).toMatchObject([
      403,
      { reasons: ['role_required'], meta: { requiredRoles: ['owner'] } },
    ]);
    expect((await send('bob', 'POST /comments', { body: 'D', taskId })).status).toBe(201);
  });

  it('are listed, counted and paged by the roles of the caller', async () => {
    const { send, organizationOf, add, give } = await openTracker(engine);
    const [mine, other] = [await organizationOf('ada'), await organizationOf('bob')];
    const projectId = await add('ada', 'projects', { organizationId: mine, name: 'P' });
    const shared = await add('bob', 'projects', { organizationId: other, name: 'Q' });
    const tasks: string[] = [];
    for (const title of ['a', 'b', 'c', 'd', 'e']) tasks.push(await add('ada', 'tasks', { projectId, title }));
    const hidden = await add('bob', 'tasks', { projectId: shared, title: 'f' });
    expect((await send('ada', 'GET /tasks?count=true')).body).toMatchObject({ total: 5 });
    expect(sortedIdsOf(await send('bob', 'GET /tasks'))).toEqual([hidden]);
    expect((await send('eve', 'GET /tasks?count=true')).body).toMatchObject({ items: [], total: 0 });
    expect(refusalOf(await send(null, 'GET /tasks'))).toBe('401 UNAUTHENTICATED');
    // A role on one task, and one that comes from above.
    await give('eve', 'viewer', 'task', tasks[1] ?? '');
    await give('eve', 'viewer', 'project', shared);
    expect(sortedIdsOf(await send('eve', 'GET /tasks'))).toEqual([tasks[1] ?? '', hidden].toSorted());
    const seen: string[] = [];
    for (let after = ''; ;) {
      const page = await send('ada', `GET /tasks?limit=2&orderBy=title:desc${after && `&after=${after}`}`);
      seen.push(...page.body.items.map(({ id }) => id));
      if (page.body.nextCursor === null) break;
      after = page.body.nextCursor;
    }
    expect(seen).toEqual(tasks.toReversed());
    expect(sortedIdsOf(await send('ada', `GET /tasks?where[projectId]=${shared}`))).toEqual([]);
  });

  it('are changed and deleted by entitled callers, refuse others with reasons, and are hidden from strangers', async () => {
    const { send, organizationOf, add, give } = await openTracker(engine);
    const organizationId = await organizationOf('ada');
    const projectId = await add('ada', 'projects', { organizationId, name: 'P' });
    const taskId = await add('ada', 'tasks', { projectId, title: 'T' });
    await give('bob', 'viewer', 'project', projectId);
    for (const method of ['PATCH', 'DELETE'] as const) {
      const body = method === 'PATCH' ? { title: 'U' } : undefined;
      const denied = await send('bob', `${method} /tasks/${taskId}`, body);
      expect([denied.status, denied.body.error]).toMatchObject([403, { reasons: ['role_required'] }]);
      const hidden = await send('eve', `${method} /tasks/${taskId}`, body);
      expect([hidden.status, hidden.text]).toEqual([
        404,
        (await send('eve', `${method} /tasks/${nowhere}`, body)).text,
      ]);
    }
    expect((await send('ada', `PATCH /tasks/${taskId}`, { title: 'U' })).body).toMatchObject({ title: 'U', projectId });
    expect((await send('ada', `DELETE /tasks/${taskId}`)).status).toBe(204);
    expect(refusalOf(await send('ada', `GET /tasks/${taskId}`))).toBe('404 NOT_FOUND');
  });

  it('are deleted with everything below them', async () => {
    const { send, organizationOf, add, give, stores, callers, clock } = await openTracker(engine);
    const organizationId = await organizationOf('ada');
    const projectId = await add('ada', 'projects', { organizationId, name: 'P' });
    const taskId = await add('ada', 'tasks', { projectId, title: 'T' });
    const commentId = await add('ada', 'comments', { taskId, body: 'C' });
    await give('bob', 'viewer', 'task', taskId);
    expect(refusalOf(await send('ada', `DELETE /organizations/${organizationId}`))).toBe('403 STEP_UP_REQUIRED');
    callers.set('ada', { secondFactorAt: clock.now() });
    callers.set('bob', { secondFactorAt: clock.now() });
    await give('bob', 'member', 'organization', organizationId);
    const denied = await send('bob', `DELETE /organizations/${organizationId}`);
    expect([denied.status, denied.body.error.reasons]).toEqual([403, ['role_required']]);
    expect((await send('ada', `DELETE /organizations/${organizationId}`)).status).toBe(204);
    for (const [entity, id] of [
      ['projects', projectId],
      ['tasks', taskId],
      ['comments', commentId],
    ] as const) {
      expect(await stores.entities.get(entity, id, all)).toBeNull();
    }
    expect(await stores.hierarchy.descendants({ type: 'organization', id: organizationId })).toEqual([]);
    expect(await stores.hierarchy.ancestors({ type: 'task', id: taskId })).toEqual([]);
    expect(await stores.roleAssignments.listByUser('bob' as UserId)).toEqual([]);
  });

  it('are deleted with the resources that were moved below them', async () => {
    const { send, organizationOf, add, stores } = await openTracker(engine);
    const organizationId = await organizationOf('ada');
    const [from, to] = [
      await add('ada', 'projects', { organizationId, name: 'P' }),
      await add('ada', 'projects', { organizationId, name: 'Q' }),
    ];
    const taskId = await add('ada', 'tasks', { projectId: from, title: 'T' });
    const place = (id: string): { type: string; id: string } => ({ type: 'project', id });
    await stores.hierarchy.move({ type: 'task', id: taskId }, { from: place(from), to: place(to) });
    expect((await send('ada', `DELETE /projects/${to}`)).status).toBe(204);
    expect(await stores.entities.get('tasks', taskId, all)).toBeNull();
    expect((await send('ada', `GET /projects/${from}`)).status).toBe(200);
  });

  it('are included if the caller may read them', async () => {
    const { send, organizationOf, add, give } = await openTracker(engine);
    const organizationId = await organizationOf('ada');
    const projectId = await add('ada', 'projects', { organizationId, name: 'P' });
    const taskId = await add('ada', 'tasks', { projectId, title: 'T' });
    await add('ada', 'tasks', { projectId, title: 'U' });
    await add('ada', 'comments', { taskId, body: 'C' });
    await give('bob', 'viewer', 'task', taskId);
    expect((await send('ada', `GET /projects/${projectId}?include=tasks.comments`)).body['tasks']).toMatchObject(
      [1, 2].map(() => ({ comments: expect.any(Array) as unknown })),
    );
    const task = (await send('bob', `GET /tasks/${taskId}?include=comments,project`)).body;
    expect(task['comments']).toMatchObject([{ body: 'C' }]);
    expect(task['project']).toBeNull();
    expect((await send('bob', 'GET /comments?include=task')).body.items).toMatchObject([{ task: { title: 'T' } }]);
  });

  it('refuse a reference to a record that the caller can not see', async () => {
    const { send, organizationOf, add } = await openTracker(engine);
    const projectId = await add('ada', 'projects', { organizationId: await organizationOf('ada'), name: 'P' });
    const other = await add('bob', 'projects', { organizationId: await organizationOf('bob'), name: 'Q' });
    const [mine, hidden] = [
      await add('ada', 'tasks', { projectId, title: 'mine' }),
      await add('bob', 'tasks', { projectId: other, title: 'hidden' }),
    ];
    for (const blockedBy of [hidden, nowhere]) {
      const created = await send('ada', 'POST /tasks', { projectId, title: 'T', blockedBy });
      const changed = await send('ada', `PATCH /tasks/${mine}`, { blockedBy });
      expect([refusalOf(created), refusalOf(changed)]).toEqual(['409 CONFLICT', '409 CONFLICT']);
      expect(created.text).toBe(changed.text);
    }
    const next = await add('ada', 'tasks', { projectId, title: 'T', blockedBy: mine });
    expect((await send('ada', `PATCH /tasks/${next}`, { blockedBy: null })).status).toBe(200);
    expect((await send('ada', `PATCH /tasks/${next}`, { blockedBy: mine, title: 'U' })).status).toBe(200);
  });

  it('contain the entitlements of the caller on them, and ignore these in an input', async () => {
    const { send, organizationOf, add, give } = await openTracker(engine);
    const organizationId = await organizationOf('ada');
    const projectId = await add('ada', 'projects', { organizationId, name: 'P' });
    await give('bob', 'viewer', 'project', projectId);
    const allowed = { allowed: true, reasons: [] };
    const denied = { allowed: false, reason: 'role_required', reasons: ['role_required'] };
    const listed = (await send('bob', 'GET /projects?access=project:read,project:create-task&select=name')).body;
    expect(listed.items).toMatchObject([
      { name: 'P', __access: { 'project:update': denied, 'project:read': allowed, 'project:create-task': denied } },
    ]);
    const got = (await send('ada', `GET /projects/${projectId}?access=project:export`)).body;
    expect(got.__access).toMatchObject({
      'project:update': allowed,
      'project:export': { allowed: false, reason: 'plan_required', meta: { requiredPlans: ['pro'] } },
    });
    // On what a record refers to.
    const taskId = await add('ada', 'tasks', { projectId, title: 'T' });
    const task = (await send('bob', `GET /tasks/${taskId}?access=project:read,task:update`)).body;
    expect(task.__access).toMatchObject({ 'project:read': allowed, 'task:update': denied });
    for (const name of ['nothing', 'organization:manage', '__proto__', '']) {
      expect([name, refusalOf(await send('bob', `GET /tasks?access=${name}`))]).toEqual([name, '400 INVALID_QUERY']);
    }
    expect((await send('ada', `PATCH /projects/${projectId}`, got)).status).toBe(200);
  });

  it('contain the entitlements of their creator at once if these are requested', async () => {
    const { send, organizationOf, add } = await openTracker(engine);
    const organizationId = await organizationOf('ada');
    const path = 'projects?access=project:read,project:export';
    const created = (await send('ada', `POST /${path}`, { organizationId, name: 'P' })).body;
    expect(Object.keys(created.__access ?? {}).toSorted()).toEqual([
      'project:export',
      'project:read',
      'project:update',
    ]);
    expect((await send('ada', `GET /${path}`)).body.items).toEqual([created]);
    const projectId = await add('ada', 'projects', { organizationId, name: 'Q' });
    expect((await send('ada', 'POST /tasks', { projectId, title: 'T' })).body).not.toHaveProperty('__access');
    for (const query of [
      'access=nothing',
      'access=',
      'select=id',
      'include=organization',
      'access=task:read&access=x',
    ]) {
      const refused = await send('ada', `POST /tasks?${query}`, { projectId, title: query });
      expect([query, refusalOf(refused)]).toEqual([query, '400 INVALID_QUERY']);
      expect(refusalOf(await send(null, `POST /tasks?${query}`, {}))).toBe('401 UNAUTHENTICATED');
    }
    expect((await send('ada', 'GET /tasks?count=true')).body).toMatchObject({ total: 1 });
  });

  it('contain their id alone if their creator may not read them, whatever is requested', async () => {
    const access = { list: false, get: rules.role('auditor'), update: false, delete: false } as const;
    const create = rules.entitlement('organization:create-project');
    const resource = { type: 'project' } as const;
    const declared = trackerEntities.map(({ model, ...entity }) =>
      entity.name === 'projects'
        ? defineEntity({ model, definition, resource, access: { ...access, create } })
        : { model, ...entity },
    );
    const { send, organizationOf } = await openTracker(engine, declared);
    const input = { organizationId: await organizationOf('ada'), name: 'P' };
    const { status, body } = await send('ada', 'POST /projects?access=project:read', input);
    expect([status, Object.keys(body)]).toEqual([201, ['id']]);
  });
});
