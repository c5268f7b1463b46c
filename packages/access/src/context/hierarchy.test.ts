import type { Resource, UserId } from '@x/store';
import { expect, it } from 'vitest';
import { defineAccess } from '../definition/define-access.ts';
import { toResource } from '../testing/access-world.ts';
import { engines } from '../testing/engines.ts';
import { createAccessContext } from './access-context.ts';

const definition = defineAccess({
  entities: {
    drive: { roles: ['owner'] },
    // Two children of one type, and one of two.
    folder: {
      roles: ['owner', 'editor', 'viewer'],
      inherits: {
        'drive:owner': 'owner',
        'folder:owner': 'editor',
        'folder:editor': 'editor',
        'folder:viewer': 'viewer',
      },
    },
    trash: { roles: ['owner'], inherits: { 'drive:owner': 'owner' } },
    file: {
      roles: ['editor', 'viewer'],
      inherits: {
        'folder:owner': 'editor',
        'folder:editor': 'editor',
        'folder:viewer': 'viewer',
        'trash:owner': 'viewer',
      },
    },
  },
  entitlements: {
    'folder:delete': { roles: ['owner'] },
    'folder:read': { roles: ['owner', 'editor', 'viewer'] },
    'file:edit': { roles: ['editor'] },
    'file:read': { roles: ['editor', 'viewer'] },
    'trash:empty': { roles: ['owner'] },
  },
});

/** Stores edges `child < parent` and assignments `user role resource`, and answers `user entitlement resource`. */
async function ask(
  stores: Awaited<ReturnType<(typeof engines)[number]['open']>>['stores'],
  edges: readonly string[],
  assignments: readonly string[],
): Promise<(question: string) => Promise<boolean>> {
  await stores.transaction(async ({ hierarchy, roleAssignments }) => {
    for (const edge of edges) {
      const [child = '', parent = ''] = edge.split(' < ');
      expect(await hierarchy.attach({ child: toResource(child), parent: toResource(parent), maxDepth: 60 })).toBe(
        'attached',
      );
    }
    for (const assignment of assignments) {
      const [userId = '', role = '', resource = ''] = assignment.split(' ');
      await roleAssignments.assign({ userId: userId as UserId, resource: toResource(resource), role });
    }
  });
  return async (question) => {
    const [userId = '', entitlement = '', resource = ''] = question.split(' ');
    const { roleAssignments, hierarchy } = stores;
    const access = createAccessContext({
      userId,
      definition,
      roleStore: roleAssignments,
      closureStore: hierarchy,
      orgResolver: () => null,
    });
    return access.can(entitlement as 'file:read', toResource(resource) as Resource & { type: 'file' });
  };
}

it.for(engines)('sibling types inherit apart from each other on $name', async (engine) => {
  await using opened = await engine.open();
  const can = await ask(
    opened.stores,
    ['folder:f < drive:d', 'trash:t < drive:d'],
    ['ann owner drive:d', 'ben owner folder:f'],
  );
  expect(await can('ann folder:delete folder:f')).toBe(true);
  expect(await can('ann trash:empty trash:t')).toBe(true);
  expect(await can('ben folder:delete folder:f')).toBe(true);
  expect(await can('ben trash:empty trash:t')).toBe(false);
});

it.for(engines)('each of several parents adds its roles by its own map on $name', async (engine) => {
  await using opened = await engine.open();
  const edges = ['file:x < folder:a', 'file:x < folder:b', 'file:x < trash:t'];
  const can = await ask(opened.stores, edges, ['ann viewer folder:a', 'ann owner folder:b', 'ben owner trash:t']);
  expect(await can('ann file:edit file:x')).toBe(true);
  expect(await can('ben file:read file:x')).toBe(true);
  expect(await can('ben file:edit file:x')).toBe(false);
  await opened.stores.hierarchy.detach({ child: toResource('file:x'), parent: toResource('folder:b') });
  expect(await can('ann file:edit file:x')).toBe(false);
  expect(await can('ann file:read file:x')).toBe(true);
});

it.for(engines)('a type that nests in itself maps its roles at each level on $name', async (engine) => {
  await using opened = await engine.open();
  const edges = ['folder:b < folder:a', 'folder:c < folder:b', 'file:x < folder:c'];
  const can = await ask(opened.stores, edges, ['ann owner folder:a']);
  expect(await can('ann folder:delete folder:a')).toBe(true);
  expect(await can('ann folder:delete folder:b')).toBe(false);
  expect(await can('ann folder:read folder:c')).toBe(true);
  expect(await can('ann file:edit file:x')).toBe(true);
});

it.for(engines)('a role comes down 32 levels, and 50 where they are allowed, on $name', async (engine) => {
  await using opened = await engine.open();
  const chain = Array.from({ length: 50 }, (_, level) => `folder:${level + 1} < folder:${level}`);
  const can = await ask(opened.stores, chain, ['ann viewer folder:0']);
  expect(await can('ann folder:read folder:32')).toBe(true);
  expect(await can('ann folder:read folder:50')).toBe(true);
  expect(await can('ben folder:read folder:50')).toBe(false);
});

it.for(engines)('edges between types that inherit nothing carry nothing on $name', async (engine) => {
  await using opened = await engine.open();
  const can = await ask(
    opened.stores,
    ['drive:d < folder:f', 'file:x < drive:e'],
    ['ann owner folder:f', 'ann owner drive:e'],
  );
  expect(await can('ann file:read file:x')).toBe(false);
  expect(await can('ann folder:read drive:d')).toBe(false);
  expect(await can('ann folder:read drive:e')).toBe(true);
});
