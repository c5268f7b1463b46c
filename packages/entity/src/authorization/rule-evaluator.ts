import type { AccessCheck, AccessContext, RuleCaller } from '@x/access';
import { evaluateRule, type Predicate, type RuleDecision, toRuleMeta } from '@x/access/rule';
import type { EntityRow, Resource } from '@x/store';
import type { AuthorizationScope, ProtectedEntity } from './authorization.ts';
import type { RuleDenial } from './errors.ts';
import { type EntitlementGrant, type Grant, type OperationRule, toGrantKey, toRolesKey } from './operation-rule.ts';
import { locateGrant } from './resource-columns.ts';

/** Which grants the caller has on a record, by their keys. */
export type Granted = ReadonlyMap<string, boolean>;

/** No grants at all. */
export const nothingGranted: Granted = new Map();

/** The outcome of a rule, and what would change it. */
interface Decision extends RuleDenial, Omit<RuleDecision, 'reasons'> {}

/** What a rule is evaluated on. */
interface Facts {
  readonly caller: RuleCaller;
  readonly now: Date;
  /** The record; null for what depends on none. */
  readonly row: EntityRow | null;
  readonly granted: Granted;
  /** Why the caller lacks entitlements, if that has been checked, by their names. */
  readonly checks?: ReadonlyMap<string, AccessCheck>;
}

/** Evaluates a rule in memory. */
export function evaluatePredicate(predicate: Predicate, facts: Facts): Decision {
  const { caller, now, row, granted, checks } = facts;
  const decision = evaluateRule(predicate, {
    caller,
    now,
    row,
    isEntitled: (entitlement) => granted.get(entitlement) ?? false,
    hasRole: (roles) => granted.get(toRolesKey(roles)) ?? false,
    reasonsOf: (entitlement) => checks?.get(entitlement)?.reasons ?? ['role_required'],
  });
  if (decision.allowed) return { ...decision, meta: nothingToChange };
  return { ...decision, meta: toRuleMeta(predicate, decision.reasons, checks && [...checks.values()]) };
}

const nothingToChange: Decision['meta'] = Object.freeze({});

/** Evaluates rules on the records of an entity for one caller. What the caller has on a single record is read once. */
export class RuleEvaluator {
  readonly #scope: AuthorizationScope;
  readonly #caller: RuleCaller;
  readonly #entity: ProtectedEntity;
  readonly #isNew: boolean;
  #known: Map<EntityRow, Map<string, boolean>> | undefined;

  /** @param isNew - whether the records do not exist yet */
  constructor(scope: AuthorizationScope, caller: RuleCaller, entity: ProtectedEntity, isNew: boolean) {
    this.#scope = scope;
    this.#caller = caller;
    this.#entity = entity;
    this.#isNew = isNew;
  }

  /** Says whether a record satisfies a rule. */
  async satisfies(rule: OperationRule, row: EntityRow): Promise<boolean> {
    return this.satisfiesWith(rule, row, await this.readGrants(row, rule.grants));
  }

  /** Says whether a record satisfies a rule with grants that were read, or assumed. */
  satisfiesWith({ predicate }: OperationRule, row: EntityRow, granted: Granted): boolean {
    return evaluatePredicate(predicate, this.#facts(row, granted)).allowed;
  }

  /** Says whether every record satisfies a rule, by who the caller is. */
  isSatisfiedByAll({ predicate }: OperationRule): boolean {
    return evaluatePredicate(predicate, this.#facts(null, nothingGranted)).allowed;
  }

  /** Evaluates a rule on a record, with the reasons of a denial. */
  async evaluate(rule: OperationRule, row: EntityRow): Promise<Decision> {
    const granted = await this.readGrants(row, rule.grants);
    return evaluateWithReasons(this.#scope.access, rule, {
      facts: this.#facts(row, granted),
      findTarget: (grant) => this.findTarget(grant, row),
    });
  }

  /** Reads grants on one record. */
  async readGrants(row: EntityRow, grants: readonly Grant[]): Promise<Granted> {
    if (grants.length === 0 || this.#caller.userId === null) return nothingGranted;
    const known = this.#known?.get(row);
    const missing = known ? grants.filter((grant) => !known.has(toGrantKey(grant))) : grants;
    if (known && missing.length === 0) return known;
    const read = await readGrants(this.#scope.access(), missing, (grant) => this.findTarget(grant, row));
    this.#known ??= new Map();
    const all = new Map([...(this.#known.get(row) ?? []), ...read]);
    this.#known.set(row, all);
    return all;
  }

  /** Reads grants on each of many records, in as many store calls as for one. Throws if a store does. */
  async readGrantsOnEach(rows: readonly EntityRow[], grants: readonly Grant[]): Promise<readonly Granted[]> {
    if (grants.length === 0 || this.#caller.userId === null) return rows.map(() => nothingGranted);
    const columns: (readonly [string, readonly boolean[]])[] = [];
    // One after another, because what the first one reads of roles and plans is not read again.
    for (const grant of grants) columns.push([toGrantKey(grant), await this.#hasGrantOnEach(grant, rows)]);
    return rows.map((_, at) => new Map(columns.map(([key, granted]) => [key, granted[at] ?? false])));
  }

  async #hasGrantOnEach(grant: Grant, rows: readonly EntityRow[]): Promise<readonly boolean[]> {
    const targets = rows.map((row) => this.findTarget(grant, row));
    const granted = await hasGrantOnEach(
      this.#scope.access(),
      grant,
      targets.filter((target) => target !== null),
    );
    const inOrder = granted.values();
    return targets.map((target) => target !== null && inOrder.next().value === true);
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

  #facts(row: EntityRow | null, granted: Granted): Facts {
    return { caller: this.#caller, now: this.#scope.now, row, granted };
  }
}

/** What a grant is checked on. */
interface CheckTarget {
  /** Undefined for the caller's current tenant. */
  readonly resource: Resource | undefined;
  /** The record, if it is the resource itself. */
  readonly row: EntityRow | undefined;
}

/** Finds what a grant is checked on; null if there is nothing, so that nobody has it. */
type FindTarget = (grant: Grant) => CheckTarget | null;

/** Evaluates a rule whose grants are checked on something other than a record, with the reasons of a denial. */
export async function evaluateWithoutRecord(
  { now, access }: AuthorizationScope,
  rule: OperationRule,
  { caller, findTarget }: { readonly caller: RuleCaller; readonly findTarget: FindTarget },
): Promise<Decision> {
  const granted = await readGrants(access(), rule.grants, findTarget);
  return evaluateWithReasons(access, rule, { facts: { caller, now, row: null, granted }, findTarget });
}

/** Checks all grants at once. */
async function readGrants(access: AccessContext, grants: readonly Grant[], findTarget: FindTarget): Promise<Granted> {
  const granted = grants.map(
    async (grant) => [toGrantKey(grant), await hasGrant(access, grant, findTarget(grant))] as const,
  );
  return new Map(await Promise.all(granted));
}

async function hasGrant(access: AccessContext, grant: Grant, target: CheckTarget | null): Promise<boolean> {
  if (!target) return false;
  const { resource, row } = target;
  if (grant.type === 'resourceRole') return resource ? access.records.hasRole(grant.roles, resource) : false;
  return access.records.isAllowed(grant.entitlement, resource, row);
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

/** Evaluates a rule with known grants. Only the reasons of a denial are read, all at once. */
async function evaluateWithReasons(
  access: () => AccessContext,
  { predicate, grants }: OperationRule,
  { facts, findTarget }: { readonly facts: Facts; readonly findTarget: FindTarget },
): Promise<Decision> {
  const decision = evaluatePredicate(predicate, facts);
  if (decision.allowed || facts.caller.userId === null) return decision;
  const entitlements = grants.filter((grant) => grant.type === 'entitlement');
  const missing = entitlements.filter((grant) => !facts.granted.get(toGrantKey(grant)));
  if (missing.length === 0) return decision;
  const checks = missing.map(
    async (grant) => [toGrantKey(grant), await check(access(), grant, findTarget(grant))] as const,
  );
  return evaluatePredicate(predicate, { ...facts, checks: new Map(await Promise.all(checks)) });
}

async function check(
  access: AccessContext,
  { entitlement }: EntitlementGrant,
  target: CheckTarget | null,
): Promise<AccessCheck> {
  return target ? access.check(entitlement, target.resource, target.row) : nothingToCheckOn;
}

const nothingToCheckOn: AccessCheck = { allowed: false, reasons: ['role_required'] };
