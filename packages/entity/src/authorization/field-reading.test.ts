import { enginesOfTier } from '@x/test-support/engines';
import { describe, expect, it } from 'vitest';
import { guardedEntities } from '../testing/guarded-entities.ts';
import { type GuardedTracker, openGuardedTracker } from '../testing/guarded-tracker.ts';
import { engines, refusalOf } from '../testing/tracker-app.ts';

interface LedTracker extends GuardedTracker {
  /** A task that leads the project, and is escalated to it. */
  readonly taskId: string;
}

async function open(engine: (typeof engines)[number]): Promise<LedTracker> {
  const app = await openGuardedTracker(engine);
  const { projectId } = app;
  const taskId = await app.add('ada', 'tasks', { projectId, title: 'T', estimate: 3, escalatedTo: projectId });
  await app.send('ada', `PATCH /projects/${projectId}`, { leadTaskId: taskId });
  return { ...app, taskId };
}

const guarded = ['budget', 'leadTaskId', 'ownerId', 'rank', 'serial'];

function guardedIn(record: object | undefined): readonly string[] {
  return Object.keys(record ?? {})
    .filter((name) => guarded.includes(name))
    .toSorted();
}

describe.each(enginesOfTier(engines))('fields with a read rule on %s', (engine) => {
  it('are shown to callers who satisfy the rule on the record, and left out for others', async () => {
    const { send, projectId, entities } = await open(engine);
    const shown = { ada: ['budget', 'leadTaskId', 'ownerId'], bob: [], dan: ['rank'] };
    for (const [user, fields] of Object.entries(shown)) {
      const got = await send(user, `GET /projects/${projectId}`);
      const [listed] = (await send(user, 'GET /projects')).body.items;
      const [queried] = (await send(user, 'POST /projects/query', {})).body.items;
      const changed = await send(user, `PATCH /projects/${projectId}`, { name: 'Q' });
      const bulk = await send(user, 'POST /projects/bulk', { update: [{ id: projectId, name: 'Q' }] });
      const [written] = bulk.body['updated'] as readonly object[];
      const acted = await send(user, `POST /projects/${projectId}/rename`);
      const { value } = acted.body as unknown as { readonly value: { readonly record: object } };
      for (const record of [got.body, listed, queried, changed.body, written, value.record]) {
        expect([user, guardedIn(record)]).toEqual([user, fields]);
        expect(record).toMatchObject({ name: expect.any(String) as string });
      }
    }
    const all = await entities.asSystem().list({ name: 'projects', model: guardedEntities[1]!.model });
    expect(all.ok && guardedIn(all.value.items[0])).toEqual(guarded);
  });

  it('are in the response to a create if its caller may read them', async () => {
    const { send, organizationId } = await open(engine);
    const created = await send('ada', 'POST /projects', { organizationId, name: 'R', budget: 1, serial: 'x' });
    expect([created.status, guardedIn(created.body)]).toEqual([201, ['budget', 'leadTaskId', 'ownerId']]);
  });

  it('can be selected, and are left out of records that hide them', async () => {
    const { send, projectId } = await open(engine);
    const path = `/projects/${projectId}?select=name,budget,rank,serial`;
    expect((await send('ada', `GET ${path}`)).body).toEqual({ name: 'P', budget: 7 });
    expect((await send('bob', `GET ${path}`)).body).toEqual({ name: 'P' });
    expect((await send('dan', 'GET /projects?select=rank')).body.items).toEqual([{ rank: 0 }]);
  });

  it('can not be filtered or sorted by if some record may hide them from the caller', async () => {
    const { send, projectId } = await open(engine);
    const probe = (user: string, name: string): Promise<readonly [string, string]>[] =>
      [`where[${name}]=7`, `where[${name}][isNull]=true`, `orderBy=${name}:desc`].map(async (query) => {
        const { status, text } = await send(user, `GET /projects?${query}`);
        return [`${status}`, text.replace(`"${name}"]`, '"field"]')] as const;
      });
    for (const user of ['ada', 'bob', 'dan']) {
      const unknown = await Promise.all(probe(user, 'nothing'));
      expect(unknown.map(([status]) => status)).toEqual(['400', '400', '400']);
      for (const name of guarded.filter((each) => user !== 'dan' || each !== 'rank')) {
        expect([user, name, await Promise.all(probe(user, name))]).toEqual([user, name, unknown]);
      }
    }
    const nested = { where: { OR: [{ NOT: { budget: { gt: 1 } } }] } };
    expect(refusalOf(await send('ada', 'POST /projects/query', nested))).toBe('400 INVALID_QUERY');
    const cursor = Buffer.from(JSON.stringify(['budget:asc,id:asc', 1, projectId])).toString('base64url');
    expect(refusalOf(await send('bob', `GET /projects?after=${cursor}`))).toBe('400 INVALID_QUERY');
    expect(refusalOf(await send('bob', `GET /projects?after=${cursor}&orderBy=budget`))).toBe('400 INVALID_QUERY');
  });

  it('can be filtered and sorted by if every record shows them to the caller', async () => {
    const { send, entities, organizationId, give, add } = await open(engine);
    await give('dan', 'member', 'organization', organizationId);
    for (const name of ['Q', 'R']) await add('ada', 'projects', { organizationId, name });
    const system = entities.asSystem();
    const projects = { name: 'projects', model: guardedEntities[1]!.model };
    const all = await system.list(projects, { where: { budget: { isNull: true } } });
    if (!all.ok) throw new Error(all.error.code);
    for (const [index, { id }] of all.value.items.entries()) await system.update(projects, id, { rank: index + 1 });
    expect((await send('dan', 'GET /projects?where[rank][gte]=1')).body.items).toHaveLength(2);
    const ranks: unknown[] = [];
    for (let after = ''; ;) {
      const { items, nextCursor } = (await send('dan', `GET /projects?limit=1&orderBy=rank:desc${after}`)).body;
      ranks.push(items[0]?.['rank']);
      if (nextCursor === null) break;
      after = `&after=${nextCursor}`;
    }
    expect(ranks).toEqual([2, 1, 0]);
  });

  it('lead to no related record if the reference is hidden', async () => {
    const { send, projectId, taskId } = await open(engine);
    const of = async (user: string): Promise<unknown> =>
      (await send(user, `GET /projects/${projectId}?include=leadTask,escalated&select=name`)).body;
    const task = { id: taskId, title: 'T', projectId };
    expect(await of('ada')).toMatchObject({
      leadTask: { ...task, estimate: 3 },
      escalated: [{ ...task, estimate: 3 }],
    });
    expect(await of('bob')).toEqual({ name: 'P', leadTask: null, escalated: [] });
    // A caller who is shown the reference sees no more of the record behind it than otherwise.
    expect(await of('dan')).toMatchObject({ leadTask: null, escalated: [task] });
    const listed = await send('bob', 'GET /tasks?include=escalation,project.escalated');
    expect(listed.body.items).toMatchObject([{ escalation: null, project: { name: 'P', escalated: [] } }]);
    expect(listed.text).not.toMatch(/estimate|escalatedTo|budget/);
  });

  it('leave out related records whose reference is hidden', async () => {
    const { send, projectId, stores, give } = await open(engine);
    const moments = { createdAt: new Date(0), updatedAt: new Date(0) };
    const ids = Array.from({ length: 101 }, () => crypto.randomUUID()).toSorted();
    await stores.transaction(async ({ entities: rows }) => {
      for (const id of ids) {
        await rows.create('tasks', { id, projectId, title: 'T', estimate: null, escalatedTo: projectId, ...moments });
      }
    });
    await give('bob', 'editor', 'task', ids.at(-1) ?? '');
    const got = await send('bob', `GET /projects/${projectId}?include=escalated&select=id`);
    expect(got.body['escalated']).toMatchObject([{ id: ids.at(-1), escalatedTo: projectId }]);
  });

  it('are shown by the resource that each record refers to, and hidden if it refers to none', async () => {
    const { send, projectId, organizationId, taskId, give, add } = await open(engine);
    const other = await add('ada', 'projects', { organizationId, name: 'Q' });
    const hidden = await add('ada', 'tasks', { projectId: other, title: 'U' });
    await give('bob', 'viewer', 'task', taskId);
    const taskIds = [null, taskId, hidden, null, taskId];
    for (const each of taskIds) await add('ada', 'boards', { projectId, title: 'B', isShared: true, taskId: each });
    const { items } = (await send('bob', 'GET /boards?orderBy=createdAt')).body;
    for (const item of items)
      expect([item['taskId'], 'hint' in item]).toEqual([item['taskId'], item['taskId'] === taskId]);
    expect(items).toHaveLength(taskIds.length);
    expect((await send(null, 'GET /boards')).text).not.toMatch(/hint|plan|seal/);
  });

  it('are in the response to a write that made them readable', async () => {
    const { projectId, entities, add } = await open(engine);
    const id = await add('ada', 'boards', { projectId, title: 'B', isOpen: true });
    const bob = { userId: 'bob', tenantId: null, role: null, secondFactorAt: null };
    const boards = guardedEntities.find(({ name }) => name === 'boards')!;
    const results = await entities.transaction(bob, async ({ entities: rows }) => [
      await rows.update(boards, id, { title: 'x' }),
      await rows.update(boards, id, { title: 'promote' }),
    ]);
    expect(results.map((result) => result.ok && 'plan' in result.value.record)).toEqual([false, true]);
  });

  it('do not reveal the record that they refer to by entitlements checked on it', async () => {
    const { send } = await open(engine);
    expect(refusalOf(await send('ada', 'GET /projects?access=task:read'))).toBe('400 INVALID_QUERY');
    expect((await send('ada', 'GET /projects?access=project:read')).status).toBe(200);
  });
});
