import type { HierarchyStore, Resource, Stores } from '@x/store';
import { ManualClock } from '@x/store-testing/clock';
import { afterAll, expect, onTestFinished, it } from 'vitest';
import { beginTransaction } from './testing/open-transactions.ts';
import { createPostgresEngine, dropDatabases } from './testing/postgres-engine.ts';

afterAll(dropDatabases);

it('attaches and removes leaves while other open transactions do so, too', async () => {
  const { stores, other } = await openTwo();
  await attachAll(
    stores.hierarchy,
    ['project:p', 'organization:o'],
    ['task:old', 'project:p'],
    ['task:gone', 'project:p'],
  );
  const open = await beginTransaction(stores, async ({ hierarchy }) => {
    await attachAll(hierarchy, ['task:1', 'project:p']);
    await hierarchy.removeSubtree(toResource('task:gone'));
  });
  await attachAll(other.hierarchy, ['task:2', 'project:p'], ['task:3', 'task:new']);
  expect(await other.hierarchy.detach({ child: toResource('task:old'), parent: toResource('project:p') })).toBe(true);
  await open.goOn();
  expect(await namesOf(stores.hierarchy.descendants(toResource('organization:o')))).toEqual([
    'project:p',
    'task:1',
    'task:2',
  ]);
});

it('moves a resource with children that other transactions are about to attach to it', async () => {
  const { stores, other } = await openTwo();
  await attachAll(stores.hierarchy, ['project:p', 'organization:o'], ['task:0', 'project:p']);
  const open = await beginTransaction(stores, ({ hierarchy }) => attachAll(hierarchy, ['task:1', 'project:p']));
  const ends = { from: toResource('organization:o'), to: toResource('organization:next') };
  const moved = other.hierarchy.move(toResource('project:p'), ends);
  await giveTime(other);
  await open.goOn();
  expect(await moved).toBe('moved');
  expect(await namesOf(stores.hierarchy.ancestors(toResource('task:1')))).toEqual(['organization:next', 'project:p']);
});

it('attaches nothing below a resource that is being attached, until that is committed', async () => {
  const { stores, other } = await openTwo();
  const open = await beginTransaction(stores, ({ hierarchy }) => attachAll(hierarchy, ['folder:b', 'folder:a']));
  const below = other.hierarchy.attach({ child: toResource('folder:c'), parent: toResource('folder:b') });
  await giveTime(other);
  await open.goOn();
  expect(await below).toBe('attached');
  expect(await namesOf(stores.hierarchy.ancestors(toResource('folder:c')))).toEqual(['folder:a', 'folder:b']);
});

/** Opens stores on an empty database twice, as two processes would. */
async function openTwo(): Promise<{ readonly stores: Stores; readonly other: Stores }> {
  const database = await createPostgresEngine().createDatabase();
  onTestFinished(() => database.drop());
  const clock = new ManualClock();
  return { stores: await database.open(clock), other: await database.open(clock) };
}

/** Makes reads that take several times as long as a change that does not wait. */
async function giveTime({ hierarchy }: Stores): Promise<void> {
  for (let call = 0; call < 30; call += 1) await hierarchy.ancestors(toResource('folder:c'));
}

async function attachAll(
  closure: HierarchyStore,
  ...edges: readonly (readonly [child: string, parent: string])[]
): Promise<void> {
  for (const [child, parent] of edges) {
    expect(await closure.attach({ child: toResource(child), parent: toResource(parent) })).toBe('attached');
  }
}

async function namesOf(related: ReturnType<HierarchyStore['ancestors']>): Promise<readonly string[]> {
  return (await related).map(({ resource: { type, id } }) => `${type}:${id}`).toSorted();
}

function toResource(name: string): Resource {
  const [type = '', id = ''] = name.split(':');
  return { type, id };
}
