import {
  compareCodePoints,
  type GrantedRoles,
  type InheritanceRule,
  RequiredRoles,
  type Resource,
  type RoleAssignment,
  type Stores,
  type UserId,
} from '@x/store';
import { granted } from '@x/store/where';
import fc from 'fast-check';
import { expect } from 'vitest';
import { times } from '../concurrently.ts';
import { sampleTask } from '../entity/sample-entities.ts';
import type { StoreTest } from '../store-test.ts';
import { listGranted } from './granted-resources.suite.ts';
import { addAll, toHolder, toMembership } from './memberships.ts';
import { NaiveHierarchy, toName, toResource } from './naive-hierarchy.ts';

const inheritance = [rule('org:owner', 'project:manager'), rule('project:manager', 'task:editor')];

const [ann, ben, cat] = ['ann' as UserId, 'ben' as UserId, 'cat' as UserId];

/** Describes that everything that is asked about roles knows those of groups. */
export function describeGroupRoles(it: StoreTest): void {
  it('give their roles to everybody who is in them', async ({ stores }) => {
    await arrange(stores);
    const { roleAssignments } = stores;
    const [project, task] = [toResource('project:1'), toResource('task:1')];
    const [path] = await roleAssignments.readPaths(ann, [task]);
    expect(path && toText(path)).toBe('task:1[viewer](project:1[manager by eng](org:1[]()))');
    const [again, below] = await roleAssignments.readPaths(ann, [project, task]);
    expect(below && toText(below)).toBe(path && toText(path));
    const snapshot = await stores.tenantSnapshots?.read({ userId: ann, tenant: project, flags: [], limits: [] });
    expect(toText(snapshot?.granted ?? again ?? expect.unreachable())).toBe('project:1[manager by eng](org:1[]())');
    const kinds = ['task:viewer', 'project:manager', 'org:owner'].map((kind) => toKind(kind));
    expect(await roleAssignments.findKinds(ann, kinds)).toEqual(kinds.slice(0, 2));
    expect((await roleAssignments.listAssigned(ann, kinds)).map(toName).toSorted()).toEqual(['project:1', 'task:1']);
    expect(await roleAssignments.listAssigned(cat, kinds)).toEqual([]);
    expect(await roleAssignments.listAssigned(ann, [])).toEqual([]);
    const required = new RequiredRoles({ type: 'task', roles: ['editor'], inheritance });
    for (const [userId, isEditor] of [
      [ann, true],
      [ben, true],
      [cat, false],
    ] as const) {
      expect(roleAssignments.hasRoleNow?.(userId, task, required) ?? isEditor).toBe(isEditor);
      const question = { userId, type: 'task', roles: ['editor'], inheritance };
      expect(await listGranted(stores, question)).toEqual(isEditor ? ['1', '2'] : []);
      expect((await stores.entities.get('tasks', '1', granted('id', question))) !== null).toBe(isEditor);
      const page = { limit: 100, after: null };
      expect((await roleAssignments.listGranted(question, page)).items).toEqual(isEditor ? ['1', '2'] : []);
    }
  });

  it('take their roles away with the membership, with the assignment, and with the group', async ({ stores }) => {
    const editors = async (): Promise<readonly UserId[]> => {
      const { items } = await stores.roleAssignments.listGrantees(
        { resource: toResource('task:1'), roles: ['editor'], inheritance },
        { limit: 100, after: null },
      );
      return items.map(({ userId }) => userId);
    };
    await arrange(stores);
    expect(await editors()).toEqual([ann, ben]);
    await stores.groups.remove(toMembership('group:web in group:eng'));
    expect(await editors()).toEqual([ben]);
    await addAll(stores, ['group:web in group:eng']);
    const role = { groupId: 'eng', resource: toResource('project:1'), role: 'manager' };
    expect(await stores.roleAssignments.revoke(role)).toBe(true);
    expect(await stores.roleAssignments.revoke(role)).toBe(false);
    expect(await editors()).toEqual([]);
    expect(await stores.roleAssignments.assign(role)).toBe(true);
    expect(await stores.roleAssignments.assign(role)).toBe(false);
    expect(await editors()).toEqual([ann, ben]);
    await stores.groups.delete({ tenantId: 'acme', groupId: 'eng' });
    expect(await editors()).toEqual([]);
  });

  it('are holders of roles apart from users with the same id', async ({ stores }) => {
    const { roleAssignments } = stores;
    const role = { resource: toResource('project:1'), role: 'manager' };
    await roleAssignments.assign({ groupId: 'same', ...role }, { by: ben });
    expect(await roleAssignments.listByUser('same' as UserId)).toEqual([]);
    expect(await roleAssignments.listByGroup('same')).toEqual([{ groupId: 'same', ...role }]);
    await roleAssignments.assign({ userId: 'same' as UserId, ...role });
    expect(sorted(await roleAssignments.listByResource(role.resource))).toEqual(['group:same', 'user:same']);
    const others = { resources: [role.resource], isBelow: true, limit: 10 };
    expect(sorted(await roleAssignments.listOthers('same' as UserId, others))).toEqual(['group:same']);
    expect(sorted(await roleAssignments.listGrantedBy(ben, 10))).toEqual(['group:same']);
    const ofUser = { type: role.resource.type, limit: 10 };
    expect(sorted(await roleAssignments.listOfType('same' as UserId, ofUser))).toEqual(['user:same']);
    expect(sorted(await roleAssignments.listWithin(role.resource, { userId: 'same' as UserId, limit: 10 }))).toEqual([
      'user:same',
    ]);
    expect(await roleAssignments.listByUser('same' as UserId)).toHaveLength(1);
    expect(await stores.hierarchy.removeSubtree(role.resource)).toEqual([role.resource]);
    expect(await roleAssignments.listByGroup('same')).toEqual([]);
  });

  it('lead to the same roles in every list, for any memberships', async ({ stores, rounds }) => {
    let run = 0;
    const agrees = fc.asyncProperty(worlds, async (drawn) => {
      run += 1;
      await expectAgreement(stores, { ...drawn, run });
    });
    await fc.assert(agrees, { numRuns: 5 * rounds });
  });
}

/** Ann is in the group `eng` by another one, and Ben himself. */
async function arrange(stores: Stores): Promise<void> {
  for (const [child, parent] of [
    ['task:1', 'project:1'],
    ['task:2', 'project:1'],
    ['project:1', 'org:1'],
  ] as const) {
    await stores.hierarchy.attach({ child: toResource(child), parent: toResource(parent) });
  }
  for (const id of ['1', '2', '3']) await stores.entities.create('tasks', sampleTask({ id }));
  await addAll(stores, [
    'user:ann in group:web',
    'group:web in group:eng',
    'user:ben in group:eng',
    'user:cat in group:sales',
  ]);
  const { roleAssignments } = stores;
  await roleAssignments.assign({ groupId: 'eng', resource: toResource('project:1'), role: 'manager' });
  await roleAssignments.assign({ groupId: 'sales', resource: toResource('task:1'), role: 'none' });
  await roleAssignments.assign({ userId: ann, resource: toResource('task:1'), role: 'viewer' });
}

interface World {
  readonly run: number;
  readonly edges: readonly (readonly [number, number])[];
  readonly memberships: readonly (readonly [string, string])[];
  readonly assignments: readonly (readonly [string, number, string])[];
  readonly rules: readonly InheritanceRule[];
  readonly limit: number;
}

const users = ['user:0', 'user:1', 'user:2'];

async function expectAgreement(stores: Stores, world: World): Promise<void> {
  const { run, edges, rules, limit } = world;
  const own = (name: string): string => `${name} of ${run}`;
  const resourceAt = (at: number): Resource => ({ type: `t${at % 3}`, id: `${run} ${at}` });
  const memberships = new NaiveHierarchy();
  await stores.transaction(async (inside) => {
    for (const [child, parent] of edges)
      await inside.hierarchy.attach({ child: resourceAt(child), parent: resourceAt(parent) });
    for (const [member, group] of world.memberships) {
      const outcome = memberships.attach(own(member), own(group), 8);
      const membership = { tenantId: 't', groupId: toResource(own(group)).id, member: toHolder(own(member)) };
      expect(await inside.groups.add(membership)).toBe(outcome === 'attached' ? 'added' : outcome);
    }
    for (const [holder, at, role] of world.assignments) {
      await inside.roleAssignments.assign({ ...toHolder(own(holder)), resource: resourceAt(at), role });
    }
  });
  const resources = times(9).map(resourceAt);
  const held = (user: string): readonly { readonly at: number; readonly role: string }[] => {
    const holders = [own(user), ...memberships.related(own(user), 'up').keys()];
    return world.assignments.flatMap(([holder, at, role]) => (holders.includes(own(holder)) ? [{ at, role }] : []));
  };
  const enough = async (user: string): Promise<readonly Resource[]> => {
    const paths = await stores.roleAssignments.readPaths(toResource(own(user)).id as UserId, resources);
    const roles = held(user);
    return paths.flatMap((path) => {
      expect(allRoles(path), path.resource.id).toEqual(
        [
          ...new Set(roles.flatMap(({ at, role }) => (resourceAt(at).id === path.resource.id ? [role] : []))),
        ].toSorted(),
      );
      return rolesOn(path, rules).includes('a') ? [path.resource] : [];
    });
  };
  const found = await Promise.all(users.map(async (user) => ({ user, allowed: await enough(user) })));
  for (const { user, allowed } of found) {
    const userId = toResource(own(user)).id as UserId;
    for (const type of ['t0', 't1', 't2']) {
      const ids = allowed.filter((resource) => resource.type === type).map(({ id }) => id);
      const question = { userId, type, roles: ['a'], inheritance: rules };
      expect(await visit((page) => stores.roleAssignments.listGranted(question, page), limit)).toEqual(ids.toSorted());
    }
  }
  for (const resource of resources) {
    const expected = found.filter(({ allowed }) => allowed.some(({ id }) => id === resource.id));
    const question = { resource, roles: ['a'], inheritance: rules };
    const paths = await visit((page) => stores.roleAssignments.listGrantees(question, page), limit);
    expect(paths.map(({ userId }) => userId)).toEqual(
      expected.map(({ user }) => toResource(own(user)).id).toSorted(compareCodePoints),
    );
    for (const { userId, granted: path } of paths) {
      const [read] = await stores.roleAssignments.readPaths(userId, [resource]);
      expect(toText(path)).toBe(read && toText(read));
    }
  }
}

/** Follows the cursors of a list whose pages may be short. */
async function visit<Item>(
  list: (page: {
    limit: number;
    after: string | null;
  }) => Promise<{ items: readonly Item[]; nextCursor: string | null }>,
  limit: number,
): Promise<readonly Item[]> {
  const found: Item[] = [];
  for (let after: string | null | undefined; after !== null;) {
    const { items, nextCursor } = await list({ limit, after: after ?? null });
    found.push(...items);
    after = nextCursor;
  }
  return found;
}

function allRoles({ roles, rolesByGroup }: GrantedRoles): readonly string[] {
  return [...new Set([...roles, ...rolesByGroup.map(({ role }) => role)])].toSorted();
}

function rolesOn(path: GrantedRoles, rules: readonly InheritanceRule[]): readonly string[] {
  const inherited = path.parents.flatMap((parent) => {
    const above = rolesOn(parent, rules);
    return rules.filter(
      (each) =>
        each.parent.type === parent.resource.type &&
        each.child.type === path.resource.type &&
        above.includes(each.parent.role),
    );
  });
  return [...allRoles(path), ...inherited.map(({ child }) => child.role)];
}

/** Writes a path with its roles, those of groups by their names, and its parents, each in a fixed order. */
function toText({ resource, roles, rolesByGroup, parents }: GrantedRoles): string {
  const all = [...roles, ...rolesByGroup.map(({ role, groupId }) => `${role} by ${groupId}`)].toSorted();
  return `${toName(resource)}[${all.join()}](${parents.map(toText).toSorted().join()})`;
}

function sorted(assignments: readonly RoleAssignment[]): readonly string[] {
  return assignments
    .map(({ userId, groupId }) => (groupId === undefined ? `user:${userId}` : `group:${groupId}`))
    .toSorted();
}

function toKind(text: string): { readonly type: string; readonly role: string } {
  const { type, id: role } = toResource(text);
  return { type, role };
}

function rule(from: string, to: string): InheritanceRule {
  return { parent: toKind(from), child: toKind(to) };
}

const [place, role, group] = [
  fc.nat(8),
  fc.constantFrom('a', 'b'),
  fc.constantFrom('group:0', 'group:1', 'group:2', 'group:3'),
];

const kind = fc.record({ type: fc.constantFrom('t0', 't1', 't2'), role });

const holder = fc.oneof(fc.constantFrom(...users), group);

const worlds = fc.record({
  edges: fc.array(fc.tuple(place, place), { maxLength: 10 }),
  memberships: fc.array(fc.tuple(holder, group), { maxLength: 9 }),
  assignments: fc.array(fc.tuple(holder, place, role), { maxLength: 8 }),
  rules: fc.array(fc.record({ parent: kind, child: kind }), { maxLength: 8 }),
  limit: fc.constantFrom(1, 2, 100),
});
