import type { AccessCheck, RuleCaller } from '@x/access';
import { evaluateRule, type Predicate, type RuleDecision, toRuleMeta } from '@x/access/rule';
import type { EntityRow } from '@x/store';
import type { RuleDenial } from './errors.ts';
import { toRolesKey } from './operation-rule.ts';

/** The outcome of a rule, and what would change it. */
export interface Decision extends RuleDenial, Omit<RuleDecision, 'reasons'> {}

/** Which grants the caller has on a record, by their keys. */
export type Granted = ReadonlyMap<string, boolean>;

/** No grants at all. */
export const nothingGranted: Granted = new Map();

/** What a rule is evaluated on. */
export interface Facts {
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
