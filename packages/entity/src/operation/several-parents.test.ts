import { anonymous, createAccessContextFactory, defineAccess, rules } from '@x/access';
import { unwrap } from '@x/errors';
import type { Stores } from '@x/store';
import { all } from '@x/store/where';
import { describe, expect, it } from 'vitest';
import { createEntities } from '../create-entities.ts';
import { defineEntity } from '../definition/define-entity.ts';
import { defineModel } from '../model/define-model.ts';
import { field } from '../model/field.ts';
import { type Engine, engines, openEngine } from '../testing/open-engine.ts';

const definition = defineAccess({
  entities: {
    workspace: { roles: ['owner', 'guest'] },
    folder: {
      roles: ['editor', 'viewer'],
      inherits: {
        'workspace:owner': 'editor',
        'workspace:guest': 'viewer',
        'folder:editor': 'editor',
        'folder:viewer': 'viewer',
      },
    },
  },
  entitlements: {
    'workspace:read': { roles: ['owner', 'guest'] },
    'folder:read': { roles: ['editor', 'viewer'] },
    'folder:write': { roles: ['editor'] },
  },
});

const readWorkspace = rules.entitlement('workspace:read');
const workspaces = defineEntity({
  model: defineModel('workspaces', { fields: { name: field.text() } }),
  definition,
  resource: { type: 'workspace', creatorRole: 'owner' },
  access: {
    list: readWorkspace,
    get: readWorkspace,
    create: rules.authenticated(),
    update: false,
    delete: rules.resourceRole('owner'),
  },
});

const [read, write] = [rules.entitlement('folder:read'), rules.entitlement('folder:write')];
const folders = defineEntity({
  model: defineModel('folders', {
    fields: {
      parentId: field.uuid({ references: 'folders', onDelete: 'cascade', nullable: true }),
      workspaceId: field.uuid({ references: 'workspaces', onDelete: 'cascade', nullable: true }),
      name: field.text(),
    },
    parent: ['parentId', 'workspaceId'],
  }),
  definition,
  resource: { type: 'folder' },
  access: { list: read, get: read, create: write, update: write, delete: write },
});

const ada = { ...anonymous, userId: 'ada' };

async function openFolders(engine: Engine) {
  const stores = await openEngine(engine, [workspaces.model, folders.model]);
  const access = createAccessContextFactory({
    definition,
    stores,
    orgResolver: async (resource, { ancestors }) =>
      resource && [resource, ...(await ancestors())].find(({ type }) => type === 'workspace'),
  });
  const app = createEntities({ entities: [workspaces, folders], stores, access }).as(ada);
  const add = async (place: { readonly parentId?: string; readonly workspaceId?: string }): Promise<string> => {
    return unwrap(await app.create(folders, { name: 'F', ...place })).record.id;
  };
  const addWorkspace = async (): Promise<string> => {
    return unwrap(await app.create(workspaces, { name: 'W' })).record.id;
  };
  return { stores, app, add, addWorkspace };
}

async function above({ hierarchy }: Stores, id: string): Promise<readonly string[]> {
  return (await hierarchy.ancestors({ type: 'folder', id })).map(({ resource }) => resource.id);
}

describe.each(engines)('a record with several parents on %s', (engine) => {
  it('is below the first that is set, and needs one', async () => {
    const { stores, app, add, addWorkspace } = await openFolders(engine);
    const workspaceId = await addWorkspace();
    const top = await add({ workspaceId });
    const inner = await add({ parentId: top });
    const both = await add({ parentId: inner, workspaceId });
    expect(await above(stores, top)).toEqual([workspaceId]);
    expect(await above(stores, both)).toEqual([inner, top, workspaceId]);
    for (const refused of [
      await app.create(folders, { name: 'F' }),
      await app.update(folders, inner, { parentId: null }),
    ]) {
      expect(refused).toMatchObject({
        ok: false,
        error: { code: 'VALIDATION_FAILED', issues: [{ path: ['parentId'] }, { path: ['workspaceId'] }] },
      });
    }
    const missing = await app.create(folders, { name: 'F', parentId: '00000000-0000-4000-8000-000000000000' });
    expect(missing.ok || missing.error.code).toBe('FORBIDDEN');
  });

  it('moves from one kind of parent to another, and back', async () => {
    const { stores, app, add, addWorkspace } = await openFolders(engine);
    const workspaceId = await addWorkspace();
    const [a, b] = [await add({ workspaceId }), await add({ workspaceId })];
    const inner = await add({ parentId: a });
    expect((await app.update(folders, a, { parentId: b, workspaceId: null })).ok).toBe(true);
    expect(await above(stores, inner)).toEqual([a, b, workspaceId]);
    const below = await app.update(folders, b, { parentId: inner });
    expect(below.ok || below.error.code).toBe('CONFLICT');
    expect((await app.update(folders, a, { parentId: null, workspaceId })).ok).toBe(true);
    expect(await above(stores, inner)).toEqual([a, workspaceId]);
  });

  it('is deleted with each of its parents', async () => {
    const { stores, app, add, addWorkspace } = await openFolders(engine);
    const [workspaceId, other] = [await addWorkspace(), await addWorkspace()];
    const top = await add({ workspaceId });
    const inner = await add({ parentId: top, workspaceId });
    await add({ parentId: inner });
    const kept = await add({ workspaceId: other });
    expect((await app.delete(folders, inner)).ok).toBe(true);
    expect(await stores.entities.count('folders', all)).toBe(2);
    expect((await app.delete(workspaces, workspaceId)).ok).toBe(true);
    expect(await stores.entities.count('folders', all)).toBe(1);
    expect(await above(stores, top)).toEqual([]);
    expect(await above(stores, kept)).toEqual([other]);
  });

  it('is below all of them, also after a move of what is above', async () => {
    const { stores, app, add, addWorkspace } = await openFolders(engine);
    const [here, there] = [await addWorkspace(), await addWorkspace()];
    const [top, target] = [await add({ workspaceId: here }), await add({ workspaceId: there })];
    const wrong = await app.create(folders, { name: 'F', parentId: top, workspaceId: there });
    expect(wrong).toMatchObject({ ok: false, error: { code: 'CONFLICT', issues: [{ path: ['workspaceId'] }] } });
    const named = await add({ parentId: top, workspaceId: here });
    const unnamed = await add({ parentId: top });
    const stale = await app.update(folders, named, { parentId: target });
    expect(stale).toMatchObject({ ok: false, error: { code: 'CONFLICT', issues: [{ path: ['workspaceId'] }] } });
    expect(await above(stores, named)).toEqual([top, here]);
    expect((await app.update(folders, top, { parentId: target, workspaceId: null })).ok).toBe(true);
    const rows = await Promise.all([named, unnamed].map((id) => stores.entities.get('folders', id, all)));
    expect(rows.map((found) => found?.row['workspaceId'])).toEqual([there, null]);
    expect((await app.delete(workspaces, here)).ok).toBe(true);
    expect(await stores.entities.count('folders', all)).toBe(4);
    expect((await app.delete(workspaces, there)).ok).toBe(true);
    expect(await stores.entities.count('folders', all)).toBe(0);
  });
});
