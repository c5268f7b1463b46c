import {
  type AccessCheck,
  evaluateRule,
  findMaxAge,
  type Predicate,
  type RuleCaller,
  type RuleDecision,
} from '@x/access';
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
export function evaluate(predicate: Predicate, facts: Facts): Decision {
  const { caller, now, row, granted, checks } = facts;
  const decision = evaluateRule(predicate, {
    caller,
    now,
    row,
    isEntitled: (entitlement) => granted.get(entitlement) ?? false,
    hasRole: (roles) => granted.get(toRolesKey(roles)) ?? false,
    reasonsOf: (entitlement) => checks?.get(entitlement)?.reasons ?? ['role_required'],
  });
  return { ...decision, meta: decision.allowed ? nothingToChange : toMeta(decision, predicate, checks) };
}

const nothingToChange: Decision['meta'] = Object.freeze({});

function toMeta({ reasons }: RuleDecision, predicate: Predicate, checks: Facts['checks']): Decision['meta'] {
  const maxAge = reasons.includes('step_up_required') ? findMaxAge(predicate) : undefined;
  const ofChecks = [...(checks?.values() ?? [])].map(({ meta }) => meta);
  return Object.assign({}, maxAge === undefined ? {} : { maxAge }, ...ofChecks);
}
