import { rules } from '@x/access';
import type { UserId } from '@x/store';
import { all } from '@x/store/where';
import { describe, expect, it, vi } from 'vitest';
import { defineEntity } from '../definition/define-entity.ts';
import { defineModel } from '../model/define-model.ts';
import { field } from '../model/field.ts';
import { guardedEntities } from '../testing/guarded-entities.ts';
import { engines, openTracker, refusalOf } from '../testing/tracker-app.ts';
import { definition, trackerEntities } from '../testing/tracker.ts';

describe.each(engines)('resources under concurrent changes on %s', (engine) => {
  it('leave nothing behind if they are deleted while others are created below them', async () => {
    const { send, organizationOf, add, stores } = await openTracker(engine);
    const projectId = await add('ada', 'projects', { organizationId: await organizationOf('ada'), name: 'P' });
    const create = (index: number): ReturnType<typeof send> =>
      send('ada', 'POST /tasks', { projectId, title: `T${index}` });
    await create(0);
    const [deleted, ...created] = await Promise.all([
      send('ada', `DELETE /projects/${projectId}`),
      ...Array.from({ length: 15 }, (_, index) => create(index)),
    ]);
    expect(deleted.status).toBe(204);
    expect(created.map(({ status }) => status).filter((status) => status !== 201 && status !== 403)).toEqual([]);
    expect((await create(99)).status).toBe(403);
    expect(await stores.entities.count('tasks', all)).toBe(0);
    expect(await stores.hierarchy.descendants({ type: 'project', id: projectId })).toEqual([]);
  });

  it('are moved to one place, or deleted with it, by concurrent moves and a deletion', async () => {
    const { send, organizationOf, add, stores } = await openTracker(engine);
    const organizationId = await organizationOf('ada');
    const projects: string[] = [];
    for (const name of ['P', 'Q', 'R']) projects.push(await add('ada', 'projects', { organizationId, name }));
    const [from, to, gone] = projects;
    const tasks: string[] = [];
    for (let index = 0; index < 6; index += 1) tasks.push(await add('ada', 'tasks', { projectId: from, title: 'T' }));
    const [deleted, ...moved] = await Promise.all([
      send('ada', `DELETE /projects/${gone}`),
      ...tasks.flatMap((id) => [to, gone].map((projectId) => send('ada', `PATCH /tasks/${id}`, { projectId }))),
    ]);
    expect(deleted.status).toBe(204);
    expect(moved.map(({ status }) => status).filter((status) => ![200, 403, 404].includes(status))).toEqual([]);
    for (const id of tasks) {
      const projectId = (await stores.entities.get('tasks', id, all))?.row['projectId'];
      expect([from, to, undefined]).toContain(projectId);
      const above = (await stores.hierarchy.ancestors({ type: 'task', id })).map(({ resource }) => resource.id);
      expect(above).toEqual(projectId === undefined ? [] : [projectId, organizationId]);
    }
  });

  it('are deleted once, even concurrently', async () => {
    const { send, organizationOf, add } = await openTracker(engine);
    const projectId = await add('ada', 'projects', { organizationId: await organizationOf('ada'), name: 'P' });
    const responses = await Promise.all(Array.from({ length: 8 }, () => send('ada', `DELETE /projects/${projectId}`)));
    expect(responses.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([
      204,
      ...Array<number>(7).fill(404),
    ]);
  });

  it('are handed over once, even if their owner sends many such changes at once', async () => {
    const { send, organizationOf, add, give } = await openTracker(engine, guardedEntities);
    const projectId = await add('ada', 'projects', { organizationId: await organizationOf('ada'), name: 'P' });
    const heirs = ['bob', 'carl', 'dan', 'eve', 'finn', 'gus'];
    for (const heir of heirs) await give(heir, 'viewer', 'project', projectId);
    const responses = await Promise.all(heirs.map((holder) => send('ada', `PATCH /projects/${projectId}`, { holder })));
    const statuses = responses.map(({ status }) => status);
    expect(statuses.toSorted((a, b) => a - b)).toEqual([200, ...heirs.slice(1).map(() => 403)]);
    const { holder } = (await send('ada', `GET /projects/${projectId}`)).body;
    expect(heirs[statuses.indexOf(200)]).toBe(holder);
  });

  it('are all written by concurrent bulk writes in different orders', async () => {
    const { send, organizationOf, add } = await openTracker(engine);
    const organizationId = await organizationOf('ada');
    const projectId = await add('ada', 'projects', { organizationId, name: 'P' });
    const ids: string[] = [];
    for (let index = 0; index < 8; index += 1) ids.push(await add('ada', 'tasks', { projectId, title: 'T' }));
    const orders = ids.map((_, start) => [...ids.slice(start), ...ids.slice(0, start)]);
    const responses = await Promise.all(
      orders.map((order, index) =>
        send('ada', 'POST /tasks/bulk', { update: order.map((id) => ({ id, title: String(index) })) }),
      ),
    );
    expect(responses.map(({ status }) => status)).toEqual(orders.map(() => 200));
    const { items } = (await send('ada', 'GET /tasks')).body;
    expect(new Set(items.map((task) => task['title'])).size).toBe(1);
  });

  it('are not changed by a role that was revoked after the lookup', async () => {
    const model = defineModel('boards', {
      fields: { projectId: field.uuid({ references: 'projects', onDelete: 'cascade' }), name: field.text() },
      parent: 'projectId',
    });
    const [read, update] = [rules.entitlement('project:read'), rules.entitlement('project:update')];
    const boards = defineEntity({
      model,
      definition,
      access: { list: read, get: read, create: update, update, delete: update },
      hooks: {
        before: {
          async update({ record }, { stores }) {
            const resource = { type: 'project', id: record.projectId };
            await stores.roleAssignments.revoke({ userId: 'bob' as UserId, resource, role: 'manager' });
          },
        },
      },
    });
    const { send, organizationOf, add, give, stores } = await openTracker(engine, [...trackerEntities, boards]);
    const projectId = await add('ada', 'projects', { organizationId: await organizationOf('ada'), name: 'P' });
    const id = await add('ada', 'boards', { projectId, name: 'B' });
    await give('bob', 'manager', 'project', projectId);
    await give('bob', 'viewer', 'project', projectId);
    // A caller who keeps the required role is not stopped.
    expect((await send('ada', `PATCH /boards/${id}`, { name: 'C' })).status).toBe(200);
    await give('bob', 'manager', 'project', projectId);
    expect(refusalOf(await send('bob', `PATCH /boards/${id}`, { name: 'D' }))).toBe('403 FORBIDDEN');
    expect((await stores.entities.get('boards', id, all))?.row['name']).toBe('C');
  });

  it('are refused to a caller who loses a role between lookup and statement', async () => {
    const { send, organizationOf, add, give, stores } = await openTracker(engine);
    const organizationId = await organizationOf('ada');
    const id = await add('ada', 'projects', { organizationId, name: 'P' });
    for (const role of ['viewer', 'manager']) await give('bob', role, 'project', id);
    const unchanged = { ...stores.entities };
    vi.spyOn(stores.entities, 'update').mockImplementation(async (...change) => {
      await stores.roleAssignments.revoke({
        userId: 'bob' as UserId,
        resource: { type: 'project', id },
        role: 'manager',
      });
      return unchanged.update(...change);
    });
    // A field that is sent back unchanged makes a lookup necessary.
    const refused = await send('bob', `PATCH /projects/${id}`, { organizationId, name: 'Q' });
    expect(refusalOf(refused)).toBe('403 FORBIDDEN');
    expect(refused.body.error.reasons).toEqual(['role_required']);
    expect((await send('bob', `GET /projects/${id}`)).body['name']).toBe('P');
  });
});
