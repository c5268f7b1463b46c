import {
  type GrantedResources,
  type GrantedRoles,
  RequiredRoles,
  type Resource,
  type StoredChange,
  type Stores,
  type UserId,
} from '@x/store';
import { readText } from './read-text.ts';

/**
 * Says whether users have roles on resources, or had them before the changes of a batch. A deleted record loses its
 * roles and its parent in the same transaction, so afterwards no user seems to have been able to read it. A user who
 * loses a role by another change of the batch is notified of that change anyway.
 */
export class GrantedInBatch {
  readonly #stores: Pick<Stores, 'roleAssignments' | 'groups'>;
  readonly #read = new Map<string, Promise<GrantedRoles | undefined>>();
  readonly #groupIds = new Map<string, Promise<readonly string[]>>();
  readonly #removedRoles = new Map<string, Set<string>>();
  readonly #removedGroupRoles = new Map<string, Set<string>>();
  readonly #removedParents = new Map<string, Resource[]>();

  constructor(stores: Pick<Stores, 'roleAssignments' | 'groups'>, batch: readonly StoredChange[]) {
    this.#stores = stores;
    for (const { kind, entity, id, before, after } of batch) {
      if (before === null || after !== null) continue;
      const place = toKey({ type: entity, id });
      if (kind === 'role') {
        const [userId, groupId] = [readText(before, 'userId'), readText(before, 'groupId')];
        if (userId !== '') add(this.#removedRoles, toKey(place, userId), readText(before, 'role'));
        else add(this.#removedGroupRoles, toKey(place, groupId), readText(before, 'role'));
      }
      if (kind === 'hierarchy') {
        const parent = { type: readText(before, 'parentType'), id: readText(before, 'parentId') };
        this.#removedParents.set(place, [...(this.#removedParents.get(place) ?? []), parent]);
      }
    }
  }

  /** Says whether one of the granted resources has this id. */
  has(granted: GrantedResources, id: string): Promise<boolean> {
    return this.holds(granted, { type: granted.type, id }, new RequiredRoles(granted));
  }

  /** Says whether a user has one of these roles on a resource, directly or by inheritance. */
  async holds(granted: GrantedResources, resource: Resource, required: RequiredRoles): Promise<boolean> {
    const node = await this.#readNode(granted, resource);
    return this.#holdsAt(granted, node ?? { resource, roles: [], rolesByGroup: [], parents: [] }, required);
  }

  async #holdsAt(granted: GrantedResources, node: GrantedRoles, required: RequiredRoles): Promise<boolean> {
    const place = toKey(node.resource);
    const byGroup = node.rolesByGroup.map(({ role }) => role);
    const removed = await this.#removedFrom(place, granted.userId);
    const counts = granted.from?.some((each) => toKey(each) === place) ?? true;
    if (counts && [...node.roles, ...byGroup, ...removed].some((role) => required.roles.has(role))) return true;
    for (const parent of node.parents) {
      const above = required.above(parent.resource.type);
      if (above && (await this.#holdsAt(granted, parent, above))) return true;
    }
    for (const parent of this.#removedParents.get(place) ?? []) {
      const above = required.above(parent.type);
      if (above && (await this.holds(granted, parent, above))) return true;
    }
    return false;
  }

  /** Lists the roles that a user, or a group that they are in, had on a resource before the batch. */
  async #removedFrom(place: string, userId: UserId): Promise<readonly string[]> {
    const own = [...(this.#removedRoles.get(toKey(place, userId)) ?? [])];
    if (this.#removedGroupRoles.size === 0) return own;
    const groupIds = this.#groupIds.get(userId) ?? this.#stores.groups.listGroups({ userId });
    this.#groupIds.set(userId, groupIds);
    return [...own, ...(await groupIds).flatMap((id) => [...(this.#removedGroupRoles.get(toKey(place, id)) ?? [])])];
  }

  #readNode({ userId }: GrantedResources, resource: Resource): Promise<GrantedRoles | undefined> {
    const key = toKey(toKey(resource), userId);
    const known = this.#read.get(key);
    if (known) return known;
    const reading = this.#stores.roleAssignments.readPaths(userId, [resource]).then(([node]) => node);
    this.#read.set(key, reading);
    return reading;
  }
}

function toKey(first: Resource | string, second: string = ''): string {
  const start = typeof first === 'string' ? first : `${first.type}\0${first.id}`;
  return `${start}\0${second}`;
}

function add(sets: Map<string, Set<string>>, key: string, value: string): void {
  sets.set(key, (sets.get(key) ?? new Set<string>()).add(value));
}
