import type { Where } from '@x/store';
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

const always: Where = Object.freeze({ type: 'constant', value: true });
const never: Where = Object.freeze({ type: 'constant', value: false });

/** Converts a predicate to the condition for the rows that satisfy it for one caller at one moment. */
export function toWhere(predicate: Predicate, binding: WhereBinding): Where {
  return foldPredicate(predicate, (leaf) => toLeaf(leaf, binding), combine);
}

function toLeaf(leaf: PredicateLeaf, { caller, now, whereEntitled, whereRole }: WhereBinding): Where {
  if (leaf.type === 'constant') return leaf.value ? always : never;
  if (leaf.type === 'equals') return toCondition(leaf.field, leaf.value, caller);
  if (caller.userId === null) return never;
  switch (leaf.type) {
    case 'authenticated':
      return always;
    case 'accountRole':
      return caller.role !== null && leaf.roles.includes(caller.role) ? always : never;
    case 'resourceRole':
      return whereRole(leaf.roles);
    case 'entitlement':
      return whereEntitled(leaf.entitlement);
    case 'fva':
      return hasFreshFactor(caller, leaf.maxAgeSeconds, now) ? always : never;
  }
}

/** An unknown value of the caller equals nothing, not even a field without a value. */
function toCondition(field: string, value: RuleValue, caller: RuleCaller): Where {
  if (value === null) return { type: 'isNull', column: field };
  const known = typeof value === 'object' ? resolvePlaceholder(caller, value.placeholder) : value;
  return known === null ? never : { type: 'compare', column: field, operator: 'eq', value: known };
}

/** Folds constants, so that a database is not asked what is already known. */
function combine(type: 'and' | 'or', operands: readonly Where[]): Where {
  const decisive = type === 'or';
  if (operands.some((operand) => operand.type === 'constant' && operand.value === decisive)) {
    return decisive ? always : never;
  }
  const rest = operands.filter((operand) => operand.type !== 'constant');
  const [only] = rest;
  if (!only) return decisive ? never : always;
  return rest.length === 1 ? only : { type, operands: rest };
}
