import { anonymous, createAccessContextFactory, defineAccess, rules } from '@x/access';
import { unwrap } from '@x/errors';
import type { EntityRow, Stores } from '@x/store';
import { all } from '@x/store/where';
import { describe, expect, it } from 'vitest';
import { createEntities, type Entities } from '../create-entities.ts';
import { defineEntity } from '../definition/define-entity.ts';
import { defineModel } from '../model/define-model.ts';
import { field } from '../model/field.ts';
import { engines, openEngine, openProcesses } from '../testing/open-engine.ts';

const definition = defineAccess({
  entities: {
    folder: { roles: ['editor', 'viewer'], inherits: { 'folder:editor': 'editor', 'folder:viewer': 'viewer' } },
  },
  entitlements: { 'folder:read': { roles: ['editor', 'viewer'] }, 'folder:write': { roles: ['editor'] } },
});

const model = defineModel('folders', {
  fields: { parentId: field.uuid({ references: 'folders', onDelete: 'cascade', nullable: true }), name: field.text() },
  parent: 'parentId',
});

const [read, write] = [rules.entitlement('folder:read'), rules.entitlement('folder:write')];
const folders = defineEntity({
  model,
  definition,
  resource: { type: 'folder', creatorRole: 'editor' },
  access: { list: read, get: read, create: rules.authenticated(), update: write, delete: write },
});

/** Folders that are no resources. */
const plain: typeof folders = defineEntity({
  model,
  access: {
    list: rules.public,
    get: rules.public,
    create: rules.authenticated(),
    update: rules.authenticated(),
    delete: rules.authenticated(),
  },
});

const ada = { ...anonymous, userId: 'ada' };

function serve(stores: Stores, entity: typeof folders): Entities<readonly [typeof folders]> {
  const access = createAccessContextFactory({ definition, stores });
  return createEntities({ entities: [entity], stores, access });
}

/** Creates a chain of folders, each in the one before, and returns their ids. */
async function addChain(app: Entities<readonly [typeof folders]>, ...names: readonly string[]): Promise<string[]> {
  const ids: string[] = [];
  for (const name of names) {
    const created = await app.as(ada).create(folders, { name, parentId: ids.at(-1) ?? null });
    ids.push(unwrap(created).record.id);
  }
  return ids;
}

async function rowOf({ entities }: Stores, id: string | undefined): Promise<EntityRow | undefined> {
  return (await entities.get('folders', id ?? '', all))?.row;
}

describe.each(engines)('a record within others of its kind on %s', (engine) => {
  it.each([
    ['resources', folders],
    ['records without access definition', plain],
  ])('cannot be moved below itself, as %s', async (_, entity) => {
    const stores = await openEngine(engine, [model]);
    const app = serve(stores, entity);
    const [a = '', b = '', c = ''] = await addChain(app, 'a', 'b', 'c');
    for (const parentId of [a, b, c]) {
      const moved = await app.as(ada).update(folders, a, { parentId });
      const error = moved.ok ? null : moved.error;
      expect(error).toMatchObject({
        code: 'CONFLICT',
        message: 'parentId: A record cannot be below itself.',
        issues: [{ path: ['parentId'], code: 'cycle' }],
      });
      expect(await rowOf(stores, a)).toMatchObject({ parentId: null });
    }
    expect((await app.as(ada).update(folders, c, { parentId: a })).ok).toBe(true);
    expect((await app.as(ada).update(folders, b, { parentId: c })).ok).toBe(true);
    expect((await app.as(ada).update(folders, b, { parentId: null })).ok).toBe(true);
    expect(await rowOf(stores, b)).toMatchObject({ parentId: null });
  });

  it('cannot be moved too deep', async () => {
    const stores = await openEngine(engine, [model]);
    const app = serve(stores, folders);
    const chain = await addChain(app, ...Array.from({ length: 32 }, (_, level) => `${level}`));
    const [top = '', below = ''] = await addChain(app, 'x', 'y');
    const moved = await app.as(ada).update(folders, top, { parentId: chain.at(-1)! });
    expect(moved.ok || moved.error.code).toBe('CONFLICT');
    expect(await rowOf(stores, top)).toMatchObject({ parentId: null });
    expect((await app.as(ada).update(folders, below, { parentId: chain.at(-1)! })).ok).toBe(true);
  });

  it('gets its first parent, and loses its last one', async () => {
    const stores = await openEngine(engine, [model]);
    const app = serve(stores, folders);
    const [[a = ''], [b = '']] = [await addChain(app, 'a'), await addChain(app, 'b')];
    const isAbove = () => stores.hierarchy.hasPath({ type: 'folder', id: a }, { type: 'folder', id: b });
    expect((await app.as(ada).update(folders, b, { parentId: a })).ok).toBe(true);
    expect(await isAbove()).toBe(true);
    expect((await app.as(ada).update(folders, b, { parentId: null })).ok).toBe(true);
    expect(await isAbove()).toBe(false);
  });

  it('is not moved away from where the hierarchy does not have it', async () => {
    const stores = await openEngine(engine, [model]);
    const app = serve(stores, folders);
    const [a = '', b = '', c = ''] = await addChain(app, 'a', 'b', 'c');
    await stores.hierarchy.detach({ child: { type: 'folder', id: c }, parent: { type: 'folder', id: b } });
    const moved = await app.asSystem().update(folders, c, { parentId: a });
    expect(moved.ok || moved.error.code).toBe('CONFLICT');
    expect(await rowOf(stores, c)).toMatchObject({ parentId: b });
  });

  it.each([
    ['resources', folders],
    ['records without access definition', plain],
  ])('loses one of two concurrent moves that would form a circle together, as %s', async (_, entity) => {
    const processes = await openProcesses(engine, [model], 2);
    const [first, second] = processes.map((stores) => serve(stores, entity));
    if (!first || !second) throw new TypeError('Two processes were asked for.');
    for (let round = 0; round < 4; round += 1) {
      const [[a = '', below = ''], [b = '']] = [await addChain(first, 'a', 'x'), await addChain(first, 'b')];
      const outcomes = await Promise.all([
        first.as(ada).update(folders, a, { parentId: b }),
        // From further below in every other round: such a move waits for another lock.
        second.as(ada).update(folders, b, { parentId: round % 2 === 0 ? a : below }),
      ]);
      expect(outcomes.map((each) => (each.ok ? 'moved' : each.error.code)).toSorted()).toEqual(['CONFLICT', 'moved']);
    }
  });
});
