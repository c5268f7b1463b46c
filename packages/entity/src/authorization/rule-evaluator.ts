import type { AccessCheck, AccessContext, RuleCaller } from '@x/access';
import { evaluateRule, type Predicate, type RuleDecision, toRuleMeta } from '@x/access/rule';
import type { EntityRow, Resource } from '@x/store';
import type { AuthorizationCall, ProtectedEntity, RuleContext } from './authorization.ts';
import type { RuleDenial } from './errors.ts';
import {
  type EntitlementRequirement,
  type Requirement,
  type OperationRule,
  toRequirementKey,
  toRolesKey,
} from './operation-rule.ts';
import { locateRequirement, locateRequirementOfNew, resourceAt } from './resource-columns.ts';

/**
 * What the records of a decision are: stored, new, or about to move to a parent in the same tenant, where they count
 * already, so that limits do not matter.
 */
export type RecordState = 'stored' | 'new' | 'moved';

/** Which requirements the caller satisfies on a record, by their keys. */
export type Granted = ReadonlyMap<string, boolean>;

/** None of them. */
export const nothingGranted: Granted = new Map();

/** The outcome of a rule, and hints how to change it. */
interface Decision extends RuleDenial, Omit<RuleDecision, 'reasons'> {}

/** The input of the evaluation of a rule. */
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

/**
 * Evaluates rules on the records of an entity for one caller. The caller's roles and entitlements on a single record
 * are read once.
 */
export class RuleEvaluator {
  readonly #call: AuthorizationCall;
  readonly #caller: RuleCaller;
  readonly #entity: ProtectedEntity;
  readonly #state: RecordState;
  #known: Map<EntityRow, Map<string, boolean>> | undefined;

  constructor({ call, caller, entity }: RuleContext, state: RecordState) {
    this.#call = call;
    this.#caller = caller;
    this.#entity = entity;
    this.#state = state;
  }

  /** Says whether a record satisfies a rule. */
  async satisfies(rule: OperationRule, row: EntityRow): Promise<boolean> {
    return this.satisfiesWith(rule, row, await this.readGranted(row, rule.requirements));
  }

  /** Says whether a record satisfies a rule, given which requirements were read, or assumed, to be satisfied. */
  satisfiesWith({ predicate }: OperationRule, row: EntityRow, granted: Granted): boolean {
    return evaluatePredicate(predicate, this.#facts(row, granted)).allowed;
  }

  /** Says whether every record satisfies a rule, by who the caller is. */
  isSatisfiedByAll({ predicate }: OperationRule): boolean {
    return evaluatePredicate(predicate, this.#facts(null, nothingGranted)).allowed;
  }

  /** Evaluates a rule on a record, with the reasons of a denial. */
  async evaluate(rule: OperationRule, row: EntityRow): Promise<Decision> {
    const granted = await this.readGranted(row, rule.requirements);
    return evaluateWithReasons(this.#call.access, rule, {
      facts: this.#facts(row, granted),
      findTarget: (requirement) => this.findTarget(requirement, row),
    });
  }

  /** Reads which requirements the caller satisfies on one record. */
  async readGranted(row: EntityRow, requirements: readonly Requirement[]): Promise<Granted> {
    if (requirements.length === 0 || this.#caller.userId === null) return nothingGranted;
    const known = this.#known?.get(row);
    const missing = known
      ? requirements.filter((requirement) => !known.has(toRequirementKey(requirement)))
      : requirements;
    if (known && missing.length === 0) return known;
    const read = await readGranted(this.#call.access(), missing, {
      findTarget: (requirement) => this.findTarget(requirement, row),
      ignoresLimits: this.#state === 'moved',
    });
    this.#known ??= new Map();
    const all = new Map([...(this.#known.get(row) ?? []), ...read]);
    this.#known.set(row, all);
    return all;
  }

  /** Does the same on each of many records, in as many store calls as for one. Throws if a store does. */
  async readGrantedOnEach(
    rows: readonly EntityRow[],
    requirements: readonly Requirement[],
  ): Promise<readonly Granted[]> {
    if (requirements.length === 0 || this.#caller.userId === null) return rows.map(() => nothingGranted);
    const columns: (readonly [string, readonly boolean[]])[] = [];
    // One after another, because the roles and plans that the first one reads are not read again.
    for (const requirement of requirements)
      columns.push([toRequirementKey(requirement), await this.#isGrantedOnEach(requirement, rows)]);
    return rows.map((_, at) => new Map(columns.map(([key, granted]) => [key, granted[at] ?? false])));
  }

  async #isGrantedOnEach(requirement: Requirement, rows: readonly EntityRow[]): Promise<readonly boolean[]> {
    const targets = rows.map((row) => this.findTarget(requirement, row));
    const granted = await isGrantedOnEach(
      this.#call.access(),
      requirement,
      targets.filter((target) => target !== null),
    );
    const inOrder = granted.values();
    return targets.map((target) => target !== null && inOrder.next().value === true);
  }

  /** Finds what a requirement is checked on for a record. */
  findTarget(requirement: Requirement, row: EntityRow): CheckTarget | null {
    const columns = this.#call.context.resourceColumns.get(this.#entity.name);
    const location =
      this.#state === 'stored'
        ? locateRequirement(columns, requirement)
        : locateRequirementOfNew(columns, requirement, row);
    if (location.type === 'nowhere') return null;
    if (location.type === 'tenant') return { resource: undefined, row: undefined };
    const resource = resourceAt(location, row);
    return resource && { resource, row: location.column === 'id' ? row : undefined };
  }

  #facts(row: EntityRow | null, granted: Granted): Facts {
    return { caller: this.#caller, now: this.#call.now, row, granted };
  }
}

/** The resource on which a requirement is checked. */
interface CheckTarget {
  /** Undefined for the caller's current tenant. */
  readonly resource: Resource | undefined;
  /** The record, if it is the resource itself. */
  readonly row: EntityRow | undefined;
}

/** Finds the target of the check of a requirement; null if there is none, so that no caller satisfies it. */
type FindTarget = (requirement: Requirement) => CheckTarget | null;

/** Evaluates a rule whose requirements are checked on something other than a record, with the reasons of a denial. */
export async function evaluateWithoutRecord(
  { now, access }: AuthorizationCall,
  rule: OperationRule,
  { caller, findTarget }: { readonly caller: RuleCaller; readonly findTarget: FindTarget },
): Promise<Decision> {
  const granted = await readGranted(access(), rule.requirements, { findTarget, ignoresLimits: false });
  return evaluateWithReasons(access, rule, { facts: { caller, now, row: null, granted }, findTarget });
}

/** How requirements are checked. */
interface RequirementCheck {
  readonly findTarget: FindTarget;
  readonly ignoresLimits: boolean;
}

/** Checks all requirements at once. */
async function readGranted(
  access: AccessContext,
  requirements: readonly Requirement[],
  check: RequirementCheck,
): Promise<Granted> {
  const granted = requirements.map(
    async (requirement) => [toRequirementKey(requirement), await isGranted(access, requirement, check)] as const,
  );
  return new Map(await Promise.all(granted));
}

async function isGranted(
  access: AccessContext,
  requirement: Requirement,
  { findTarget, ignoresLimits }: RequirementCheck,
): Promise<boolean> {
  const target = findTarget(requirement);
  if (!target) return false;
  const { resource, row } = target;
  if (requirement.type === 'resourceRole')
    return resource ? access.records.hasRole(requirement.roles, resource) : false;
  const { entitlement } = requirement;
  if (!ignoresLimits) return access.records.isAllowed(entitlement, resource, row);
  const { reasons } = await access.check(entitlement, resource, row);
  return reasons.every((reason) => reason === 'limit_reached');
}

async function isGrantedOnEach(
  access: AccessContext,
  requirement: Requirement,
  targets: readonly CheckTarget[],
): Promise<readonly boolean[]> {
  if (requirement.type === 'resourceRole') {
    const resources = targets.flatMap(({ resource }) => resource ?? []);
    return access.records.hasRoleOnEach(requirement.roles, resources);
  }
  const { entitlement } = requirement;
  const checks = targets.map(({ resource, row }) => ({
    entitlement,
    ...(resource && { resource }),
    ...(row && { row }),
  }));
  return (await access.checkAll(checks)).map(({ allowed }) => allowed);
}

/** Evaluates a rule whose requirements are known. Only the reasons of a denial are read, all at once. */
async function evaluateWithReasons(
  access: () => AccessContext,
  { predicate, requirements }: OperationRule,
  { facts, findTarget }: { readonly facts: Facts; readonly findTarget: FindTarget },
): Promise<Decision> {
  const decision = evaluatePredicate(predicate, facts);
  if (decision.allowed || facts.caller.userId === null) return decision;
  const entitlements = requirements.filter((requirement) => requirement.type === 'entitlement');
  const missing = entitlements.filter((requirement) => !facts.granted.get(toRequirementKey(requirement)));
  if (missing.length === 0) return decision;
  const checks = missing.map(
    async (requirement) =>
      [toRequirementKey(requirement), await check(access(), requirement, findTarget(requirement))] as const,
  );
  return evaluatePredicate(predicate, { ...facts, checks: new Map(await Promise.all(checks)) });
}

async function check(
  access: AccessContext,
  { entitlement }: EntitlementRequirement,
  target: CheckTarget | null,
): Promise<AccessCheck> {
  return target ? access.check(entitlement, target.resource, target.row) : nothingToCheckOn;
}

const nothingToCheckOn: AccessCheck = { allowed: false, reasons: ['role_required'] };
