import type { UserId } from '@x/store';
import { expect, it } from 'vitest';
import { engines } from '../testing/engines.ts';
import { tracker } from '../testing/tracker.ts';
import { createAccessAdmin } from './create-access-admin.ts';

const operator = { by: 'root', tenantId: 'o' };
const project = { type: 'project', id: 'p' } as const;
const grant = { userId: 'ann', resource: project, role: 'viewer' } as const;
const page = { limit: 10, after: null };

it.for(engines)('assigns and revokes a role with an event on $name, and only once', async (engine) => {
  await using opened = await engine.open();
  const { roleAssignments, events } = opened.stores;
  const admin = createAccessAdmin({ definition: tracker, stores: opened.stores });
  expect(await admin.assign(grant, operator)).toBe(true);
  expect(await admin.assign(grant, operator)).toBe(false);
  expect(await roleAssignments.listByResource(project)).toEqual([grant]);
  expect(await roleAssignments.listGrantedBy('root' as UserId, 10)).toEqual([grant]);
  expect(await admin.revoke(grant, operator)).toBe(true);
  expect(await admin.revoke(grant, operator)).toBe(false);
  expect(await roleAssignments.listByResource(project)).toEqual([]);
  const { items } = await events.listByUser('ann' as UserId, page);
  expect(items.map(({ type }) => type).toSorted()).toEqual(['role.assigned', 'role.revoked']);
  for (const { tenantId, detail } of items) {
    expect({ tenantId, detail }).toEqual({ tenantId: 'o', detail: { resource: project, role: 'viewer', by: 'root' } });
  }
});

it.for(engines)('moves a resource with an event on $name, or not at all', async (engine) => {
  await using opened = await engine.open();
  const { hierarchy, events } = opened.stores;
  const admin = createAccessAdmin({ definition: tracker, stores: opened.stores, maxDepth: 2 });
  const [from, to] = [{ type: 'organization', id: 'a' } as const, { type: 'organization', id: 'b' } as const];
  await expect(admin.move(project, { from, to }, operator)).rejects.toMatchObject({ code: 'NOT_FOUND' });
  await hierarchy.attach({ child: project, parent: from });
  await admin.move(project, { from, to }, operator);
  expect(await hierarchy.hasPath(to, project)).toBe(true);
  expect(await hierarchy.hasPath(from, project)).toBe(false);
  // Two levels are allowed, and there are one below and two above.
  await hierarchy.attach({ child: { type: 'task', id: 't' }, parent: project });
  await hierarchy.attach({ child: from, parent: { type: 'group', id: 'g' } });
  await expect(admin.move(project, { from: to, to: from }, operator)).rejects.toMatchObject({ code: 'CONFLICT' });
  expect(await hierarchy.hasPath(to, project)).toBe(true);
  const { items } = await events.listByTenant('o', page);
  expect(items).toMatchObject([
    { type: 'resource.moved', userId: null, detail: { resource: project, from, to, by: 'root' } },
  ]);
});

it('refuses names that the definition does not define', async () => {
  const [engine = expect.unreachable()] = engines;
  await using opened = await engine.open();
  const admin = createAccessAdmin({ definition: tracker, stores: opened.stores });
  const task = { type: 'task', id: 't' } as const;
  for (const wrong of [
    { ...grant, role: 'editor' as 'viewer' },
    { ...grant, role: '__proto__' as 'viewer' },
    { ...grant, resource: { type: 'constructor' as 'project', id: 'p' } },
    { ...grant, resource: { type: 'project', id: 'p\0' } as const },
    { ...grant, userId: '\uD800' },
  ]) {
    await expect(admin.assign(wrong, operator)).rejects.toMatchObject({ code: 'VALIDATION_FAILED' });
    await expect(admin.revoke(wrong, operator)).rejects.toMatchObject({ code: 'VALIDATION_FAILED' });
  }
  const ends = { from: project, to: { type: 'organization', id: 'o' } as const };
  await expect(admin.move(task, ends, operator)).rejects.toMatchObject({ code: 'VALIDATION_FAILED' });
  const nowhere = { from: project, to: { type: 'project', id: '\0' } as const };
  await expect(admin.move(task, nowhere, operator)).rejects.toMatchObject({ code: 'VALIDATION_FAILED' });
});

it("a change of a user's roles leaves the user's JWTs as they are", async () => {
  const [engine = expect.unreachable()] = engines;
  await using opened = await engine.open();
  const { stores } = opened;
  const userId = 'ann' as UserId;
  await stores.users.create({
    id: userId,
    email: 'ann@example.com',
    loginEmail: 'ann@example.com',
    emailVerified: true,
    emailProvenAt: null,
    passwordHash: null,
    role: 'user',
    tenantId: null,
    fields: {},
  });
  const id = '00000000-0000-4000-8000-000000000001' as Parameters<typeof stores.sessions.findById>[0];
  const terms = { maxActive: 50 };
  await stores.sessions.create(
    {
      id,
      userId,
      refreshTokenHash: `${id}.hash`,
      refreshSalt: 'salt',
      ipAddress: null,
      userAgent: null,
      secondFactorAt: null,
      authenticatedAt: new Date(0),
      authenticatedBy: 'password',
      expiresAt: new Date('2027-01-01T00:00:00.000Z'),
    },
    terms,
  );
  const admin = createAccessAdmin({ definition: tracker, stores });
  expect(await admin.assign(grant, operator)).toBe(true);
  expect(await admin.revoke(grant, operator)).toBe(true);
  expect(await stores.sessions.findById(id)).toMatchObject({ ver: 0 });
});
