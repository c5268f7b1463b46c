import { evaluateRule, type RuleDecision, toRuleMeta } from '../rule/evaluate-rule.ts';
import { sortReasons } from '../outcome/access-check.ts';
import type { Predicate } from '../rule/predicate.ts';
import type { Layer } from './layer.ts';
import type { AccessQuestion, EvaluationContext } from './question.ts';

/** Checks that the record and the session satisfy the entitlement's rules. Without a record, they do not. */
export const ruleLayer: Layer = {
  findDenial(context, question) {
    const { rule } = question.entitlement;
    if (rule === undefined) return null;
    const { allowed, isRowRefused, reasons } = evaluate(context, question, rule);
    if (allowed) return null;
    // If the record's fields fail the rule, there is nothing the caller could act on: no user steps up in vain.
    const isHopeless = isRowRefused || reasons.length === 0;
    return {
      reasons: isHopeless ? sortReasons(['role_required', ...reasons]) : reasons,
      meta: toRuleMeta(rule, reasons),
    };
  },
};

function evaluate({ caller, now }: EvaluationContext, { row }: AccessQuestion, rule: Predicate): RuleDecision {
  const never = (): boolean => false;
  const decision = evaluateRule(rule, { caller, now: now(), row, isEntitled: never, hasRole: never });
  return row === null ? { ...decision, allowed: false } : decision;
}
