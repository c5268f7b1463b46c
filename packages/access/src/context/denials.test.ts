import type { UserId } from '@x/store';
import { none } from '@x/store/where';
import { createMemoryStores } from '@x/store-memory';
import { expect, it } from 'vitest';
import { AuthorizationError } from '../outcome/authorization-error.ts';
import { defineAccess } from '../definition/define-access.ts';
import { rules } from '../rule/rules.ts';
import { tracker } from '../testing/tracker.ts';
import { type AccessContext, type AccessContextOptions, createAccessContext } from './access-context.ts';

const stores = createMemoryStores({ clock: { now: () => new Date(0) } });

function open(overrides: Partial<AccessContextOptions> = {}): AccessContext {
  return createAccessContext({
    userId: 'ann',
    definition: tracker,
    roleStore: stores.roleAssignments,
    closureStore: stores.hierarchy,
    orgResolver: () => ({ type: 'organization', id: 'o' }),
    ...overrides,
  });
}

const project = { type: 'project', id: 'p' };
const foreign = { type: 'project', id: 'foreign' };

await stores.hierarchy.attach({ child: project, parent: { type: 'organization', id: 'o' } });
await stores.hierarchy.attach({ child: { type: 'task', id: 't' }, parent: project });
await stores.roleAssignments.assign({ userId: 'ann' as UserId, resource: project, role: 'viewer' });
await stores.roleAssignments.assign({
  userId: 'ann' as UserId,
  resource: { type: 'organization', id: 'o' },
  role: 'member',
});

/** Names that objects have by themselves, names that are not defined, and values that are no names. */
const hostileNames = [
  '__proto__',
  'constructor',
  'toString',
  '',
  ':',
  'project:',
  ':read',
  'Project:read',
  'project:read ',
];

it('undefined names are denied, and throw nowhere but in `authorize`', async () => {
  const access = open();
  for (const name of [...hostileNames, undefined, null, 7, {}, ['project:read']] as string[]) {
    expect(await access.can(name, project)).toBe(false);
    expect(await access.check(name, project)).toEqual({
      allowed: false,
      reasons: ['role_required'],
      reason: 'role_required',
    });
    expect(await access.filter(name, { type: 'project' })).toEqual(none);
    await expect(access.authorize(name, project)).rejects.toThrow(AuthorizationError);
  }
  for (const type of [...hostileNames, undefined, null, 7, {}] as string[]) {
    expect(await access.can('project:read', { type, id: 'p' })).toBe(false);
    expect(await access.can('report:any', { type, id: 'p' })).toBe(false);
    expect(await access.filter('project:read', { type })).toEqual(none);
  }
});

it('an id that no store can contain is denied without a store call', async () => {
  const never = () => expect.unreachable();
  const unasked = { readPaths: never, findKinds: never, listAssigned: never, listGranted: never, listGrantees: never };
  const access = open({ roleStore: unasked });
  for (const id of ['\0', 'p\0', '\uD800', undefined, null, 7, {}] as string[]) {
    expect(await access.can('project:read', { type: 'project', id })).toBe(false);
    expect((await access.check('project:read', { type: 'project', id })).allowed).toBe(false);
  }
});

it.for([null, undefined, 'ann\0', '\uD800'])(
  'a caller with the id %j is anonymous and may do nothing',
  async (userId) => {
    const never = () => expect.unreachable();
    const unasked = {
      readPaths: never,
      findKinds: never,
      listAssigned: never,
      listGranted: never,
      listGrantees: never,
    };
    const access = open({ userId, roleStore: unasked });
    expect(access.userId).toBeNull();
    const denied = { allowed: false, reasons: ['not_authenticated'], reason: 'not_authenticated' };
    for (const name of ['project:read', 'report:any', '__proto__']) {
      expect(await access.can(name, project)).toBe(false);
      expect(await access.check(name, project)).toEqual(denied);
      expect((await access.canAll([{ entitlement: name, resource: project }])).can(name, project)).toBe(false);
      expect(await access.filter(name, { type: 'project' })).toEqual(none);
      const error = await access.authorize(name, project).catch((thrown: unknown) => thrown);
      expect(error).toMatchObject({ code: 'UNAUTHENTICATED', entitlement: name, userId: undefined });
    }
  },
);

it('reasons distinguish a missing role from a role elsewhere, and list the sufficient roles', async () => {
  const access = open();
  expect(await access.check('project:read', project)).toEqual({ allowed: true, reasons: [] });
  expect(await access.check('project:update', project)).toEqual({
    allowed: false,
    reasons: ['role_required'],
    reason: 'role_required',
    meta: { requiredRoles: ['manager'] },
  });
  expect(await access.check('project:read', foreign)).toEqual({
    allowed: false,
    reasons: ['hierarchy_denied'],
    reason: 'hierarchy_denied',
    meta: { requiredRoles: ['manager', 'contributor', 'viewer'] },
  });
});

it('a user with a role on the resource is denied for lack of a role, with any roles elsewhere', async () => {
  const userId = 'bob' as UserId;
  await stores.roleAssignments.assign({ userId, resource: project, role: 'viewer' });
  await stores.roleAssignments.assign({ userId, resource: { type: 'project', id: 'q' }, role: 'manager' });
  const access = open({ userId });
  expect(await access.check('project:update', project)).toMatchObject({ reasons: ['role_required'] });
  expect(await access.check('project:update', foreign)).toMatchObject({ reasons: ['hierarchy_denied'] });
});

it('an entitlement checked on another type uses the roles there, mapped down', async () => {
  const access = open();
  const organization = { type: 'organization', id: 'o' };
  expect(await access.can('task:read', project)).toBe(true);
  expect(await access.can('task:update', project)).toBe(false);
  expect(await access.can('task:read', organization)).toBe(true);
  // Nothing that is held on a report or below can become a role on a task.
  expect(await access.check('task:read', { type: 'report', id: 'r' })).toMatchObject({ reasons: ['role_required'] });
  // And a role further down gives none further up.
  expect(await access.can('organization:read', project)).toBe(false);
});

it('without a resource, an entitlement is checked on the tenant', async () => {
  expect(await open().can('organization:read')).toBe(true);
  expect(await open().can('project:read')).toBe(true);
  expect(await open().can('organization:manage')).toBe(false);
  expect(await open({ orgResolver: () => 'o' }).can('organization:read')).toBe(false);
  expect(await open({ orgResolver: () => null }).can('organization:read')).toBe(false);
  expect(await open({ orgResolver: () => null }).can('report:any')).toBe(true);
});

it('an entitlement without roles needs nothing but a user', async () => {
  expect(await open({ userId: 'stranger' }).can('report:any', { type: 'report', id: 'any' })).toBe(true);
});

it('flags deny if there is a flag store, and deny nothing otherwise', async () => {
  expect(await open().can('project:beta', project)).toBe(true);
  const access = open({ flagStore: stores.flags });
  expect(await access.check('project:beta', project)).toEqual({
    allowed: false,
    reasons: ['flag_disabled'],
    reason: 'flag_disabled',
    meta: { disabledFlags: ['beta', 'gamma'] },
  });
  await stores.flags.set({ tenantId: 'o', name: 'beta' }, true);
  await stores.flags.set({ tenantId: null, name: 'gamma' }, true);
  expect(await open({ flagStore: stores.flags }).can('project:beta', project)).toBe(true);
  const elsewhere = open({ flagStore: stores.flags, orgResolver: () => 'other' });
  expect((await elsewhere.check('project:beta', project)).meta).toEqual({ disabledFlags: ['beta'] });
  const nowhere = open({ flagStore: stores.flags, orgResolver: () => null });
  expect(await nowhere.can('project:beta', project)).toBe(false);
});

it('an AuthorizationError carries the entitlement and the user, and no more in its message', async () => {
  const error: unknown = await open()
    .authorize('project:update', project)
    .catch((thrown: unknown) => thrown);
  expect(error).toBeInstanceOf(AuthorizationError);
  expect(error).toBeInstanceOf(Error);
  expect(error).toMatchObject({
    name: 'AuthorizationError',
    message: 'Not authorized: project:update',
    entitlement: 'project:update',
    userId: 'ann',
    code: 'FORBIDDEN',
    status: 403,
    extras: { reasons: ['role_required'], reason: 'role_required', meta: { requiredRoles: ['manager'] } },
  });
  await expect(open().authorize('project:read', project)).resolves.toBeUndefined();
});

it('names the condition that the record fails before the second factor, which would not help', async () => {
  const definition = defineAccess({
    entities: { project: { roles: ['viewer'] } },
    entitlements: {
      'project:sign': { roles: ['viewer'], rules: rules.all(rules.where({ ownerId: rules.user.id }), rules.fva(300)) },
    },
  });
  const access = open({ definition });
  expect(await access.check('project:sign', project, { ownerId: 'ben' })).toMatchObject({
    reasons: ['role_required', 'step_up_required'],
    reason: 'role_required',
  });
  const refused = access.authorize('project:sign', project, { ownerId: 'ben' });
  await expect(refused).rejects.toMatchObject({ code: 'FORBIDDEN' });
  const own = access.authorize('project:sign', project, { ownerId: 'ann' });
  await expect(own).rejects.toMatchObject({ code: 'STEP_UP_REQUIRED' });
});

it('`canAll` with several records of one resource allows what all of them do, in any order', async () => {
  const ruled = defineAccess({
    entities: { project: { roles: ['viewer'] } },
    entitlements: { 'project:own': { roles: ['viewer'], rules: rules.where({ ownerId: rules.user.id }) } },
  });
  const checks = ['ann', 'ben'].map((ownerId) => ({
    entitlement: 'project:own' as const,
    resource: project,
    row: { ownerId },
  }));
  for (const each of [checks, checks.toReversed()]) {
    expect((await open({ definition: ruled }).canAll(each)).can('project:own', project)).toBe(false);
  }
  expect((await open({ definition: ruled }).canAll(checks.slice(0, 1))).can('project:own', project)).toBe(true);
});

it('rules of an entitlement are enforced where a record is at hand, and deny where none is', async () => {
  const ruled = defineAccess({
    entities: { project: { roles: ['viewer'] } },
    entitlements: {
      'project:own': { roles: ['viewer'], rules: rules.where({ ownerId: rules.user.id }) },
      'project:secret': { roles: ['viewer'], rules: rules.fva(300) },
    },
  });
  const now = (): Date => new Date(1_000_000);
  const secondFactorAt = new Date(1_000_000 - 299_000);
  const access = open({ definition: ruled, now, session: { secondFactorAt } });
  expect(await access.can('project:own', project)).toBe(false);
  expect(await access.can('project:own', project, { ownerId: 'ann' })).toBe(true);
  expect(await access.can('project:own', project, { ownerId: 'ben' })).toBe(false);
  expect(await access.can('project:own', foreign, { ownerId: 'ann' })).toBe(false);
  expect(await access.can('project:secret', project, {})).toBe(true);
  expect(await access.can('project:secret', project)).toBe(false);
  const late = open({ definition: ruled, now });
  expect(await late.check('project:secret', project, {})).toEqual({
    allowed: false,
    reasons: ['step_up_required'],
    reason: 'step_up_required',
    meta: { maxAge: 300 },
  });
  await expect(late.authorize('project:secret', project, {})).rejects.toMatchObject({ code: 'STEP_UP_REQUIRED' });
  expect(await access.filter('project:own', { type: 'project' })).toMatchObject({
    type: 'and',
    operands: [{ type: 'granted' }, { type: 'compare', column: 'ownerId', value: 'ann' }],
  });
  expect(await access.can('project:own', project, {})).toBe(false);
});
