import type { AccessCheck, AccessContext } from '@x/access';
import type { Awaitable } from '@x/errors';
import type { EntityRow, Resource } from '@x/store';
import type { AuthorizationScope, ProtectedEntity } from './authorization.ts';
import { type Decision, evaluatePredicate, type Facts, type Granted, nothingGranted } from './evaluate.ts';
import { type Grant, type OperationRule, toGrantKey } from './operation-rule.ts';
import { columnOf } from './resource-columns.ts';

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
  findCheckedOn: FindTarget,
): Promise<Granted> {
  const granted = grants.map(
    async (grant) => [toGrantKey(grant), await hasGrant(access, grant, findCheckedOn(grant))] as const,
  );
  return new Map(await Promise.all(granted));
}

function hasGrant(access: AccessContext, grant: Grant, on: CheckTarget | null): Awaitable<boolean> {
  if (!on) return false;
  if (grant.type === 'resourceRole') return on.resource ? access.hasRole(grant.roles, on.resource) : false;
  return access.can(grant.entitlement, on.resource, on.row);
}

/** Evaluates a rule with known grants. Only the reasons of a denial are read, all at once. */
export function evaluateWithReasons(
  access: () => AccessContext,
  { predicate, grants }: OperationRule,
  { facts, findCheckedOn }: { readonly facts: Facts; readonly findCheckedOn: FindTarget },
): Awaitable<Decision> {
  const decision = evaluatePredicate(predicate, facts);
  if (decision.allowed || facts.caller.userId === null) return decision;
  const missing = grants.filter((grant) => grant.type === 'entitlement' && !facts.granted.get(toGrantKey(grant)));
  if (missing.length === 0) return decision;
  const checks = missing.map(
    async (grant) => [toGrantKey(grant), await check(access(), grant, findCheckedOn(grant))] as const,
  );
  return Promise.all(checks).then((known) => evaluatePredicate(predicate, { ...facts, checks: new Map(known) }));
}

async function check(access: AccessContext, grant: Grant, on: CheckTarget | null): Promise<AccessCheck> {
  if (!on || grant.type !== 'entitlement') return { allowed: false, reasons: ['role_required'] };
  return access.check(grant.entitlement, on.resource, on.row);
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

  /** Returns grants on one record; synchronously if there are none to read. */
  read(row: EntityRow, grants: readonly Grant[]): Awaitable<Granted> {
    if (grants.length === 0 || this.#scope.actor.caller.userId === null) return nothingGranted;
    const known = this.#known?.get(row);
    const missing = known ? grants.filter((grant) => !known.has(toGrantKey(grant))) : grants;
    return known && missing.length === 0 ? known : this.#read(row, missing);
  }

  async #read(row: EntityRow, grants: readonly Grant[]): Promise<Granted> {
    const read = await readGrants(this.#scope.access(), grants, (grant) => this.findTarget(grant, row));
    this.#known ??= new Map();
    const known = new Map([...(this.#known.get(row) ?? []), ...read]);
    this.#known.set(row, known);
    return known;
  }

  /** Finds what a grant is checked on for a record. */
  findTarget(grant: Grant, row: EntityRow): CheckTarget | null {
    const { name, resource } = this.#entity;
    const columns = this.#scope.context.resourceColumns.get(name);
    const place = columnOf(resource, columns, { grant, isNew: this.#isNew });
    if (place === undefined) return null;
    if (place === null) return { resource: undefined, row: undefined };
    const id = row[place.column];
    if (typeof id !== 'string') return null;
    return { resource: { type: place.type, id }, row: place.column === 'id' ? row : undefined };
  }

  /** Returns grants on each of many records, in as many store calls as for one. Throws if a store does. */
  async readEach(rows: readonly EntityRow[], grants: readonly Grant[]): Promise<readonly Granted[]> {
    if (grants.length === 0 || this.#scope.actor.caller.userId === null) return rows.map(() => nothingGranted);
    const columns: (readonly [string, readonly boolean[]])[] = [];
    // One after another, because what the first one reads of roles and plans is not read again.
    for (const grant of grants) columns.push([toGrantKey(grant), await this.#readEach(grant, rows)]);
    return rows.map((_, at) => new Map(columns.map(([key, granted]) => [key, granted[at] ?? false])));
  }

  async #readEach(grant: Grant, rows: readonly EntityRow[]): Promise<readonly boolean[]> {
    const places = rows.map((row) => this.findTarget(grant, row));
    const granted = await hasGrantOnEach(
      this.#scope.access(),
      grant,
      places.filter((place) => place !== null),
    );
    const inOrder = granted.values();
    return places.map((place) => place !== null && inOrder.next().value === true);
  }
}

async function hasGrantOnEach(
  access: AccessContext,
  grant: Grant,
  places: readonly CheckTarget[],
): Promise<readonly boolean[]> {
  if (grant.type === 'resourceRole') {
    const resources = places.flatMap(({ resource }) => resource ?? []);
    return access.hasRoleOnEach(grant.roles, resources);
  }
  const { entitlement } = grant;
  const checks = places.map(({ resource, row }) => ({
    entitlement,
    ...(resource && { resource }),
    ...(row && { row }),
  }));
  return (await access.checkAll(checks)).map(({ allowed }) => allowed);
}
