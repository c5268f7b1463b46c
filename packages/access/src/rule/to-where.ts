import { all, and, eq, isNull, none, or, type Where } from '@x/store/where';
import { foldPredicate, type Predicate, type PredicateLeaf } from './predicate.ts';
import { hasFreshFactor, resolvePlaceholder, type RuleCaller } from './rule-caller.ts';
import type { RuleValue } from './rule.ts';

/** The facts that a predicate is converted with. */
export interface WhereBinding {
  readonly caller: RuleCaller;
  readonly now: Date;
  /** The rows on which the caller has an entitlement. Only called for signed-in callers. */
  readonly whereEntitled: (entitlement: string) => Where;
  /** The rows on which the caller has one of the roles. Only called for signed-in callers. */
  readonly whereRole: (roles: readonly string[]) => Where;
}

/** Converts a predicate to the condition for the rows that satisfy it for one caller at one moment. */
export function toWhere(predicate: Predicate, binding: WhereBinding): Where {
  return foldPredicate(predicate, (leaf) => toLeaf(leaf, binding), join);
}

function toLeaf(leaf: PredicateLeaf, { caller, now, whereEntitled, whereRole }: WhereBinding): Where {
  if (leaf.type === 'constant') return leaf.value ? all : none;
  if (leaf.type === 'equals') return toCondition(leaf.field, leaf.value, caller);
  if (caller.userId === null) return none;
  switch (leaf.type) {
    case 'authenticated':
      return all;
    case 'accountRole':
      return caller.role !== null && leaf.roles.includes(caller.role) ? all : none;
    case 'resourceRole':
      return whereRole(leaf.roles);
    case 'entitlement':
      return whereEntitled(leaf.entitlement);
    case 'fva':
      return hasFreshFactor(caller, leaf.maxAgeSeconds, now) ? all : none;
  }
}

/** An unknown value of the caller equals nothing, not even a field without a value. */
function toCondition(field: string, value: RuleValue, caller: RuleCaller): Where {
  if (value === null) return isNull(field);
  const known = typeof value === 'object' ? resolvePlaceholder(caller, value.placeholder) : value;
  return known === null ? none : eq(field, known);
}

function join(type: 'and' | 'or', operands: readonly Where[]): Where {
  return type === 'and' ? and(...operands) : or(...operands);
}
