import { foldPredicate, type Predicate } from './predicate.ts';

/** Finds the greatest age of a second factor with which a predicate can hold; undefined if it does not ask for one. */
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
