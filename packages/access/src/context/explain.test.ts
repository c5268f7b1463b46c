import type { UserId } from '@x/store';
import { expect, it } from 'vitest';
import { engines } from '../testing/engines.ts';
import { tracker } from '../testing/tracker.ts';
import { createAccessContext } from './access-context.ts';

const [organization, other, project, task] = [
  { type: 'organization', id: 'o' },
  { type: 'organization', id: 'other' },
  { type: 'project', id: 'p' },
  { type: 'task', id: 't' },
] as const;

it.for(engines)('a trace on $name contains the assignment and each step of the path', async (engine) => {
  await using opened = await engine.open();
  const { roleAssignments, hierarchy, flags } = opened.stores;
  await hierarchy.attach({ child: project, parent: organization });
  await hierarchy.attach({ child: project, parent: other });
  await hierarchy.attach({ child: task, parent: project });
  const userId = 'ann' as UserId;
  await roleAssignments.assign({ userId, resource: organization, role: 'owner' });
  await roleAssignments.assign({ userId, resource: organization, role: 'member' });
  await roleAssignments.assign({ userId, resource: task, role: 'viewer' });
  await flags.set({ tenantId: null, name: 'beta' }, false);
  const access = createAccessContext({
    userId,
    definition: tracker,
    roleStore: roleAssignments,
    closureStore: hierarchy,
    flagStore: flags,
    orgResolver: () => organization,
  });
  expect(await access.explain('task:update', task)).toEqual({
    allowed: true,
    reasons: [],
    entitlement: 'task:update',
    resource: task,
    flags: {},
    plans: null,
    limits: [],
    ancestors: [
      { resource: project, depth: 1 },
      { resource: organization, depth: 2 },
      { resource: other, depth: 2 },
    ],
    rolePaths: [
      { role: 'viewer', isEnough: false, steps: [{ resource: task, role: 'viewer' }] },
      {
        role: 'viewer',
        isEnough: false,
        steps: [
          { resource: organization, role: 'member' },
          { resource: project, role: 'viewer' },
          { resource: task, role: 'viewer' },
        ],
      },
      {
        role: 'editor',
        isEnough: true,
        steps: [
          { resource: organization, role: 'owner' },
          { resource: project, role: 'manager' },
          { resource: task, role: 'editor' },
        ],
      },
    ],
  });
  expect(await access.explain('project:beta', project)).toMatchObject({
    allowed: false,
    reason: 'flag_disabled',
    flags: { beta: false, gamma: null },
  });
  expect(await access.explain('task:none' as 'task:read', task)).toMatchObject({
    allowed: false,
    rolePaths: [],
    ancestors: [],
  });
});

it.for(engines)('role paths through a mesh of many parents on $name are bounded', async (engine) => {
  await using opened = await engine.open();
  const { stores } = opened;
  const { defineAccess } = await import('../definition/define-access.ts');
  const nested = defineAccess({
    entities: {
      folder: { roles: ['owner', 'viewer'], inherits: { 'folder:owner': 'viewer', 'folder:viewer': 'viewer' } },
    },
    entitlements: { 'folder:read': { roles: ['viewer'] } },
  });
  const folder = (level: number, side: number) => ({ type: 'folder', id: `${level}/${side}` }) as const;
  await stores.transaction(async ({ hierarchy }) => {
    for (let level = 1; level <= 20; level += 1) {
      for (const side of [0, 1]) {
        for (const above of [0, 1])
          await hierarchy.attach({ child: folder(level, side), parent: folder(level - 1, above) });
      }
    }
  });
  const userId = 'ann' as UserId;
  await stores.roleAssignments.assign({ userId, resource: folder(0, 0), role: 'owner' });
  const access = createAccessContext({
    userId,
    definition: nested,
    roleStore: stores.roleAssignments,
    closureStore: stores.hierarchy,
    orgResolver: () => null,
  });
  // A million paths lead up from here.
  const trace = await access.explain('folder:read', folder(20, 1));
  expect(trace.allowed).toBe(true);
  expect(trace.rolePaths).toHaveLength(1);
  expect(trace.rolePaths[0]?.steps).toHaveLength(21);
});
