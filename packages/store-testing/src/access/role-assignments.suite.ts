import type {
  GrantedRoles,
  RoleAssignment,
  RolesOfType,
  TransactionStores,
  UserGrant,
  UserId,
  UserRole,
} from '@x/store';
import { describe, expect } from 'vitest';
import { awkwardTexts } from '../awkward-values.ts';
import { concurrently, times } from '../concurrently.ts';
import { expectRolledBack } from '../in-transaction.ts';
import type { StoreTest } from '../store-test.ts';
import { describeGrantedResources } from './granted-resources.suite.ts';
import { toName, toResource } from './naive-hierarchy.ts';
import { describeRoleLookups } from './role-lookups.suite.ts';

/** Describes what every role-assignment store does. */
export function describeRoleAssignments(it: StoreTest): void {
  describe('role assignments', () => {
    describeAssigning(it);
    describeListsOfUsers(it);
    describeGrantors(it);
    describePaths(it);
    describeKinds(it);
    describeGrantedResources(it);
    describeRoleLookups(it);
  });
}

const assign = (stores: TransactionStores, userId: UserId, name: string, role: string): Promise<boolean> =>
  stores.roleAssignments.assign({ userId, resource: toResource(name), role });

const rolesOf = (assignments: readonly RoleAssignment[]): readonly string[] =>
  assignments.map(({ resource, role }) => `${toName(resource)}#${role}`).toSorted();

function describeAssigning(it: StoreTest): void {
  it('are listed once, for their user and for their resource', async ({ stores, records }) => {
    const userId = records.userId();
    const assignment = { userId, resource: { type: 'project', id: '1' }, role: 'manager' };
    expect(await stores.roleAssignments.assign(assignment)).toBe(true);
    expect(await stores.roleAssignments.assign(assignment)).toBe(false);
    expect(await stores.roleAssignments.listByUser(userId)).toEqual([assignment]);
    expect(await stores.roleAssignments.listByResource(assignment.resource)).toEqual([assignment]);
  });

  it('are revoked without affecting others', async ({ stores, records }) => {
    const [userId, otherId] = [records.userId(), records.userId()];
    for (const id of [userId, otherId]) {
      for (const role of ['manager', 'viewer']) await assign(stores, id, 'project:1', role);
    }
    const resource = toResource('project:1');
    expect(await stores.roleAssignments.revoke({ userId, resource, role: 'manager' })).toBe(true);
    expect(await stores.roleAssignments.revoke({ userId, resource, role: 'manager' })).toBe(false);
    expect(rolesOf(await stores.roleAssignments.listByUser(userId))).toEqual(['project:1#viewer']);
    expect(rolesOf(await stores.roleAssignments.listByUser(otherId))).toEqual([
      'project:1#manager',
      'project:1#viewer',
    ]);
    expect(await stores.roleAssignments.listByResource(resource)).toHaveLength(3);
  });

  it('tell users, types, ids and roles apart by code points alone', async ({ stores, records }) => {
    const userId = records.userId();
    for (const text of awkwardTexts) await assign(stores, userId, 'x:1', text);
    for (const text of awkwardTexts) {
      await stores.roleAssignments.assign({ userId, resource: { type: text, id: text }, role: 'r' });
    }
    const listed = await stores.roleAssignments.listByResource({ type: 'x', id: '1' });
    expect(listed.map(({ role }) => role).toSorted()).toEqual(awkwardTexts.toSorted());
    for (const text of awkwardTexts) {
      const resource = { type: text, id: text };
      expect(await stores.roleAssignments.listByResource(resource)).toEqual([{ userId, resource, role: 'r' }]);
      const [path] = await stores.roleAssignments.readPaths(userId, [resource]);
      expect(path).toMatchObject({ resource, roles: ['r'] });
    }
  });

  it('are the same in every list after a change was rolled back', async ({ stores, records }) => {
    const userId = records.userId();
    await assign(stores, userId, 'x:1', 'kept');
    await expectRolledBack(stores, async (inside) => {
      await assign(inside, userId, 'x:1', 'added');
      await assign(inside, userId, 'x:2', 'added');
      await inside.roleAssignments.revoke({ userId, resource: toResource('x:1'), role: 'kept' });
      expect(rolesOf(await inside.roleAssignments.listByUser(userId))).toEqual(['x:1#added', 'x:2#added']);
    });
    expect(rolesOf(await stores.roleAssignments.listByUser(userId))).toEqual(['x:1#kept']);
    expect(rolesOf(await stores.roleAssignments.listByResource(toResource('x:2')))).toEqual([]);
  });

  it('are in every list once they are committed', async ({ stores, records, processes }) => {
    const userId = records.userId();
    await assign(stores, userId, 'x:1', 'old');
    await stores.transaction(async (inside) => {
      await assign(inside, userId, 'x:2', 'new');
      await inside.roleAssignments.revoke({ userId, resource: toResource('x:1'), role: 'old' });
    });
    expect(rolesOf(await processes[0].roleAssignments.listByUser(userId))).toEqual(['x:2#new']);
    expect(await stores.roleAssignments.listByResource(toResource('x:1'))).toEqual([]);
  });
}

function describeListsOfUsers(it: StoreTest): void {
  it('of a user on one type are listed by the ids of the resources, in pages, and of one role', async ({
    stores,
    records,
    processes,
  }) => {
    const [userId, otherId] = [records.userId(), records.userId()];
    for (const name of ['x:b', 'x:a', 'x:c', 'y:a', 'x:B']) await assign(stores, userId, name, 'owner');
    for (const name of ['x:b', 'x:d']) await assign(stores, userId, name, 'member');
    await assign(stores, otherId, 'x:a', 'owner');
    const list = async (roles: Omit<RolesOfType, 'type'>): Promise<readonly string[]> =>
      (await processes[0].roleAssignments.listOfType(userId, { type: 'x', ...roles })).map(
        ({ resource, role }) => `${resource.id}#${role}`,
      );
    expect(await list({ limit: 10 })).toEqual(['B#owner', 'a#owner', 'b#member', 'b#owner', 'c#owner', 'd#member']);
    expect(await list({ role: 'owner', limit: 3 })).toEqual(['B#owner', 'a#owner', 'b#owner']);
    expect(await list({ role: 'owner', after: 'b', limit: 3 })).toEqual(['c#owner']);
    expect(await list({ after: 'b', limit: 1 })).toEqual(['c#owner']);
    expect(await list({ role: 'none', limit: 10 })).toEqual([]);
    expect(await list({ after: 'd', limit: 10 })).toEqual([]);
  });

  it('of a user on a resource and below it are listed without those elsewhere', async ({ stores, records }) => {
    const [userId, otherId] = [records.userId(), records.userId()];
    await stores.hierarchy.attach({ child: toResource('x:project'), parent: toResource('x:org') });
    await stores.hierarchy.attach({ child: toResource('x:task'), parent: toResource('x:project') });
    await stores.hierarchy.attach({ child: toResource('x:org'), parent: toResource('x:top') });
    for (const name of ['x:top', 'x:org', 'x:task', 'x:elsewhere']) await assign(stores, userId, name, 'viewer');
    await assign(stores, userId, 'x:task', 'editor');
    await assign(stores, otherId, 'x:project', 'viewer');
    const within = (limit: number) => stores.roleAssignments.listWithin(toResource('x:org'), { userId, limit });
    expect(rolesOf(await within(10))).toEqual(['x:org#viewer', 'x:task#editor', 'x:task#viewer']);
    expect(await within(2)).toHaveLength(2);
    expect(await stores.roleAssignments.listWithin(toResource('y:org'), { userId, limit: 10 })).toEqual([]);
  });
}

/** Grants users roles on resources, and writes the roles and their givers as texts. */
function grantsOf({ roleAssignments }: TransactionStores) {
  const names = new Map<UserId, string>();
  return {
    grant: (by: UserId | null, [userId, name]: readonly [userId: UserId, name: string], text: string) => {
      const [place = '', role = ''] = text.split('#');
      names.set(userId, name);
      return roleAssignments.assign({ userId, resource: toResource(place), role }, { by });
    },
    toTexts: (assignments: readonly RoleAssignment[]): readonly string[] =>
      assignments
        .map(({ userId, resource, role }) => `${userId && names.get(userId)} ${toName(resource)}#${role}`)
        .toSorted(),
  };
}

function describeGrantors(it: StoreTest): void {
  it('are listed, a number at a time, with everything else that their grantor gave others', async ({
    stores,
    records,
    processes,
  }) => {
    const [eve, ann, bob] = [records.userId(), records.userId(), records.userId()];
    const { grant, toTexts } = grantsOf(stores);
    await grant(eve, [eve, 'eve'], 'x:1#owner');
    await grant(eve, [ann, 'ann'], 'x:1#viewer');
    await grant(bob, [ann, 'ann'], 'x:1#editor');
    await grant(eve, [bob, 'bob'], 'x:2#viewer');
    await grant(null, [bob, 'bob'], 'x:2#editor');
    await grant(ann, [bob, 'bob'], 'x:3#viewer');
    const [other] = processes;
    const granted = ['ann x:1#viewer', 'bob x:2#viewer'];
    expect(toTexts(await other.roleAssignments.listGrantedBy(eve, 10))).toEqual(granted);
    const [first] = await other.roleAssignments.listGrantedBy(eve, 1);
    if (!first) throw new TypeError('Nothing is listed.');
    await stores.roleAssignments.revoke(first);
    const [second, ...more] = await other.roleAssignments.listGrantedBy(eve, 1);
    if (!second) throw new TypeError('Nothing is left.');
    expect([toTexts([first, second]), more]).toEqual([granted, []]);
    await stores.roleAssignments.revoke(second);
    expect(await stores.roleAssignments.listGrantedBy(eve, 10)).toEqual([]);
  });

  it('keep the first giver when another user assigns them again', async ({ stores, records }) => {
    const [eve, ann, bob] = [records.userId(), records.userId(), records.userId()];
    const { grant, toTexts } = grantsOf(stores);
    expect(await grant(null, [bob, 'bob'], 'x:1#viewer')).toBe(true);
    expect(await grant(eve, [bob, 'bob'], 'x:1#viewer')).toBe(false);
    expect(await grant(eve, [bob, 'bob'], 'x:2#viewer')).toBe(true);
    expect(await grant(ann, [bob, 'bob'], 'x:2#viewer')).toBe(false);
    expect(toTexts(await stores.roleAssignments.listGrantedBy(eve, 10))).toEqual(['bob x:2#viewer']);
    expect(toTexts(await stores.roleAssignments.listGrantedBy(ann, 10))).toEqual([]);
    await stores.roleAssignments.revoke({ userId: bob, resource: toResource('x:2'), role: 'viewer' });
    expect(await grant(ann, [bob, 'bob'], 'x:2#viewer')).toBe(true);
    expect(toTexts(await stores.roleAssignments.listGrantedBy(eve, 10))).toEqual([]);
    expect(toTexts(await stores.roleAssignments.listGrantedBy(ann, 10))).toEqual(['bob x:2#viewer']);
  });

  it('have no grantor any more once they are gone in another way', async ({ stores, records }) => {
    const eve = records.userId();
    const ann = await stores.users.create(records.user());
    if (!ann) throw new TypeError('The user was not created.');
    const { grant } = grantsOf(stores);
    await grant(eve, [ann.id, 'ann'], 'x:1#viewer');
    await grant(eve, [records.userId(), 'bob'], 'x:2#viewer');
    await stores.users.delete(ann.id);
    await stores.hierarchy.removeSubtree(toResource('x:2'));
    expect(await stores.roleAssignments.listGrantedBy(eve, 10)).toEqual([]);
  });

  it('are listed for all others on resources, and on everything below them if that is asked for', async ({
    stores,
    records,
    processes,
  }) => {
    const [eve, ann, bob] = [records.userId(), records.userId(), records.userId()];
    const { grant, toTexts } = grantsOf(stores);
    for (const [child, parent] of [
      ['x:project', 'x:org'],
      ['x:task', 'x:project'],
      ['x:task', 'x:elsewhere'],
      ['x:org', 'x:top'],
    ] as const) {
      await stores.hierarchy.attach({ child: toResource(child), parent: toResource(parent) });
    }
    for (const place of ['top', 'org', 'project', 'task', 'elsewhere']) {
      for (const who of [[eve, 'eve'] as const, [ann, 'ann'] as const]) await grant(bob, who, `x:${place}#viewer`);
    }
    await grant(ann, [bob, 'bob'], 'x:task#editor');
    const resources = ['x:org', 'x:task', 'y:org', 'x:none'].map(toResource);
    const others = ['ann x:org#viewer', 'ann x:project#viewer', 'ann x:task#viewer', 'bob x:task#editor'];
    const { roleAssignments } = processes[0];
    expect(toTexts(await roleAssignments.listOthers(eve, { resources, isBelow: true, limit: 10 }))).toEqual(others);
    expect(await roleAssignments.listOthers(eve, { resources, isBelow: true, limit: 3 })).toHaveLength(3);
    const direct = ['ann x:org#viewer', 'ann x:task#viewer', 'bob x:task#editor'];
    expect(toTexts(await roleAssignments.listOthers(eve, { resources, isBelow: false, limit: 10 }))).toEqual(direct);
    expect(await roleAssignments.listOthers(eve, { resources: [], isBelow: true, limit: 10 })).toEqual([]);
  });

  it('are listed within a resource with who granted them and when', async ({ stores, records, clock }) => {
    const [eve, ann, bob] = [records.userId(), records.userId(), records.userId()];
    const { grant } = grantsOf(stores);
    await stores.hierarchy.attach({ child: toResource('x:project'), parent: toResource('x:org') });
    const first = clock.now();
    await grant(eve, [ann, 'ann'], 'x:org#viewer');
    clock.advance(1000);
    await grant(eve, [bob, 'bob'], 'x:project#viewer');
    await grant(eve, [eve, 'eve'], 'x:project#viewer');
    await grant(eve, [ann, 'ann'], 'x:elsewhere#viewer');
    await grant(ann, [bob, 'bob'], 'x:project#editor');
    const top = toResource('x:org');
    const granted = await stores.roleAssignments.listWithin(top, { grantedBy: eve, limit: 10 });
    expect(granted.toSorted((a, b) => a.grantedAt.getTime() - b.grantedAt.getTime())).toEqual([
      { userId: ann, resource: top, role: 'viewer', grantedBy: eve, grantedAt: first },
      { userId: bob, resource: toResource('x:project'), role: 'viewer', grantedBy: eve, grantedAt: clock.now() },
    ]);
    expect(await stores.roleAssignments.listWithin(top, { grantedBy: eve, limit: 1 })).toHaveLength(1);
  });

  it('are listed below a resource in one order, a page at a time, without those of groups', async ({
    stores,
    records,
  }) => {
    const [ann, bob] = [records.userId(), records.userId()].toSorted() as [UserId, UserId];
    const { grant, toTexts } = grantsOf(stores);
    for (const [child, parent] of [
      ['x:a', 'x:org'],
      ['x:b', 'x:org'],
      ['x:c', 'x:a'],
      ['x:c', 'x:b'],
    ] as const) {
      await stores.hierarchy.attach({ child: toResource(child), parent: toResource(parent) });
    }
    for (const text of ['x:org#viewer', 'x:c#viewer', 'x:c#editor', 'x:a#viewer'])
      await grant(null, [ann, 'ann'], text);
    await grant(ann, [bob, 'bob'], 'x:b#viewer');
    await stores.roleAssignments.assign({ groupId: 'all', resource: toResource('x:a'), role: 'viewer' });
    const pages: (readonly string[])[] = [];
    let after: UserRole | null = null;
    do {
      const page: readonly UserGrant[] = await stores.roleAssignments.listBelow(toResource('x:org'), {
        after,
        limit: 2,
      });
      pages.push(toTexts(page));
      after = page.at(-1) ?? null;
    } while (after !== null);
    expect(pages).toEqual([['ann x:a#viewer', 'ann x:c#editor'], ['ann x:c#viewer', 'bob x:b#viewer'], []]);
    expect(await stores.roleAssignments.listBelow(toResource('y:org'), { after: null, limit: 2 })).toEqual([]);
  });

  it('are granted as before after a revocation was rolled back', async ({ stores, records }) => {
    const [eve, ann] = [records.userId(), records.userId()];
    const { grant, toTexts } = grantsOf(stores);
    await grant(eve, [ann, 'ann'], 'x:1#viewer');
    await expectRolledBack(stores, async (inside) => {
      await inside.roleAssignments.revoke({ userId: ann, resource: toResource('x:1'), role: 'viewer' });
      await inside.roleAssignments.assign({ userId: ann, resource: toResource('x:2'), role: 'viewer' }, { by: eve });
      expect(toTexts(await inside.roleAssignments.listGrantedBy(eve, 10))).toEqual(['ann x:2#viewer']);
    });
    expect(toTexts(await stores.roleAssignments.listGrantedBy(eve, 10))).toEqual(['ann x:1#viewer']);
  });
}

/** Writes the roles on all paths as `resource[roles](parents)`, sorted. */
function toText({ resource, roles, parents }: GrantedRoles): string {
  return `${toName(resource)}[${roles.toSorted().join()}](${parents.map(toText).toSorted().join(' ')})`;
}

function describePaths(it: StoreTest): void {
  it('read every parent on the paths up from a resource, with the roles there', async ({ stores, records }) => {
    const [userId, otherId] = [records.userId(), records.userId()];
    for (const [child, parent] of [
      ['f:doc', 'f:l'],
      ['f:doc', 'f:r'],
      ['f:l', 'f:top'],
      ['f:r', 'f:top'],
    ] as const) {
      await stores.hierarchy.attach({ child: toResource(child), parent: toResource(parent) });
    }
    await assign(stores, userId, 'f:top', 'owner');
    await assign(stores, userId, 'f:r', 'viewer');
    await assign(stores, userId, 'f:r', 'editor');
    await assign(stores, otherId, 'f:doc', 'owner');
    const [path] = await stores.roleAssignments.readPaths(userId, [toResource('f:doc')]);
    expect(path && toText(path)).toBe('f:doc[](f:l[](f:top[owner]()) f:r[editor,viewer](f:top[owner]()))');
    const tops = new Set(path?.parents.flatMap(({ parents }) => parents));
    expect(tops.size).toBe(1);
  });

  it('read the paths of many resources in their order, also of unknown and repeated ones', async ({
    stores,
    records,
  }) => {
    const userId = records.userId();
    await stores.hierarchy.attach({ child: toResource('task:1'), parent: toResource('project:1') });
    await assign(stores, userId, 'project:1', 'manager');
    const asked = ['task:1', 'task:none', 'project:1', 'task:1'].map(toResource);
    const paths = await stores.roleAssignments.readPaths(userId, asked);
    expect(paths.map(toText)).toEqual([
      'task:1[](project:1[manager]())',
      'task:none[]()',
      'project:1[manager]()',
      'task:1[](project:1[manager]())',
    ]);
    expect(await stores.roleAssignments.readPaths(userId, [])).toEqual([]);
  });

  it('read the paths of many resources of any types and names as they do for each', async ({ stores, records }) => {
    const userId = records.userId();
    const names = ['1', '', ' ', '"', '\\', '{}', '[",]', 'null', 'NULL', "it's", 'ü🜂', '$1', '%'];
    const [top, side] = [toResource('organization:top'), toResource('organization:side')];
    for (const [index, name] of names.entries()) {
      const [project, task] = [toResource(`project:${name}`), toResource(`task:${name}`)];
      await stores.hierarchy.attach({ child: project, parent: top });
      if (index % 2 === 0) await stores.hierarchy.attach({ child: project, parent: side });
      await stores.hierarchy.attach({ child: task, parent: project });
      if (index % 3 === 0)
        await stores.hierarchy.attach({ child: task, parent: toResource(`project:${names[index + 1] ?? ''}`) });
      if (index % 4 === 0) await assign(stores, userId, `task:${name}`, 'editor');
      await assign(stores, userId, `project:${name}`, `role ${name}`);
    }
    await assign(stores, userId, 'organization:side', 'owner');
    await assign(stores, userId, 'organization:side', 'member');
    await assign(stores, records.userId(), 'organization:top', 'owner');
    const ofTypes = ['task', 'project', 'organization', 'none'].map((type) =>
      [...names, 'top', 'side'].map((name) => toResource(`${type}:${name}`)),
    );
    for (const asked of [...ofTypes, ofTypes.flat(), ofTypes.flat().toReversed()]) {
      const each = await Promise.all(asked.map((one) => stores.roleAssignments.readPaths(userId, [one])));
      const paths = await stores.roleAssignments.readPaths(userId, asked);
      expect(paths.map(toText)).toEqual(each.flat().map(toText));
    }
  });

  it('read the paths of more resources than a statement has parameters', async ({ stores, records }) => {
    const userId = records.userId();
    await assign(stores, userId, 'project:1', 'viewer');
    const asked = Array.from({ length: 40_000 }, (_, index) => toResource(`task:${index}`));
    await stores.transaction(async (inside) => {
      for (const task of asked.slice(0, 40))
        await inside.hierarchy.attach({ child: task, parent: toResource('project:1') });
    });
    const paths = await stores.roleAssignments.readPaths(userId, asked);
    expect(paths.filter(({ parents }) => parents.some(({ roles }) => roles.includes('viewer')))).toHaveLength(40);
  });

  it('show a transaction its own edges and roles', async ({ stores, records }) => {
    const userId = records.userId();
    await assign(stores, userId, 'a:old', 'r');
    await stores.hierarchy.attach({ child: toResource('b:1'), parent: toResource('a:old') });
    await stores.transaction(async (inside) => {
      await inside.hierarchy.move(toResource('b:1'), { from: toResource('a:old'), to: toResource('a:new') });
      await assign(inside, userId, 'a:new', 'r2');
      const [path] = await inside.roleAssignments.readPaths(userId, [toResource('b:1')]);
      expect(path && toText(path)).toBe('b:1[](a:new[r2]())');
    });
    const [path] = await stores.roleAssignments.readPaths(userId, [toResource('b:1')]);
    expect(path && toText(path)).toBe('b:1[](a:new[r2]())');
  });
}

function describeKinds(it: StoreTest): void {
  it('find the kinds of roles that the user has anywhere', async ({ stores, records }) => {
    const [userId, otherId] = [records.userId(), records.userId()];
    await assign(stores, userId, 'project:1', 'manager');
    await assign(stores, userId, 'project:2', 'manager');
    await assign(stores, otherId, 'task:1', 'editor');
    const manager = { type: 'project', role: 'manager' };
    const kinds = [{ type: 'task', role: 'editor' }, manager, { type: 'project', role: 'viewer' }];
    expect(await stores.roleAssignments.findKinds(userId, kinds)).toEqual([manager]);
    expect(await stores.roleAssignments.findKinds(userId, [])).toEqual([]);
  });
}

/** Describes what is guaranteed while several processes assign and revoke at once. */
export function describeRoleAssignmentRaces(it: StoreTest): void {
  it('reports exactly one of 100 concurrent assignments of a role as new', async ({ stores, records, processes }) => {
    const assignment = { userId: records.userId(), resource: toResource('x:1'), role: 'r' };
    const news = await concurrently(processes, times(100), (each) => each.roleAssignments.assign(assignment));
    expect(news.filter(Boolean)).toHaveLength(1);
    const gone = await concurrently(processes, times(100), (each) => each.roleAssignments.revoke(assignment));
    expect(gone.filter(Boolean)).toHaveLength(1);
    expect(await stores.roleAssignments.listByUser(assignment.userId)).toEqual([]);
  });
}
