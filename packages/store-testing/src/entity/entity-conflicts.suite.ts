import type { EntityStore } from '@x/store';
import { all } from '@x/store/where';
import { describe, expect } from 'vitest';
import type { StoreTest } from '../store-test.ts';
import { sampleId, sampleTask } from './sample-entities.ts';

/** Describes what rows that contradict each other come to. */
export function describeEntityConflicts(it: StoreTest): void {
  describe('conflicts', () => {
    describeUnique(it);
    describeReferences(it);
  });
}

function describeUnique(it: StoreTest): void {
  it('refuse a second row with the same unique value, but not with null', async ({ stores: { entities } }) => {
    const [first, second] = [sampleTask({ slug: 'One' }), sampleTask()];
    for (const row of [first, second, sampleTask(), sampleTask({ slug: 'one' })]) await entities.create('tasks', row);
    await expectConflict(entities.create('tasks', sampleTask({ slug: 'One' })), ['slug']);
    await expectConflict(entities.update('tasks', second.id, { values: { slug: 'One' }, where: all }), ['slug']);
    const same = { values: { slug: 'One', title: 'x' }, where: all };
    expect(await entities.update('tasks', first.id, same)).toMatchObject({ version: 2 });
    expect(await entities.count('tasks', all)).toBe(4);
  });

  it('refuse a second row with the same unique moment', async ({ stores: { entities } }) => {
    await entities.create('tasks', sampleTask({ dueAt: new Date(7) }));
    await expectConflict(entities.create('tasks', sampleTask({ dueAt: new Date(7) })), ['dueAt']);
    await entities.create('tasks', sampleTask({ dueAt: new Date(8) }));
  });

  it('refuse a second row with the same values of a unique group, unless one of them is null', async ({ stores }) => {
    const { entities } = stores;
    const [projectId, otherId] = [sampleId(), sampleId()];
    for (const id of [projectId, otherId]) await entities.create('projects', { id, name: 'Project' });
    const keyOfGroup = ['projectId', 'cost', 'dueOn'];
    const group = { projectId, cost: '1.50', dueOn: '2026-01-31' };
    await entities.create('tasks', sampleTask(group));
    await expectConflict(entities.create('tasks', sampleTask({ ...group, cost: '1.5' })), keyOfGroup);
    for (const other of [{ projectId: otherId }, { cost: '1.51' }, { dueOn: null }, { dueOn: null }]) {
      const { row } = await entities.create('tasks', sampleTask({ ...group, ...other }));
      await expectConflict(entities.update('tasks', row.id, { values: group, where: all }), keyOfGroup);
    }
    expect(await entities.count('tasks', all)).toBe(5);
  });

  it('refuse a second row with the same values only among the rows that a unique index contains', async ({
    stores,
  }) => {
    const { entities } = stores;
    const held = sampleTask({ ownerId: 'ada', weight: 1, isDone: false, title: "it's" });
    await entities.create('tasks', held);
    const twin = { ...held, id: sampleId() };
    await expectConflict(entities.create('tasks', twin), ['ownerId', 'weight']);
    for (const other of [{ isDone: true }, { title: 'Other' }, { title: null }, { weight: null }, { ownerId: 'bob' }]) {
      await entities.create('tasks', { ...twin, id: sampleId(), ...other });
    }
    const { row } = await entities.create('tasks', { ...twin, isDone: null });
    const opened = entities.update('tasks', row.id, { values: { isDone: false }, where: all });
    await expectConflict(opened, ['ownerId', 'weight']);
    await entities.update('tasks', held.id, { values: { isDone: true }, where: all });
    await entities.update('tasks', row.id, { values: { isDone: false, title: 'open' }, where: all });
  });

  it('refuse an id that is in use', async ({ stores: { entities } }) => {
    const row = sampleTask();
    await entities.create('tasks', row);
    await expectConflict(entities.create('tasks', { ...row, title: 'Other' }), ['id']);
    expect(await entities.get('tasks', row.id, all)).toEqual({ row, version: 1 });
  });

  it('free a unique value once its row has changed it or is deleted', async ({ stores: { entities } }) => {
    const [first, second] = [sampleTask({ slug: 'a' }), sampleTask({ slug: 'b' })];
    for (const row of [first, second]) await entities.create('tasks', row);
    await entities.update('tasks', first.id, { values: { slug: 'c' }, where: all });
    await entities.create('tasks', sampleTask({ slug: 'a' }));
    await entities.delete('tasks', second.id, { where: all });
    await entities.create('tasks', sampleTask({ slug: 'b' }));
    expect(await entities.count('tasks', all)).toBe(3);
  });

  it('let a transaction that catches one continue', async ({ stores }) => {
    await stores.entities.create('tasks', sampleTask({ slug: 'a' }));
    await stores.transaction(async ({ entities }) => {
      await entities.create('tasks', sampleTask({ slug: 'b' }));
      await expectConflict(entities.create('tasks', sampleTask({ slug: 'a' })), ['slug']);
      await expectConflict(entities.create('tasks', sampleTask({ slug: 'b' })), ['slug']);
      await expectConflict(entities.create('tasks', sampleTask({ projectId: sampleId() })), null);
      await entities.create('tasks', sampleTask({ slug: 'c' }));
    });
    expect(await stores.entities.count('tasks', all)).toBe(3);
  });
}

function describeReferences(it: StoreTest): void {
  it('refuse a reference to a missing row', async ({ stores: { entities } }) => {
    const task = sampleTask();
    await expectConflict(entities.create('tasks', { ...task, projectId: sampleId() }), null);
    await entities.create('tasks', task);
    const values = { nextId: sampleId() };
    await expectConflict(entities.update('tasks', task.id, { values, where: all }), null);
    expect(await entities.get('tasks', task.id, all)).toEqual({ row: task, version: 1 });
  });

  it('let a row refer to itself', async ({ stores: { entities } }) => {
    const id = sampleId();
    await entities.create('tasks', sampleTask({ id, nextId: id }));
    expect(await entities.delete('tasks', id, { where: all })).not.toBeNull();
  });

  it('delete rows together with the one that they belong to, at any depth', async ({ stores: { entities } }) => {
    const [projectId, taskId] = [sampleId(), sampleId()];
    await entities.create('projects', { id: projectId, name: 'Project' });
    await entities.create('tasks', sampleTask({ id: taskId, projectId }));
    await entities.create('task-notes', { id: sampleId(), taskId, body: 'Note' });
    const stays = await entities.create('tasks', sampleTask());
    await entities.delete('projects', projectId, { where: all });
    expect(await entities.count('task-notes', all)).toBe(0);
    const left = { where: all, order: [{ column: 'id', direction: 'asc' }], after: null, limit: 9 } as const;
    expect(await entities.list('tasks', left)).toEqual({ records: [stays], hasMore: false });
  });

  it('forget a reference whose row is deleted, and raise the version of the row that had it', async ({ stores }) => {
    const { entities } = stores;
    const [task, about] = [sampleTask(), sampleTask()];
    for (const each of [task, about]) await entities.create('tasks', each);
    const note = { id: sampleId(), taskId: task.id, body: 'Note', aboutId: about.id };
    await entities.create('task-notes', note);
    await entities.update('task-notes', note.id, { values: { body: 'Changed' }, where: all });
    await entities.delete('tasks', about.id, { where: all });
    const row = { ...note, body: 'Changed', aboutId: null };
    expect(await entities.get('task-notes', note.id, all)).toEqual({ row, version: 3 });
    await entities.update('task-notes', note.id, { values: { aboutId: task.id }, where: all });
    await entities.update('task-notes', note.id, { values: { aboutId: null }, where: all });
    expect(await entities.get('task-notes', note.id, all)).toEqual({ row, version: 5 });
    await entities.delete('tasks', task.id, { where: all });
    expect(await entities.count('task-notes', all)).toBe(0);
  });

  it('refuse to delete a row that another one refers to, and delete nothing', async ({ stores: { entities } }) => {
    const [projectId, first] = [sampleId(), sampleId()];
    await entities.create('projects', { id: projectId, name: 'Project' });
    await entities.create('tasks', sampleTask({ id: first, projectId }));
    const { row: second } = await entities.create('tasks', sampleTask({ nextId: first }));
    await expectConflict(entities.delete('tasks', first, { where: all }), null);
    await expectConflict(entities.delete('projects', projectId, { where: all }), null);
    expect(await entities.count('tasks', all)).toBe(2);
    await entities.delete('tasks', second.id, { where: all });
    await entities.delete('projects', projectId, { where: all });
    expect(await entities.count('tasks', all)).toBe(0);
  });
}

/** @param columns - those of the unique key that another row has; null for a reference */
async function expectConflict(
  step: ReturnType<EntityStore['update']>,
  columns: readonly string[] | null,
): Promise<void> {
  const error: unknown = await step.catch((thrown: unknown) => thrown);
  expect(error).toMatchObject({ code: 'CONFLICT', extras: columns === null ? {} : { issues: toIssues(columns) } });
  if (columns === null) expect(error).not.toHaveProperty('extras.issues');
}

function toIssues(columns: readonly string[]): readonly object[] {
  const message =
    columns.length > 1 ? 'Another record has this combination of values.' : 'Another record has this value.';
  return columns.map((column) => ({ path: [column], code: 'not_unique', message }));
}
