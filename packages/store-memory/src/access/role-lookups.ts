import {
  compareCodePoints,
  type GrantedPage,
  type GrantedResources,
  type GrantedUsers,
  type Page,
  RequiredRoles,
  type Resource,
  type UserId,
  type UserPath,
} from '@x/store';
import { assertStorableText } from '@x/store/engine';

import type { DirectRoles } from './assignment-table.ts';
import type { EdgeTable } from './hierarchy.ts';
import { readPaths, type RoleTables } from './read-paths.ts';
import { toResourceKey } from './resource-key.ts';

/** Lists the selected resources, by walking down from the roles that the user and their groups were assigned. */
export function listGranted(
  { edges }: RoleTables,
  held: readonly DirectRoles[],
  { type, roles, inheritance, from }: GrantedResources,
  page: GrantedPage,
): Page<string> {
  const counts = from && new Set(from.map(toResourceKey));
  const found = new FirstIds(page);
  const reached = new Map<string, Set<string>>();
  const open: Place[] = [];
  const reach = (resource: Resource, role: string): void => {
    const key = toResourceKey(resource);
    const there = reached.get(key) ?? new Set();
    if (there.has(role)) return;
    reached.set(key, there.add(role));
    open.push({ resource, key, role });
  };
  for (const direct of held) {
    if (counts && !counts.has(direct.resourceKey)) continue;
    for (const role of direct.roles) reach(direct.resource, role);
  }
  for (const place of open) {
    const { resource, role, key } = place;
    if (resource.type === type && roles.includes(role)) found.add(resource.id);
    const rules = inheritance.filter(({ parent }) => parent.type === resource.type && parent.role === role);
    if (rules.length === 0) continue;
    for (const { child } of edges.selectSecond(key)) {
      for (const rule of rules) if (rule.child.type === child.type) reach(child, rule.child.role);
    }
  }
  return found.toPage((id) => id);
}

/** A role of the user on a resource. */
interface Place {
  readonly resource: Resource;
  readonly key: string;
  readonly role: string;
}

/** Lists the selected users, by walking up from the resource. */
export function listGrantees(
  tables: RoleTables,
  { resource, roles, inheritance }: GrantedUsers,
  page: GrantedPage,
): Page<UserPath> {
  const { assignments, edges, memberships } = tables;
  const found = new FirstIds(page);
  const seen = new Map<string, Set<RequiredRoles>>();
  const open: { readonly key: string; readonly required: RequiredRoles }[] = [];
  const reach = (key: string, required: RequiredRoles): void => {
    const there = seen.get(key) ?? new Set();
    if (there.has(required)) return;
    seen.set(key, there.add(required));
    open.push({ key, required });
  };
  reach(toResourceKey(resource), new RequiredRoles({ type: resource.type, roles, inheritance }));
  for (const { key, required } of open) {
    for (const direct of assignments.selectSecond(key)) {
      if (!direct.roles.some((role) => required.roles.has(role))) continue;
      for (const userId of usersOf(memberships, direct)) found.add(userId);
    }
    for (const { parent, parentKey } of edges.selectFirst(key)) {
      const above = required.above(parent.type);
      if (above) reach(parentKey, above);
    }
  }
  return found.toPage((id): UserPath => {
    const userId = id as UserId;
    const [granted = { resource, roles: [], rolesByGroup: [], parents: [] }] = readPaths(tables, userId, [resource]);
    return { userId, granted };
  });
}

/** Lists the user who has some roles, or all users who are in the group that has them. */
function usersOf(memberships: EdgeTable, { holder, holderKey }: DirectRoles): Iterable<string> {
  if (holder.userId !== undefined) return [holder.userId];
  const below = new Map([[holderKey, { type: 'group', id: holder.groupId }]]);
  for (const [key] of below) {
    for (const { child, childKey } of memberships.selectSecond(key)) below.set(childKey, child);
  }
  return [...below.values()].filter(({ type }) => type === 'user').map(({ id }) => id);
}

/** The first ids after that of a page, in their order, each once; one more than the page has. */
class FirstIds {
  readonly #page: GrantedPage;
  readonly #ids: string[] = [];

  constructor(page: GrantedPage) {
    if (page.after !== null) assertStorableText(page.after);
    this.#page = page;
  }

  add(id: string): void {
    const { after, limit } = this.#page;
    if (after !== null && compareCodePoints(id, after) <= 0) return;
    const at = this.#placeOf(id);
    if (at > limit || this.#ids[at] === id) return;
    this.#ids.splice(at, 0, id);
    if (this.#ids.length > limit + 1) this.#ids.pop();
  }

  toPage<Item>(toItem: (id: string) => Item): Page<Item> {
    const { limit } = this.#page;
    const ids = this.#ids.slice(0, limit);
    return { items: ids.map(toItem), nextCursor: this.#ids.length > limit ? (ids.at(-1) ?? null) : null };
  }

  /** Finds the place of the first id that is not before this one. */
  #placeOf(id: string): number {
    let [low, high] = [0, this.#ids.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (compareCodePoints(this.#ids[middle] ?? '', id) < 0) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}
