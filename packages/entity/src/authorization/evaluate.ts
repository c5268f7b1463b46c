import type { AccessCheck, AccessContext, RuleCaller } from '@x/access';
import { evaluateRule, type Predicate, type RuleDecision, toRuleMeta } from '@x/access/rule';
import type { EntityRow } from '@x/store';
import type { AuthorizationScope, ProtectedEntity } from './authorization.ts';
import type { RuleDenial } from './errors.ts';
import { type CheckTarget, type FindTarget, type Granted, nothingGranted, RecordGrants } from './grants.ts';
import { type EntitlementGrant, type OperationRule, toGrantKey, toRolesKey } from './operation-rule.ts';

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

/** Evaluates rules on the records of an entity for one caller. */
export class RuleEvaluator {
  /** What the caller has on the records. */
  readonly grants: RecordGrants;
  readonly #scope: AuthorizationScope;
  readonly #caller: RuleCaller;

  /** @param isNew - whether the records do not exist yet */
  constructor(scope: AuthorizationScope, caller: RuleCaller, entity: ProtectedEntity, isNew: boolean) {
    this.#scope = scope;
    this.#caller = caller;
    this.grants = new RecordGrants(scope, entity, isNew);
  }

  /** Says whether a record satisfies a rule. */
  async satisfies(rule: OperationRule, row: EntityRow): Promise<boolean> {
    return this.satisfiesWith(rule, row, await this.grants.read(row, rule.grants));
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
    const granted = await this.grants.read(row, rule.grants);
    return evaluateWithReasons(this.#scope.access, rule, {
      facts: this.#facts(row, granted),
      findTarget: (grant) => this.grants.findTarget(grant, row),
    });
  }

  #facts(row: EntityRow | null, granted: Granted): Facts {
    return { caller: this.#caller, now: this.#scope.now, row, granted };
  }
}

/** Evaluates a rule with known grants. Only the reasons of a denial are read, all at once. */
export async function evaluateWithReasons(
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
