import { type GrantedResources, type GrantedRoles, type InheritanceRule, RequiredRoles, type Stores } from '@x/store';
import { all, and, eq, granted, not, or, type Where } from '@x/store/where';
import fc from 'fast-check';
import { expect } from 'vitest';
import { sampleTask } from '../entity/sample-entities.ts';
import type { StoreTest } from '../store-test.ts';
import { toResource } from './naive-hierarchy.ts';

/** Describes that every store finds the resources that a user has a role on. */
export function describeGrantedResources(it: StoreTest): void {
  it('find resources by the roles that reach them', async ({ stores, records }) => {
    const userId = records.userId();
    for (const [child, parent] of [
      ['task:1', 'project:1'],
      ['task:2', 'project:2'],
      ['project:1', 'org:1'],
    ] as const) {
      await stores.hierarchy.attach({ child: toResource(child), parent: toResource(parent) });
    }
    const assign = (name: string, role: string): Promise<boolean> =>
      stores.roleAssignments.assign({ userId, resource: toResource(name), role });
    await assign('org:1', 'owner');
    await assign('project:2', 'viewer');
    await assign('task:3', 'editor');
    const inheritance = [rule('org:owner', 'project:manager'), rule('project:manager', 'task:editor')];
    for (const id of ['1', '2', '3']) await stores.entities.create('tasks', sampleTask({ id }));
    const find = async (roles: readonly string[], type = 'task'): Promise<readonly string[]> =>
      listGranted(stores, { userId, type, roles, inheritance });
    expect(await find(['editor'])).toEqual(['1', '3']);
    expect(await find(['viewer'])).toEqual([]);
    expect(await find(['viewer', 'manager'], 'project')).toEqual(['1', '2']);
    expect(await find([])).toEqual([]);
    expect(await listGranted(stores, { userId, type: 'task', roles: ['editor'], inheritance: [] })).toEqual(['3']);
  });

  it('find every row below a resource that several paths lead to', async ({ stores, records }) => {
    const userId = records.userId();
    for (const [child, parent] of [
      ['task:2', 'task:1'],
      ['task:2', 'task:0'],
      ['task:3', 'task:2'],
      ['task:4', 'task:2'],
    ] as const) {
      await stores.hierarchy.attach({ child: toResource(child), parent: toResource(parent) });
    }
    await stores.roleAssignments.assign({ userId, resource: toResource('task:1'), role: 'editor' });
    for (const id of ['0', '1', '2', '3', '4']) await stores.entities.create('tasks', sampleTask({ id }));
    const inheritance = [rule('task:editor', 'task:editor')];
    const found = await listGranted(stores, { userId, type: 'task', roles: ['editor'], inheritance });
    expect(found).toEqual(['1', '2', '3', '4']);
  });

  it('list, count, change and delete the rows that they are granted on', async ({ stores, records }) => {
    const [userId, org] = [records.userId(), { type: 'org', id: '1' }];
    const [inherited, direct, foreign] = [sampleTask(), sampleTask(), sampleTask()];
    for (const row of [inherited, direct, foreign]) await stores.entities.create('tasks', row);
    await stores.hierarchy.attach({ child: { type: 'task', id: inherited.id }, parent: org });
    await stores.roleAssignments.assign({ userId, resource: org, role: 'owner' });
    await stores.roleAssignments.assign({ userId, resource: { type: 'task', id: direct.id }, role: 'editor' });
    const resources = { userId, type: 'task', roles: ['editor'], inheritance: [rule('org:owner', 'task:editor')] };
    const isGranted = granted('id', resources);
    const where: Where = { type: 'and', operands: [isGranted, all] };
    const order = [{ column: 'id', direction: 'asc' }] as const;
    const { records: listed } = await stores.entities.list('tasks', { where, order, limit: 10, after: null });
    expect(listed.map(({ row }) => row.id)).toEqual([inherited.id, direct.id].toSorted());
    expect(await stores.entities.count('tasks', not(isGranted))).toBe(1);
    expect(await stores.entities.get('tasks', direct.id, where)).toMatchObject({ row: { id: direct.id } });
    expect(await stores.entities.get('tasks', foreign.id, where)).toBeNull();
    expect(await stores.entities.update('tasks', foreign.id, { where, values: { rank: 9 } })).toBeNull();
    expect(await stores.entities.update('tasks', inherited.id, { where, values: { rank: 9 } })).not.toBeNull();
    await stores.roleAssignments.revoke({ userId, resource: org, role: 'owner' });
    expect(await stores.entities.delete('tasks', inherited.id, { where })).toBeNull();
    expect(await stores.entities.delete('tasks', direct.id, { where })).not.toBeNull();
  });

  it('return the same pages whether a user was granted few, many or all rows of a table', async ({
    stores,
    records,
  }) => {
    const rows = Array.from({ length: 450 }, (_, index) => sampleTask({ rank: index, ownerId: 'ada' }));
    const org = { type: 'org', id: sampleTask().id };
    const [few, some, all] = [records.userId(), records.userId(), records.userId()];
    await stores.transaction(async (inside) => {
      for (const row of rows) {
        await inside.entities.create('tasks', row);
        if (row['rank'] !== 7) await inside.hierarchy.attach({ child: { type: 'task', id: row.id }, parent: org });
      }
      const assign = (userId: typeof few, id: string): Promise<boolean> =>
        inside.roleAssignments.assign({ userId, resource: { type: 'task', id }, role: 'editor' });
      for (const { id } of rows.slice(-60)) await assign(few, id);
      for (const { id } of rows.slice(-120)) await assign(some, id);
      await inside.roleAssignments.assign({ userId: all, resource: org, role: 'owner' });
    });
    const inheritance = [rule('org:owner', 'task:editor')];
    for (const [userId, expected] of [
      [few, rows.slice(-60)],
      [some, rows.slice(-120)],
      [all, rows.filter((_, index) => index !== 7)],
    ] as const) {
      const resources = { userId, type: 'task', roles: ['editor'], inheritance };
      const isGranted = granted('id', resources);
      const [first, last] = [
        await listRanks(stores, isGranted, { limit: 30 }),
        await listRanks(stores, isGranted, { limit: 500 }),
      ];
      expect(first).toEqual(expected.slice(0, 30).map(({ rank }) => rank));
      expect(last).toEqual(expected.map(({ rank }) => rank));
      const own = eq('rank', 7);
      const either = or(isGranted, own);
      const ranks = [7, ...expected.map(({ rank }) => Number(rank))].toSorted((a, b) => a - b);
      expect(await listRanks(stores, either, { limit: 30 })).toEqual([...new Set(ranks)].slice(0, 30));
      expect(await listRanks(stores, isGranted, { limit: 30, after: 430 })).toEqual(ranks.filter((rank) => rank > 430));
    }
  });

  it('agree with walking up from each resource, for any granted condition', async ({ stores, records, rounds }) => {
    let run = 0;
    const agrees = fc.asyncProperty(worlds, async ({ edges, assignments, inheritance, roles, counting }) => {
      const userId = records.userId();
      run += 1;
      const resourceAt = (index: number): { type: string; id: string } => ({
        type: `t${index % 3}`,
        id: `${run} ${index}`,
      });
      await stores.transaction(async (inside) => {
        for (const [child, parent] of edges)
          await inside.hierarchy.attach({ child: resourceAt(child), parent: resourceAt(parent) });
        for (const [place, role] of assignments) {
          await inside.roleAssignments.assign({ userId, resource: resourceAt(place), role });
        }
      });
      const from = counting?.map(resourceAt);
      const question = { userId, type: 't0', roles, inheritance, ...(from && { from }) };
      const asked = [resourceAt(0), resourceAt(3), resourceAt(6)] as const;
      const paths = await stores.roleAssignments.readPaths(userId, asked);
      const counts = ({ resource }: GrantedRoles): boolean =>
        from?.some(({ type, id }) => type === resource.type && id === resource.id) ?? true;
      const expected = paths.filter((path) => rolesOn(path, inheritance, counts).some((role) => roles.includes(role)));
      for (const { id } of asked) await stores.entities.create('tasks', sampleTask({ id }));
      const listed = await listGranted(stores, question);
      expect(listed).toEqual(expected.map(({ resource }) => resource.id).toSorted());
      // One row: the store may look at this one only.
      const [{ id }] = asked;
      expect((await stores.entities.get('tasks', id, granted('id', question))) !== null).toBe(listed.includes(id));
      if (from) return;
      const goal = new RequiredRoles(question);
      const grantedNow = asked.filter(
        (resource) =>
          stores.roleAssignments.hasRoleNow?.(userId, resource, goal) ??
          expected.some((path) => path.resource.id === resource.id),
      );
      expect(grantedNow.map(({ id }) => id).toSorted()).toEqual(expected.map(({ resource }) => resource.id).toSorted());
    });
    await fc.assert(agrees, { numRuns: 8 * rounds });
  });
}

/** Lists the ids of the tasks that are granted, in order. */
export async function listGranted(
  { entities }: Pick<Stores, 'entities'>,
  resources: GrantedResources,
): Promise<readonly string[]> {
  const order = [{ column: 'id', direction: 'asc' }] as const;
  const { records } = await entities.list('tasks', {
    where: granted('id', resources),
    order,
    after: null,
    limit: 1000,
  });
  return records.map(({ row }) => row.id);
}

/** Lists what is Ada's by rank. */
async function listRanks(
  { entities }: Pick<Stores, 'entities'>,
  where: Where,
  { limit, after }: { readonly limit: number; readonly after?: number },
): Promise<readonly unknown[]> {
  const order = [
    { column: 'rank', direction: 'asc' },
    { column: 'id', direction: 'asc' },
  ] as const;
  const own = eq('ownerId', 'ada');
  const { records } = await entities.list('tasks', {
    where: and(where, own),
    order,
    limit,
    after: after === undefined ? null : [after, 'z'],
  });
  return records.map(({ row }) => row['rank']);
}

function rule(from: string, to: string): InheritanceRule {
  const [parent, child] = [toResource(from), toResource(to)];
  return { parent: { type: parent.type, role: parent.id }, child: { type: child.type, role: child.id } };
}

/** Composes the roles on a resource from the roles above it, rule by rule. */
function rolesOn(
  at: GrantedRoles,
  inheritance: readonly InheritanceRule[],
  counts: (path: GrantedRoles) => boolean,
): readonly string[] {
  const { resource, roles, parents } = at;
  const inherited = parents.flatMap((parent) => {
    const above = rolesOn(parent, inheritance, counts);
    return inheritance.filter(
      (each) =>
        each.parent.type === parent.resource.type &&
        each.child.type === resource.type &&
        above.includes(each.parent.role),
    );
  });
  return [...(counts(at) ? roles : []), ...inherited.map(({ child }) => child.role)];
}

const [place, role, type] = [fc.nat(8), fc.constantFrom('a', 'b'), fc.constantFrom('t0', 't1', 't2')];

const kind = fc.record({ type, role });

const worlds = fc.record({
  edges: fc.array(fc.tuple(place, place), { maxLength: 14 }),
  assignments: fc.array(fc.tuple(place, role), { maxLength: 5 }),
  inheritance: fc.array(fc.record({ parent: kind, child: kind }), { maxLength: 8 }),
  roles: fc.subarray(['a', 'b']),
  counting: fc.option(fc.array(place, { maxLength: 3 }), { nil: undefined }),
});
