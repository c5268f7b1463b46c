import type { AccessContext } from '@x/access';
import type { EntityRow, Resource } from '@x/store';
import type { AuthorizationScope, ProtectedEntity } from './authorization.ts';
import { type Grant, toGrantKey } from './operation-rule.ts';
import { locateGrant } from './resource-columns.ts';

/** Which grants the caller has on a record, by their keys. */
export type Granted = ReadonlyMap<string, boolean>;

/** No grants at all. */
export const nothingGranted: Granted = new Map();

/** What a grant is checked on. */
export interface CheckTarget {
  /** Undefined for the caller's current tenant. */
  readonly resource: Resource | undefined;
  /** The record, if it is the resource itself. */
  readonly row: EntityRow | undefined;
}

/** Finds what a grant is checked on; null if there is nothing, so that nobody has it. */
export type FindTarget = (grant: Grant) => CheckTarget | null;

/** Checks all grants at once. */
export async function readGrants(
  access: AccessContext,
  grants: readonly Grant[],
  findTarget: FindTarget,
): Promise<Granted> {
  const granted = grants.map(
    async (grant) => [toGrantKey(grant), await hasGrant(access, grant, findTarget(grant))] as const,
  );
  return new Map(await Promise.all(granted));
}

async function hasGrant(access: AccessContext, grant: Grant, target: CheckTarget | null): Promise<boolean> {
  if (!target) return false;
  const { resource, row } = target;
  if (grant.type === 'resourceRole') return resource ? access.records.hasRole(grant.roles, resource) : false;
  return access.can(grant.entitlement, resource, row);
}

/** The grants that the caller has on the records of an entity; those on a single record are read once. */
export class RecordGrants {
  readonly #scope: AuthorizationScope;
  readonly #entity: ProtectedEntity;
  readonly #isNew: boolean;
  #known: Map<EntityRow, Map<string, boolean>> | undefined;

  /** @param isNew - whether the records do not exist yet */
  constructor(scope: AuthorizationScope, entity: ProtectedEntity, isNew: boolean) {
    this.#scope = scope;
    this.#entity = entity;
    this.#isNew = isNew;
  }

  /** Reads grants on one record. */
  async read(row: EntityRow, grants: readonly Grant[]): Promise<Granted> {
    if (grants.length === 0 || this.#scope.actor.caller.userId === null) return nothingGranted;
    const known = this.#known?.get(row);
    const missing = known ? grants.filter((grant) => !known.has(toGrantKey(grant))) : grants;
    if (known && missing.length === 0) return known;
    const read = await readGrants(this.#scope.access(), missing, (grant) => this.findTarget(grant, row));
    this.#known ??= new Map();
    const all = new Map([...(this.#known.get(row) ?? []), ...read]);
    this.#known.set(row, all);
    return all;
  }

  /** Finds what a grant is checked on for a record. */
  findTarget(grant: Grant, row: EntityRow): CheckTarget | null {
    const columns = this.#scope.context.resourceColumns.get(this.#entity.name);
    const location = locateGrant(columns, grant, this.#isNew);
    if (location.type === 'nowhere') return null;
    if (location.type === 'tenant') return { resource: undefined, row: undefined };
    const { resourceType, column } = location;
    const id = row[column];
    if (typeof id !== 'string') return null;
    return { resource: { type: resourceType, id }, row: column === 'id' ? row : undefined };
  }

  /** Reads grants on each of many records, in as many store calls as for one. Throws if a store does. */
  async readEach(rows: readonly EntityRow[], grants: readonly Grant[]): Promise<readonly Granted[]> {
    if (grants.length === 0 || this.#scope.actor.caller.userId === null) return rows.map(() => nothingGranted);
    const columns: (readonly [string, readonly boolean[]])[] = [];
    // One after another, because what the first one reads of roles and plans is not read again.
    for (const grant of grants) columns.push([toGrantKey(grant), await this.#readEach(grant, rows)]);
    return rows.map((_, at) => new Map(columns.map(([key, granted]) => [key, granted[at] ?? false])));
  }

  async #readEach(grant: Grant, rows: readonly EntityRow[]): Promise<readonly boolean[]> {
    const targets = rows.map((row) => this.findTarget(grant, row));
    const granted = await hasGrantOnEach(
      this.#scope.access(),
      grant,
      targets.filter((target) => target !== null),
    );
    const inOrder = granted.values();
    return targets.map((target) => target !== null && inOrder.next().value === true);
  }
}

async function hasGrantOnEach(
  access: AccessContext,
  grant: Grant,
  targets: readonly CheckTarget[],
): Promise<readonly boolean[]> {
  if (grant.type === 'resourceRole') {
    const resources = targets.flatMap(({ resource }) => resource ?? []);
    return access.records.hasRoleOnEach(grant.roles, resources);
  }
  const { entitlement } = grant;
  const checks = targets.map(({ resource, row }) => ({
    entitlement,
    ...(resource && { resource }),
    ...(row && { row }),
  }));
  return (await access.checkAll(checks)).map(({ allowed }) => allowed);
}
