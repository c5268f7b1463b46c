import { all, and, eq, isNull, none, or, type Where } from '@x/store/where';
import type { Placeholder, RuleCaller, RuleValue } from './rules.ts';
import { foldPredicate, type Predicate, type PredicateLeaf } from './predicate.ts';

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
  return foldPredicate(
    predicate,
    (leaf) => toCondition(leaf, binding),
    (type, operands) => (type === 'and' ? and(...operands) : or(...operands)),
  );
}

function toCondition(leaf: PredicateLeaf, { caller, now, whereEntitled, whereRole }: WhereBinding): Where {
  if (leaf.type === 'constant') return leaf.value ? all : none;
  if (leaf.type === 'equals') return toComparison(leaf.field, leaf.value, caller);
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
function toComparison(field: string, value: RuleValue, caller: RuleCaller): Where {
  if (value === null) return isNull(field);
  const known = typeof value === 'object' ? resolve(value, caller) : value;
  return known === null ? none : eq(field, known);
}

function resolve({ placeholder }: Placeholder, caller: RuleCaller): string | null {
  // A tenant without a user must match nothing for an anonymous caller.
  if (caller.userId === null) return null;
  return placeholder === 'user.id' ? caller.userId : caller.tenantId;
}

/** How far ahead of ours the clock may be that recorded a second factor. */
const clockLeewaySeconds = 5;

/** Says whether the caller verified a second factor within this time; a time in the future proves nothing. */
function hasFreshFactor({ secondFactorAt }: RuleCaller, maxAgeSeconds: number, now: Date): boolean {
  if (!secondFactorAt) return false;
  const age = (now.getTime() - secondFactorAt.getTime()) / 1000;
  return age >= -clockLeewaySeconds && age <= maxAgeSeconds;
}
