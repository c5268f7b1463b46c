import { type StoredChange, toUserId } from '@x/store';
import { eq } from '@x/store/where';
import { describe, expect } from 'vitest';
import { concurrently, pause, times } from './concurrently.ts';
import { FollowedFeed } from './followed-feed.ts';
import { expectRolledBack, whileOpen } from './in-transaction.ts';
import { signIn, signUp } from './sign-in.ts';
import { createStoreTest, type StoreEngine, type StoreTest } from './store-test.ts';

/** Describes the feed of changes that every engine keeps. */
export function describeChanges(plain: StoreTest, engine: StoreEngine): void {
  const it = createFollowedTest(engine);
  describe('changes', () => {
    plain('are not kept by stores that were not opened to', async ({ stores }) => {
      const feed = await FollowedFeed.start(stores);
      expect(stores.changes.isKept).toBe(false);
      await stores.entities.create('projects', { id: 'p', name: 'P' });
      await stores.flags.set({ tenantId: null, name: 'beta' }, true);
      await stores.changes.append({ entity: 'orders', id: '7', before: null, after: null });
      expect((await feed.next(1)).map(({ kind }) => kind)).toEqual(['app']);
    });

    it('are kept by stores that were opened to', ({ stores }) => expect(stores.changes.isKept).toBe(true));

    describeRecordChanges(it);
    describeAccessChanges(it);
    describeSessionChanges(it);
    describeReading(it);
    describeHints(it);
    describeCommitOrder(it);
  });
}

/** Creates the `it` that runs against databases that keep the feed. */
function createFollowedTest(engine: StoreEngine): StoreTest {
  return createStoreTest({ ...engine, createDatabase: () => engine.createDatabase({ changes: true }) }, 1);
}

const task = { id: 'task-1', ownerId: 'ada', title: 'Übung "1"', rank: 2, weight: 0.1 + 0.2, isDone: true };
const dueAt = new Date('2026-02-03T04:05:06.007Z');

function describeRecordChanges(it: StoreTest): void {
  it('have each row before and after, with all columns that conditions can read', async ({ stores }) => {
    const feed = await FollowedFeed.start(stores);
    await stores.entities.create('tasks', { ...task, dueAt, cost: '1.5', dueOn: '2026-02-03', detail: { a: 1 } });
    await stores.entities.update('tasks', 'task-1', { where: eq('id', 'task-1'), values: { title: null } });
    await stores.entities.delete('tasks', 'task-1', { where: eq('id', 'task-1') });
    const created = {
      ...{ ...task, dueAt, cost: '1.50', dueOn: '2026-02-03' },
      ...{ projectId: null, nextId: null, slug: null, points: null },
    };
    const renamed = { ...created, title: null };
    expect((await feed.next(3)).map(toPlain)).toEqual([
      { kind: 'record', entity: 'tasks', id: 'task-1', tenantId: null, before: null, after: created },
      { kind: 'record', entity: 'tasks', id: 'task-1', tenantId: null, before: created, after: renamed },
      { kind: 'record', entity: 'tasks', id: 'task-1', tenantId: null, before: renamed, after: null },
    ]);
  });

  it('include rows that another one takes along, and all that one step deletes', async ({ stores }) => {
    await stores.entities.create('projects', { id: 'p', name: 'P' });
    for (const id of ['a', 'b']) await stores.entities.create('tasks', { ...task, id, projectId: 'p' });
    const feed = await FollowedFeed.start(stores);
    await stores.entities.delete('projects', 'p', { where: eq('id', 'p') });
    expect(new Set((await feed.next(3)).map(({ id, after }) => [id, after]))).toEqual(
      new Set([
        ['p', null],
        ['a', null],
        ['b', null],
      ]),
    );
    for (const id of ['c', 'd']) await stores.entities.create('tasks', { ...task, id });
    await feed.next(2);
    await stores.entities.deleteAll('tasks', eq('ownerId', 'ada'));
    expect((await feed.next(2)).map(({ id }) => id).toSorted()).toEqual(['c', 'd']);
  });
}

function describeAccessChanges(it: StoreTest): void {
  it('say whose role was assigned or revoked where', async ({ stores }) => {
    const feed = await FollowedFeed.start(stores);
    const assignment = { userId: toUserId('ada'), resource: { type: 'project', id: 'p' }, role: 'editor' };
    await stores.roleAssignments.assign(assignment);
    await stores.roleAssignments.assign(assignment);
    await stores.roleAssignments.assign({ ...assignment, role: 'viewer' });
    await stores.roleAssignments.revoke(assignment);
    const role = { kind: 'role', entity: 'project', id: 'p', tenantId: null, before: null, after: null };
    const [editor, viewer] = ['editor', 'viewer'].map((name) => ({ userId: 'ada', groupId: null, role: name }));
    expect((await feed.next(3)).map(toPlain)).toEqual([
      { ...role, after: editor },
      { ...role, after: viewer },
      { ...role, before: editor },
    ]);
  });

  it('say which role a group has, and who is in it', async ({ stores }) => {
    const feed = await FollowedFeed.start(stores);
    await stores.roleAssignments.assign({ groupId: 'eng', resource: { type: 'project', id: 'p' }, role: 'editor' });
    const membership = { tenantId: 't', groupId: 'eng', member: { userId: toUserId('ada') } };
    await stores.groups.add(membership);
    await stores.groups.add({ ...membership, member: { groupId: 'web' } });
    await stores.groups.remove(membership);
    const base = { tenantId: null, before: null, after: null };
    const [ada, web] = [
      { userId: 'ada', groupId: null },
      { userId: null, groupId: 'web' },
    ];
    expect((await feed.next(4)).map(toPlain)).toEqual([
      { ...base, kind: 'role', entity: 'project', id: 'p', after: { userId: null, groupId: 'eng', role: 'editor' } },
      { ...base, kind: 'membership', entity: 'group', id: 'eng', after: ada },
      { ...base, kind: 'membership', entity: 'group', id: 'eng', after: web },
      { ...base, kind: 'membership', entity: 'group', id: 'eng', before: ada },
    ]);
  });

  it('say what was put below what, and what no longer is', async ({ stores }) => {
    const feed = await FollowedFeed.start(stores);
    const [child, parent, other] = ['c', 'p', 'q'].map((id) => ({ type: 'folder', id }));
    if (!child || !parent || !other) throw new TypeError('There are three.');
    await stores.hierarchy.attach({ child, parent });
    await stores.hierarchy.detach({ child, parent });
    const edge = { kind: 'hierarchy', entity: 'folder', id: 'c', tenantId: null, before: null, after: null };
    const toParent = { parentType: 'folder', parentId: 'p' };
    expect((await feed.next(2)).map(toPlain)).toEqual([
      { ...edge, after: toParent },
      { ...edge, before: toParent },
    ]);
  });

  it('name the tenant of plans, add-ons, overrides and flags', async ({ stores }) => {
    const feed = await FollowedFeed.start(stores);
    await stores.subscriptions.assign({ tenantId: 't', planName: 'pro', group: 'main' });
    await stores.subscriptions.attach({ tenantId: 't', addOn: 'seats', quantity: 2 });
    await stores.subscriptions.updateOverrides('t', { tasks: { max: 7 } });
    await stores.flags.set({ tenantId: 't', name: 'beta' }, true);
    await stores.flags.set({ tenantId: null, name: 'beta' }, false);
    await stores.subscriptions.detach({ tenantId: 't', addOn: 'seats' });
    const seen = (await feed.next(6)).map(({ kind, tenantId, id, before, after }) => [
      kind,
      tenantId,
      id,
      before,
      after,
    ]);
    expect(seen).toEqual([
      ['plan', 't', 'main', null, { planName: 'pro' }],
      ['addOn', 't', 'seats', null, { quantity: 2 }],
      ['override', 't', 'tasks', null, { max: 7 }],
      ['flag', 't', 'beta', null, { value: true }],
      ['flag', null, 'beta', null, { value: false }],
      ['addOn', 't', 'seats', { quantity: 2 }, null],
    ]);
  });
}

function describeSessionChanges(it: StoreTest): void {
  it('say which session ended, or has a higher ver, and nothing of a rotation', async ({ stores, records }) => {
    const { id: userId } = await signUp(stores, records);
    const { id, refreshTokenHash } = await signIn(stores, records, userId);
    const feed = await FollowedFeed.start(stores);
    await stores.sessions.rotate(id, { expectedHash: refreshTokenHash, nextHash: records.hash(id) });
    await stores.sessions.setTenant(id, 'tenant-2');
    await stores.sessions.revoke(id);
    const [raised, ended] = await feed.next(2);
    expect(raised).toMatchObject({ kind: 'session', id, after: { userId, ver: 1, isEnded: false } });
    expect(ended).toMatchObject({ kind: 'session', id, after: { userId, ver: 1, isEnded: true } });
  });

  it('say which sessions ended with their user', async ({ stores, records }) => {
    const { id: userId } = await signUp(stores, records);
    const { id } = await signIn(stores, records, userId);
    const feed = await FollowedFeed.start(stores);
    await stores.users.delete(userId);
    expect(await feed.next(1)).toMatchObject([{ kind: 'session', id, before: { userId }, after: null }]);
  });
}

function describeReading(it: StoreTest): void {
  it('of an app are appended with its own steps, or not at all', async ({ stores }) => {
    const feed = await FollowedFeed.start(stores);
    const change = { entity: 'orders', id: '7', before: null, after: { state: 'sent', lines: [1, { a: null }] } };
    await expectRolledBack(stores, async (tx) => {
      await tx.changes.append({ ...change, id: '6' });
      await tx.entities.create('projects', { id: 'p', name: 'P' });
    });
    await stores.transaction((tx) => tx.changes.append({ ...change, tenantId: 't' }));
    const [appended, ...others] = await feed.next(1);
    expect(others).toEqual([]);
    expect(appended && toPlain(appended)).toEqual({ ...change, kind: 'app', tenantId: 't' });
  });

  it('are read page by page, each once, from wherever a reader left off', async ({ stores, processes }) => {
    const feed = await FollowedFeed.start(stores);
    for (const id of ['a', 'b', 'c', 'd', 'e']) await stores.entities.create('projects', { id, name: id });
    const all = await feed.next(5);
    expect(all.map(({ id }) => id)).toEqual(['a', 'b', 'c', 'd', 'e']);
    const [other] = processes;
    const first = await other.changes.read(feed.startedAt, 2);
    expect(first?.changes.map(({ id }) => id)).toEqual(['a', 'b']);
    const second = await other.changes.read(first?.position ?? '', 2);
    expect(second?.changes.map(({ id }) => id)).toEqual(['c', 'd']);
    const afterThird = await other.changes.read(all[2]?.position ?? '', 10);
    expect(afterThird?.changes.map(({ id }) => id)).toEqual(['d', 'e']);
    expect((await other.changes.read(afterThird?.position ?? '', 10))?.changes).toEqual([]);
  });

  it('are not read from a position that is none of the database', async ({ stores }) => {
    const { position } = (await stores.changes.read(null, 1)) ?? {};
    const future = String(position).replaceAll(/\d/g, '9');
    for (const unknown of ['', 'x', '1', '-1.0', '1.5.2', `${'9'.repeat(40)}.0`, `9${future}`]) {
      expect(await stores.changes.read(unknown, 1)).toBeNull();
    }
  });

  it('are pruned from the oldest on, once they are old enough', async ({ stores }) => {
    const feed = await FollowedFeed.start(stores);
    for (const id of ['a', 'b', 'c']) await stores.entities.create('projects', { id, name: id });
    const [a] = await feed.next(3);
    expect(await stores.changes.prune({ olderThanMs: 60_000, limit: 10 })).toBe(0);
    expect(await stores.changes.prune({ olderThanMs: 0, limit: 2 })).toBe(2);
    // One of them is that from which the reading began.
    expect(await stores.changes.prune({ olderThanMs: 0, limit: 10 })).toBe(2);
    expect((await stores.changes.read(a?.position ?? '', 10))?.changes).toEqual([]);
    await stores.entities.create('projects', { id: 'd', name: 'd' });
    expect((await feed.next(1)).map(({ id }) => id)).toEqual(['d']);
  });
}

function describeHints(it: StoreTest): void {
  it('are hinted at to listeners of every process, until they unsubscribe', async ({ stores, processes }) => {
    const [other] = processes;
    const hints: string[] = [];
    const hinted = [stores, other].map((each, index) => {
      const { promise, resolve } = Promise.withResolvers<() => void>();
      const end = each.changes.subscribe(() => {
        hints.push(String(index));
        resolve(end);
      });
      return promise;
    });
    await stores.entities.create('projects', { id: 'p', name: 'P' });
    for (const end of await Promise.all(hinted)) end();
    const count = hints.length;
    await stores.entities.create('projects', { id: 'q', name: 'Q' });
    await pause(5);
    expect(hints).toHaveLength(count);
  });
}

function describeCommitOrder(it: StoreTest): void {
  it.holding(2)('are not passed by a reader while their transaction is still open', async ({ stores, processes }) => {
    const feed = await FollowedFeed.start(stores);
    const [other] = processes;
    const addSlow = (tx: Pick<typeof stores, 'entities'>): Promise<unknown> =>
      tx.entities.create('projects', { id: 'slow', name: 'S' });
    await whileOpen(other, addSlow, async () => {
      expect(await feed.readNow()).toEqual([]);
    });
    await stores.entities.create('projects', { id: 'quick', name: 'Q' });
    expect((await feed.next(2)).map(({ id }) => id)).toEqual(['slow', 'quick']);
  });
}

/** Describes what is guaranteed while several processes change and read at once. */
export function describeChangeRaces(engine: StoreEngine): void {
  const it = createFollowedTest(engine);
  it('are each read once by a reader that reads all the while', async ({ stores, processes }) => {
    const feed = await FollowedFeed.start(stores);
    const writing = concurrently(processes, times(60), (each, index) =>
      each.transaction(async (tx) => {
        await tx.entities.create('projects', { id: `${index}`, name: 'x' });
        if (index % 3 === 0) await tx.entities.create('projects', { id: `${index}+`, name: 'x' });
      }),
    );
    const seen = (await feed.next(80)).map(({ id }) => id);
    await writing;
    const expected = times(60).flatMap((index) => (index % 3 === 0 ? [`${index}`, `${index}+`] : [`${index}`]));
    expect(seen.toSorted()).toEqual(expected.toSorted());
    expect(await feed.readNow()).toEqual([]);
  });
}

function toPlain({ position: _, at: __, ...change }: StoredChange): object {
  return change;
}
