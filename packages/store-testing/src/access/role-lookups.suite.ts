import {
  compareCodePoints,
  type GrantedRoles,
  type InheritanceRule,
  type Page,
  type Resource,
  type Stores,
  type TransactionStores,
  type UserId,
  type UserPath,
} from '@x/store';
import fc from 'fast-check';
import { describe, expect } from 'vitest';
import { awkwardTexts } from '../awkward-values.ts';
import type { StoreTest } from '../store-test.ts';
import { type List, visitPages } from '../visit-pages.ts';
import { toResource } from './naive-hierarchy.ts';

/** Describes that every store lists, page by page, what is granted to a user, and to whom a resource is. */
export function describeRoleLookups(it: StoreTest): void {
  describe('role lookups', () => {
    describeGranted(it);
    describeGrantees(it);
    describeAgreement(it);
    describeWrites(it);
  });
}

const inheritance: readonly InheritanceRule[] = [
  rule('org:owner', 'project:manager'),
  rule('project:manager', 'task:editor'),
];

function describeGranted(it: StoreTest): void {
  it('list resources by the roles that reach them, in the order of their ids', async ({ stores, records }) => {
    const userId = records.userId();
    await attachAll(stores, ['task:3<project:1', 'task:1<project:1', 'task:4<project:2', 'project:1<org:1']);
    await assign(stores, userId, 'org:1#owner');
    await assign(stores, userId, 'task:2#editor');
    await assign(stores, userId, 'project:2#viewer');
    await assign(stores, records.userId(), 'task:4#editor');
    const list = (roles: readonly string[], type = 'task') => listAll(stores, { userId, type, roles, inheritance });
    expect(await list(['editor'])).toEqual(['1', '2', '3']);
    expect(await list(['viewer', 'manager'], 'project')).toEqual(['1', '2']);
    expect(await list(['owner'], 'org')).toEqual(['1']);
    expect(await list(['viewer'])).toEqual([]);
    expect(await list([])).toEqual([]);
    expect(await listAll(stores, { userId, type: 'task', roles: ['editor'], inheritance: [] })).toEqual(['2']);
    const from = [toResource('task:2')];
    expect(await listAll(stores, { userId, type: 'task', roles: ['editor'], inheritance, from })).toEqual(['2']);
    expect(await listAll(stores, { userId, type: 'task', roles: ['editor'], inheritance, from: [] })).toEqual([]);
  });

  it('list types that nest in themselves, and resources that several paths lead to once', async ({
    stores,
    records,
  }) => {
    const userId = records.userId();
    await attachAll(stores, ['f:b<f:a', 'f:c<f:b', 'f:c<f:a', 'f:d<f:c', 'f:e<f:x']);
    await assign(stores, userId, 'f:a#editor');
    await assign(stores, userId, 'f:c#editor');
    const nested = { userId, type: 'f', roles: ['editor'], inheritance: [rule('f:editor', 'f:editor')] };
    for (const limit of [1, 2, 100]) expect(await listAll(stores, nested, limit)).toEqual(['a', 'b', 'c', 'd']);
  });

  it('order and tell apart ids by code points alone', async ({ stores, records }) => {
    const userId = records.userId();
    for (const [at, id] of awkwardTexts.entries()) {
      if (at % 2 === 0) await stores.hierarchy.attach({ child: { type: 'task', id }, parent: toResource('project:1') });
      else await stores.roleAssignments.assign({ userId, resource: { type: 'task', id }, role: 'editor' });
      await stores.roleAssignments.assign({ userId: id as UserId, resource: toResource('task:one'), role: 'editor' });
    }
    await assign(stores, userId, 'project:1#manager');
    const expected = [...new Set(awkwardTexts)].toSorted(compareCodePoints);
    const resources = { userId, type: 'task', roles: ['editor'], inheritance };
    expect(await listAll(stores, resources, 1)).toEqual(expected);
    const users = await listUsers(stores, 'task:one', ['editor'], 1);
    expect(users.map((path) => path.userId)).toEqual(expected);
  });
}

function describeGrantees(it: StoreTest): void {
  it('list users with a role on a resource, each with their roles there and above', async ({ stores, records }) => {
    const [ann, ben, cat, dan] = [records.userId(), records.userId(), records.userId(), records.userId()];
    await attachAll(stores, ['task:1<project:1', 'project:1<org:1', 'task:1<project:2', 'task:2<project:1']);
    await assign(stores, ann, 'org:1#owner');
    await assign(stores, ann, 'task:1#viewer');
    await assign(stores, ben, 'task:1#editor');
    await assign(stores, cat, 'project:2#manager');
    await assign(stores, dan, 'task:2#editor');
    await assign(stores, dan, 'project:1#viewer');
    const found = await listUsers(stores, 'task:1', ['editor']);
    expect(found.map(({ userId }) => userId)).toEqual([ann, ben, cat].toSorted(compareCodePoints));
    for (const { userId, granted } of found) {
      const [path] = await stores.roleAssignments.readPaths(userId, [toResource('task:1')]);
      expect(toText(granted)).toBe(path && toText(path));
    }
    const managers = await listUsers(stores, 'project:1', ['viewer', 'manager']);
    expect(managers.map(({ userId }) => userId)).toEqual([ann, dan].toSorted(compareCodePoints));
    expect(await listUsers(stores, 'task:1', [])).toEqual([]);
    expect(await listUsers(stores, 'task:none', ['editor'])).toEqual([]);
  });

  it('show a transaction its own roles and edges', async ({ stores, records }) => {
    const userId = records.userId();
    await stores.transaction(async (inside) => {
      await attachAll(inside, ['task:1<project:1']);
      await assign(inside, userId, 'project:1#manager');
      const resources = { userId, type: 'task', roles: ['editor'], inheritance };
      expect(await listAll(inside, resources)).toEqual(['1']);
      expect((await listUsers(inside, 'task:1', ['editor'])).map((path) => path.userId)).toEqual([userId]);
    });
  });
}

function describeAgreement(it: StoreTest): void {
  it('agree with the paths of each user to each resource, on pages of any length', async ({
    stores,
    records,
    rounds,
  }) => {
    let run = 0;
    const agrees = fc.asyncProperty(worlds, async ({ edges, assignments, rules, roles, limit, counting }) => {
      run += 1;
      const users = [records.userId(), records.userId(), records.userId()] as const;
      const resourceAt = (at: number): Resource => ({ type: `t${at % 3}`, id: `${run} ${at}` });
      await stores.transaction(async (inside) => {
        for (const [child, parent] of edges)
          await inside.hierarchy.attach({ child: resourceAt(child), parent: resourceAt(parent) });
        for (const [user, at, role] of assignments) {
          const userId = users[user] ?? users[0];
          await inside.roleAssignments.assign({ userId, resource: resourceAt(at), role });
        }
      });
      const resources = Array.from({ length: 9 }, (_, at) => resourceAt(at));
      const from = counting?.map(resourceAt);
      const counts = (resource: Resource): boolean => from?.some(({ id }) => id === resource.id) ?? true;
      const paths = await Promise.all(
        users.map(async (userId) => ({ userId, all: await stores.roleAssignments.readPaths(userId, resources) })),
      );
      const isEnough = (path: GrantedRoles, counted?: typeof counts): boolean =>
        rolesOn(path, rules, counted).some((role) => roles.includes(role));
      for (const { userId, all } of paths) {
        for (const type of ['t0', 't1', 't2']) {
          const expected = all.filter((path) => path.resource.type === type && isEnough(path, counts));
          const question = { userId, type, roles, inheritance: rules, ...(from && { from }) };
          expect(await listAll(stores, question, limit)).toEqual(
            expected.map(({ resource }) => resource.id).toSorted(),
          );
        }
      }
      for (const [at, resource] of resources.entries()) {
        const expected = paths.flatMap(({ userId, all }) => {
          const granted = all[at] ?? expect.unreachable();
          return isEnough(granted) ? [{ userId, granted: toText(granted) }] : [];
        });
        const list = await visitPages(
          (page) => stores.roleAssignments.listGrantees({ resource, roles, inheritance: rules }, page),
          limit,
        );
        expect(list.map(({ userId, granted }) => ({ userId, granted: toText(granted) }))).toEqual(
          expected.toSorted((a, b) => compareCodePoints(a.userId, b.userId)),
        );
      }
    });
    await fc.assert(agrees, { numRuns: 5 * rounds });
  });
}

function describeWrites(it: StoreTest): void {
  it('miss nothing that stays granted while others come and go between the pages', async ({ stores, records }) => {
    const userId = records.userId();
    const [stay, go] = [numbers(40).filter((id) => id % 2 === 0), numbers(40).filter((id) => id % 2 === 1)];
    const members = stay.map(() => records.userId());
    await stores.transaction(async (inside) => {
      for (const id of [...stay, ...go]) await attachAll(inside, [`task:${toId(id)}<project:1`]);
      await assign(inside, userId, 'project:1#manager');
      for (const member of members) await assign(inside, member, 'task:1#editor');
    });
    const leaving = [...go];
    const change = async (): Promise<void> => {
      const id = leaving.shift();
      if (id === undefined) return;
      await stores.hierarchy.detach({ child: toResource(`task:${toId(id)}`), parent: toResource('project:1') });
      await attachAll(stores, [`task:${toId(id)}x<project:1`]);
      await assign(stores, records.userId(), 'task:1#editor');
    };
    const resources = { userId, type: 'task', roles: ['editor'], inheritance };
    const seen = await visitGranted((page) => stores.roleAssignments.listGranted(resources, page), 3, change);
    expect(seen.filter((id) => stay.some((each) => toId(each) === id))).toEqual(stay.map(toId));
    expect(seen).toEqual([...new Set(seen)]);
    const users = { resource: toResource('task:1'), roles: ['editor'], inheritance };
    const found = await visitPages((page) => stores.roleAssignments.listGrantees(users, page), 3, change);
    const ids = found.map((path) => path.userId);
    expect(ids).toEqual(expect.arrayContaining(members));
    expect(ids).toEqual([...new Set(ids)]);
  });
}

type Lookups = Pick<TransactionStores | Stores, 'roleAssignments'>;

async function listAll(
  { roleAssignments }: Lookups,
  resources: Parameters<typeof roleAssignments.listGranted>[0],
  limit = 100,
): Promise<readonly string[]> {
  return visitGranted((page) => roleAssignments.listGranted(resources, page), limit);
}

/** Follows the cursors of a list whose pages may be short. */
async function visitGranted(
  list: List<string>,
  limit: number,
  between?: () => Promise<void>,
): Promise<readonly string[]> {
  const visited: string[] = [];
  for (let after: string | null = null; ;) {
    const page: Page<string> = await list({ limit, after });
    expect(page.items.length).toBeLessThanOrEqual(limit);
    visited.push(...page.items);
    if (page.nextCursor === null) return visited;
    if (after !== null) expect(compareCodePoints(after, page.nextCursor)).toBeLessThan(0);
    after = page.nextCursor;
    await between?.();
  }
}

async function listUsers(
  { roleAssignments }: Lookups,
  name: string,
  roles: readonly string[],
  limit = 100,
): Promise<readonly UserPath[]> {
  const users = { resource: toResource(name), roles, inheritance };
  return visitPages((page) => roleAssignments.listGrantees(users, page), limit);
}

/** Attaches resources as in `child<parent`. */
async function attachAll({ hierarchy }: TransactionStores, edges: readonly string[]): Promise<void> {
  for (const edge of edges) {
    const [child = '', parent = ''] = edge.split('<');
    await hierarchy.attach({ child: toResource(child), parent: toResource(parent) });
  }
}

/** Assigns a role as in `resource#role`. */
async function assign({ roleAssignments }: TransactionStores, userId: UserId, text: string): Promise<void> {
  const [name = '', role = ''] = text.split('#');
  await roleAssignments.assign({ userId, resource: toResource(name), role });
}

const numbers = (count: number): readonly number[] => Array.from({ length: count }, (_, at) => at);

/** Such ids have the order of their numbers. */
const toId = (at: number): string => String(at).padStart(3, '0');

function rule(from: string, to: string): InheritanceRule {
  const [parent, child] = [toResource(from), toResource(to)];
  return { parent: { type: parent.type, role: parent.id }, child: { type: child.type, role: child.id } };
}

/** Writes a path with its roles and parents, each in a fixed order. */
function toText({ resource, roles, parents }: GrantedRoles): string {
  return `${resource.type}:${resource.id}[${roles.toSorted().join()}](${parents.map(toText).toSorted().join()})`;
}

/** Composes the roles on a resource from the roles above it, rule by rule. */
function rolesOn(
  { resource, roles, parents }: GrantedRoles,
  rules: readonly InheritanceRule[],
  counts: (resource: Resource) => boolean = () => true,
): readonly string[] {
  const inherited = parents.flatMap((parent) => {
    const above = rolesOn(parent, rules, counts);
    return rules.filter(
      (each) =>
        each.parent.type === parent.resource.type &&
        each.child.type === resource.type &&
        above.includes(each.parent.role),
    );
  });
  return [...(counts(resource) ? roles : []), ...inherited.map(({ child }) => child.role)];
}

const [place, role] = [fc.nat(8), fc.constantFrom('a', 'b')];

const kind = fc.record({ type: fc.constantFrom('t0', 't1', 't2'), role });

const worlds = fc.record({
  edges: fc.array(fc.tuple(place, place), { maxLength: 14 }),
  assignments: fc.array(fc.tuple(fc.nat(2), place, role), { maxLength: 8 }),
  rules: fc.array(fc.record({ parent: kind, child: kind }), { maxLength: 8 }),
  roles: fc.subarray(['a', 'b']),
  limit: fc.constantFrom(1, 2, 100),
  counting: fc.option(fc.array(place, { maxLength: 3 }), { nil: undefined }),
});
