import { type ConditionRow, matches } from '@x/store/where';
import { sortReasons, type DenialReason } from '../decision/denial-reason.ts';
import { foldPredicate, type Predicate, type PredicateLeaf } from './predicate.ts';
import type { RuleCaller } from './rule-caller.ts';
import { toWhere } from './to-where.ts';

/** The facts that a rule is evaluated on, with or without a record. */
export interface RuleFacts {
  readonly caller: RuleCaller;
  readonly now: Date;
  /** Null if there is no record: conditions on its fields then do not hold. */
  readonly row: ConditionRow | null;
  /** Whether the caller holds an entitlement on the record. */
  readonly isEntitled: (entitlement: string) => boolean;
  /** Why the caller does not hold an entitlement. Default: a missing role. */
  readonly reasonsOf?: (entitlement: string) => readonly DenialReason[];
  /** Whether the caller has one of the roles on the record. */
  readonly hasRole: (roles: readonly string[]) => boolean;
}

/** The outcome of a rule. */
export interface RuleDecision {
  readonly allowed: boolean;
  /** Whether the row's fields alone refuse it, whatever the caller's roles and entitlements. */
  readonly isRowRefused: boolean;
  /** The reasons other than the row's fields, the most actionable first; empty if it is allowed. */
  readonly reasons: readonly DenialReason[];
}

/** Evaluates a predicate, with exactly the meaning of the condition that {@link toWhere} makes of it. */
export function evaluateRule(predicate: Predicate, facts: RuleFacts): RuleDecision {
  const outcomes = foldPredicate<Outcome>(predicate, (leaf) => toOutcome(leaf, facts), combine);
  return {
    allowed: outcomes.holds,
    isRowRefused: !outcomes.couldHold,
    reasons: sortReasons(outcomes.reasons),
  };
}

interface Outcome {
  readonly holds: boolean;
  /** Whether it would hold for a caller with every role and entitlement. */
  readonly couldHold: boolean;
  readonly reasons: readonly DenialReason[];
}

function toOutcome(leaf: PredicateLeaf, facts: RuleFacts): Outcome {
  const holds = holdsFor(leaf, facts);
  const isOfRow = leaf.type === 'equals' || leaf.type === 'constant';
  return { holds, couldHold: holds || !isOfRow, reasons: holds || isOfRow ? [] : toReasons(leaf, facts) };
}

function holdsFor(leaf: PredicateLeaf, { caller, now, row, isEntitled, hasRole }: RuleFacts): boolean {
  const toConstant = (value: boolean): { type: 'constant'; value: boolean } => ({ type: 'constant', value });
  const where = toWhere(leaf, {
    caller,
    now,
    whereEntitled: (entitlement) => toConstant(isEntitled(entitlement)),
    whereRole: (roles) => toConstant(hasRole(roles)),
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
  const decide = (pick: (outcome: Outcome) => boolean): boolean =>
    type === 'and' ? outcomes.every(pick) : outcomes.some(pick);
  const holds = decide((outcome) => outcome.holds);
  return {
    holds,
    couldHold: decide((outcome) => outcome.couldHold),
    reasons: holds ? [] : outcomes.flatMap((outcome) => outcome.reasons),
  };
}
