import type { RuleValue } from './rules.ts';

/**
 * A rule compiled for one kind of record. The same tree is evaluated in memory, compiled to SQL, applied to the row
 * that a write would leave, and described to readers.
 */
export type Predicate =
  | { readonly type: 'constant'; readonly value: boolean }
  | { readonly type: 'authenticated' }
  /** A role of the caller's account. */
  | { readonly type: 'accountRole'; readonly roles: readonly string[] }
  /** A role on the record. */
  | { readonly type: 'resourceRole'; readonly roles: readonly string[] }
  | { readonly type: 'entitlement'; readonly entitlement: string }
  | { readonly type: 'fva'; readonly maxAgeSeconds: number }
  | { readonly type: 'equals'; readonly field: string; readonly value: RuleValue }
  | { readonly type: 'and' | 'or'; readonly operands: readonly Predicate[] };

/** A predicate that does not combine others. */
export type PredicateLeaf = Exclude<Predicate, { readonly type: 'and' | 'or' }>;

/**
 * What decides a leaf: the row, the caller, a requirement that the caller meets on the row, or nothing. Whatever asks
 * which part of a predicate is about the row asks this table, so a new leaf has to be in it.
 */
export const leafSubjects: Readonly<Record<PredicateLeaf['type'], 'row' | 'caller' | 'requirement' | 'nothing'>> = {
  constant: 'nothing',
  authenticated: 'caller',
  accountRole: 'caller',
  fva: 'caller',
  equals: 'row',
  resourceRole: 'requirement',
  entitlement: 'requirement',
};

/** Folds a predicate: converts every leaf, and combines the results as the predicate combines the leaves. */
export function foldPredicate<Value>(
  predicate: Predicate,
  toValue: (leaf: PredicateLeaf) => Value,
  combine: (type: 'and' | 'or', values: readonly Value[]) => Value,
): Value {
  if (!('operands' in predicate)) return toValue(predicate);
  return combine(
    predicate.type,
    predicate.operands.map((operand) => foldPredicate(operand, toValue, combine)),
  );
}

/** Says whether there could be a row that satisfies the predicate for a caller who is not signed in. */
export function allowsAnonymous(predicate: Predicate): boolean {
  return foldPredicate(predicate, isSatisfiedByAnonymous, (type, values) =>
    type === 'and' ? values.every(Boolean) : values.some(Boolean),
  );
}

function isSatisfiedByAnonymous(leaf: PredicateLeaf): boolean {
  if (leaf.type === 'constant') return leaf.value;
  return leaf.type === 'equals' && (typeof leaf.value !== 'object' || leaf.value === null);
}

/** Finds the greatest age of a second factor with which a predicate can be satisfied; undefined if it requires none. */
export function findMaxAge(predicate: Predicate): number | undefined {
  return foldPredicate<number | undefined>(
    predicate,
    (leaf) => (leaf.type === 'fva' ? leaf.maxAgeSeconds : undefined),
    (type, ages) => {
      const known = ages.filter((age) => age !== undefined);
      if (known.length === 0) return undefined;
      return type === 'and' ? Math.min(...known) : Math.max(...known);
    },
  );
}
