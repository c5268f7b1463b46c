import type { EntityRow, Stores } from '@x/store';
import { all, eq } from '@x/store/where';
import { expect } from 'vitest';
import { times } from '../concurrently.ts';
import type { StoreTest } from '../store-test.ts';
import { sampleId, sampleTask } from './sample-entities.ts';

/** More than a store writes by one statement. */
const many = 1010;

/** Describes how every entity store deletes a row to which more others belong than one statement deletes. */
export function describeEntityCascades(it: StoreTest): void {
  it('deletes any number of rows together with the one that they belong to, or none', async ({ stores }) => {
    const { entities } = stores;
    const { project, first, last, outside } = await arrange(stores);
    const deletion = { where: eq('name', 'Project') };
    const refused = entities.delete('projects', project.id, deletion);
    await expect(refused, 'a task outside refers to one of them').rejects.toMatchObject({ code: 'CONFLICT' });
    await entities.update('tasks', outside.id, { values: { nextId: null }, where: all });
    expect(await entities.delete('projects', project.id, { where: eq('name', 'Other') })).toBeNull();
    expect(await entities.delete('projects', project.id, { where: all, version: 2 })).toBeNull();
    expect(await entities.count('tasks', all)).toBe(many + 1);
    expect(await entities.count('task-notes', eq('aboutId', first.id))).toBe(many + 2);

    expect(await entities.delete('projects', project.id, deletion)).toEqual({ row: project, version: 1 });
    expect(await entities.get('projects', project.id, all)).toBeNull();
    expect(await entities.count('tasks', all)).toBe(1);
    const left = { where: all, order: [{ column: 'id', direction: 'asc' }], after: null, limit: many + 3 } as const;
    const { records } = await entities.list('task-notes', left);
    // The notes of the deleted tasks are deleted, and others have lost what they are about.
    expect(records).toHaveLength(many);
    for (const { row, version } of records) {
      expect({ ...row, version }).toMatchObject({ taskId: outside.id, aboutId: null, version: 2 });
    }
    expect(await entities.get('tasks', last.id, all)).toBeNull();
  });

  it('deletes all rows that satisfy a condition with any number of others, or none', async ({ stores }) => {
    const { entities } = stores;
    const { project, outside } = await arrange(stores);
    await entities.create('projects', { id: sampleId(), name: 'Project' });
    const named = eq('name', 'Project');
    await expect(entities.deleteAll('projects', named)).rejects.toMatchObject({ code: 'CONFLICT' });
    expect(await entities.count('projects', named)).toBe(2);
    expect(await entities.count('tasks', eq('projectId', project.id))).toBe(many);
    await entities.update('tasks', outside.id, { values: { nextId: null }, where: all });
    expect(await entities.deleteAll('projects', named)).toBe(2);
    expect(await entities.count('tasks', all)).toBe(1);
  });
}

interface Arranged {
  readonly project: EntityRow;
  /** Tasks of the project that refer to each other. */
  readonly first: EntityRow;
  readonly last: EntityRow;
  /** A task of no project, which refers to the first one. */
  readonly outside: EntityRow;
}

/** Many tasks of one project, and as many notes of another task that are about one of them. */
async function arrange(stores: Stores): Promise<Arranged> {
  const project = { id: sampleId(), name: 'Project' };
  const tasks = times(many).map(() => sampleTask({ projectId: project.id }));
  const [first, middle, last] = [tasks[0], tasks[many >> 1], tasks.at(-1)];
  if (!first || !middle || !last) throw new TypeError('There are no tasks.');
  const outside = sampleTask({ nextId: first.id });
  await stores.transaction(async ({ entities }) => {
    await entities.create('projects', project);
    for (const task of tasks) await entities.create('tasks', task);
    for (const [from, to] of [
      [first, last],
      [last, first],
      [middle, first],
      [tasks[1], middle],
    ] as const) {
      await entities.update('tasks', from?.id ?? '', { values: { nextId: to.id }, where: all });
    }
    await entities.create('tasks', outside);
    for (const taskId of [middle.id, last.id]) await entities.create('task-notes', toNote(taskId, first.id));
    for (const note of tasks.map(() => toNote(outside.id, first.id))) await entities.create('task-notes', note);
  });
  return { project, first, last, outside };
}

function toNote(taskId: string, aboutId: string): EntityRow {
  return { id: sampleId(), taskId, body: 'Note', aboutId };
}
