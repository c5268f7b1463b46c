import type { UserId } from '@x/store';
import { expect, it } from 'vitest';
import { createAccessContext } from '../context/access-context.ts';
import { engines } from '../testing/engines.ts';
import { recordSources } from '../testing/recording-stores.ts';
import { tracker } from '../testing/tracker.ts';
import { createAccessAdmin } from './create-access-admin.ts';

const operator = { by: 'root', tenantId: 'acme' };
const project = { type: 'project', id: 'p' } as const;
const inEngineering = { tenantId: 'acme', groupId: 'eng', member: { userId: 'ann' } };
const page = { limit: 10, after: null };

it.for(engines)('a role of a group is one of its members on $name, at no further call', async (engine) => {
  await using opened = await engine.open();
  const { stores } = opened;
  const admin = createAccessAdmin({ definition: tracker, stores });
  const open = () => {
    const sources = recordSources(stores);
    return {
      sources,
      access: createAccessContext({ ...sources, userId: 'ann', definition: tracker, orgResolver: () => null }),
    };
  };
  await stores.hierarchy.attach({ child: { type: 'task', id: 't' }, parent: project });
  expect(await admin.assign({ groupId: 'all', resource: project, role: 'manager' }, operator)).toBe(true);
  expect(await open().access.can('project:update', project)).toBe(false);
  expect(await admin.addMember(inEngineering, operator)).toBe(true);
  expect(await admin.addMember(inEngineering, operator)).toBe(false);
  await admin.addMember({ tenantId: 'acme', groupId: 'all', member: { groupId: 'eng' } }, operator);
  const { sources, access } = open();
  expect(await access.can('task:update', { type: 'task', id: 't' })).toBe(true);
  expect(sources.calls).toEqual(['readPaths']);
  const { rolePaths } = await access.explain('task:update', { type: 'task', id: 't' });
  const steps = [
    { resource: project, role: 'manager', groupId: 'all' },
    { resource: { type: 'task', id: 't' }, role: 'editor' },
  ];
  expect(rolePaths).toEqual([{ steps, role: 'editor', isEnough: true }]);
  await admin.leaveGroups('ann', 'acme', operator);
  expect((await open().access.check('project:update', project)).reasons).toEqual(['role_required']);
});

it.for(engines)('changes of groups on $name are logged once for the tenant', async (engine) => {
  await using opened = await engine.open();
  const { stores } = opened;
  const admin = createAccessAdmin({ definition: tracker, stores });
  await admin.addMember(inEngineering, operator);
  await admin.addMember(inEngineering, operator);
  expect(await admin.removeMember(inEngineering, operator)).toBe(true);
  expect(await admin.removeMember(inEngineering, operator)).toBe(false);
  await admin.addMember({ ...inEngineering, member: { groupId: 'web' } }, operator);
  await admin.assign({ groupId: 'web', resource: project, role: 'viewer' }, operator);
  expect(await admin.deleteGroup({ tenantId: 'acme', groupId: 'web' }, operator)).toBe(true);
  expect(await admin.deleteGroup({ tenantId: 'acme', groupId: 'web' }, operator)).toBe(false);
  const { items } = await stores.events.listByTenant('acme', page);
  const texts = items.map(({ type, userId, detail }) => `${type} ${userId} ${JSON.stringify(detail)}`);
  expect(texts.toSorted()).toEqual([
    'group.deleted null {"groupId":"web","by":"root"}',
    'group.member_added ann {"groupId":"eng","by":"root"}',
    'group.member_added null {"groupId":"eng","member":{"groupId":"web"},"by":"root"}',
    'group.member_removed ann {"groupId":"eng","by":"root"}',
    `role.assigned null {"groupId":"web","resource":{"type":"project","id":"p"},"role":"viewer","by":"root"}`,
    `role.revoked null {"groupId":"web","resource":{"type":"project","id":"p"},"role":"viewer","by":"root"}`,
  ]);
  expect(await stores.roleAssignments.listByUser('ann' as UserId)).toEqual([]);
});

it('groups that would be in themselves, too deep or of another tenant are a conflict', async () => {
  const [engine = expect.unreachable()] = engines;
  await using opened = await engine.open();
  const admin = createAccessAdmin({ definition: tracker, stores: opened.stores });
  await admin.addMember({ ...inEngineering, member: { groupId: 'g0' } }, operator);
  for (let at = 0; at < 7; at += 1) {
    await admin.addMember({ tenantId: 'acme', groupId: `g${at}`, member: { groupId: `g${at + 1}` } }, operator);
  }
  for (const [groupId, member, tenantId = 'acme'] of [
    ['g7', { groupId: 'eng' }],
    ['g7', { groupId: 'g8' }],
    ['eng', { userId: 'ann' }, 'other'],
  ] as const) {
    await expect(admin.addMember({ tenantId, groupId, member }, operator)).rejects.toMatchObject({ code: 'CONFLICT' });
  }
  for (const member of [{}, { userId: 'ann', groupId: 'web' }, { userId: 'a\0' }, { groupId: '\ud800' }]) {
    const membership = { ...inEngineering, member: member as { userId: string } };
    await expect(admin.addMember(membership, operator)).rejects.toMatchObject({ code: 'VALIDATION_FAILED' });
    const grant = { ...(member as { userId: string }), resource: project, role: 'viewer' } as const;
    await expect(admin.assign(grant, operator)).rejects.toMatchObject({ code: 'VALIDATION_FAILED' });
  }
});
