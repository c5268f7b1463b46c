import { all, type ConditionRow, matches, none } from '@x/store/where';
import { findMaxAge, foldPredicate, leafSubjects, type Predicate, type PredicateLeaf } from './predicate.ts';
import type { RuleCaller } from './rules.ts';
import { toWhere } from './to-where.ts';
import {
  type AccessCheck,
  type AccessMeta,
  type DenialReason,
  joinMeta,
  sortReasons,
} from '../outcome/access-check.ts';

/** The facts that a rule is evaluated on, with or without a record. */
export interface RuleFacts {
  readonly caller: RuleCaller;
  readonly now: Date;
  /** Null if there is no record: conditions on its fields are then not satisfied. */
  readonly row: ConditionRow | null;
  /** Whether the caller has an entitlement on the record. */
  readonly isEntitled: (entitlement: string) => boolean;
  /** Why the caller does not have an entitlement. Default: a missing role. */
  readonly reasonsOf?: (entitlement: string) => readonly DenialReason[];
  /** Whether the caller has one of the roles on the record. */
  readonly hasRole: (roles: readonly string[]) => boolean;
}

/** The outcome of a rule. */
export interface RuleDecision {
  readonly allowed: boolean;
  /** Whether the row's fields alone refuse it, for any roles and entitlements of the caller. */
  readonly isRowRefused: boolean;
  /** The reasons other than the row's fields, the most actionable first; empty if it is allowed. */
  readonly reasons: readonly DenialReason[];
}

/** Evaluates a predicate, with exactly the meaning of the condition that {@link toWhere} makes of it. */
export function evaluateRule(predicate: Predicate, facts: RuleFacts): RuleDecision {
  const outcome = foldPredicate<Outcome>(predicate, (leaf) => evaluateLeaf(leaf, facts), combine);
  return {
    allowed: outcome.isSatisfied,
    isRowRefused: !outcome.isSatisfiable,
    reasons: sortReasons(outcome.reasons),
  };
}

/**
 * Returns the conditions that would change a rule's denial.
 *
 * @param checks - the checks of the entitlements that the rule depends on
 */
export function toRuleMeta(
  predicate: Predicate,
  reasons: readonly DenialReason[],
  checks: readonly AccessCheck[] = [],
): AccessMeta {
  const maxAge = reasons.includes('step_up_required') ? findMaxAge(predicate) : undefined;
  if (maxAge === undefined) return joinMeta(checks);
  return joinMeta([{ reasons: ['step_up_required'], meta: { maxAge } }, ...checks]);
}

interface Outcome {
  readonly isSatisfied: boolean;
  /** Whether it would be satisfied by a caller with every role and entitlement. */
  readonly isSatisfiable: boolean;
  readonly reasons: readonly DenialReason[];
}

function evaluateLeaf(leaf: PredicateLeaf, facts: RuleFacts): Outcome {
  const isSatisfied = isLeafSatisfied(leaf, facts);
  const subject = leafSubjects[leaf.type];
  const isOfRow = subject === 'row' || subject === 'nothing';
  return {
    isSatisfied,
    isSatisfiable: isSatisfied || !isOfRow,
    reasons: isSatisfied || isOfRow ? [] : toReasons(leaf, facts),
  };
}

function isLeafSatisfied(leaf: PredicateLeaf, { caller, now, row, isEntitled, hasRole }: RuleFacts): boolean {
  const where = toWhere(leaf, {
    caller,
    now,
    whereEntitled: (entitlement) => (isEntitled(entitlement) ? all : none),
    whereRole: (roles) => (hasRole(roles) ? all : none),
  });
  if (where.type === 'constant') return where.value;
  return row !== null && matches(where, row);
}

function toReasons(leaf: PredicateLeaf, { caller, reasonsOf }: RuleFacts): readonly DenialReason[] {
  if (caller.userId === null) return ['not_authenticated'];
  if (leaf.type === 'entitlement' && reasonsOf) return reasonsOf(leaf.entitlement);
  return [leaf.type === 'fva' ? 'step_up_required' : 'role_required'];
}

function combine(type: 'and' | 'or', outcomes: readonly Outcome[]): Outcome {
  const decide = (is: (outcome: Outcome) => boolean): boolean =>
    type === 'and' ? outcomes.every(is) : outcomes.some(is);
  const isSatisfied = decide((outcome) => outcome.isSatisfied);
  return {
    isSatisfied,
    isSatisfiable: decide((outcome) => outcome.isSatisfiable),
    reasons: isSatisfied ? [] : outcomes.flatMap((outcome) => outcome.reasons),
  };
}
