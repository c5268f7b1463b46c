import { foldPredicate, type Predicate } from './predicate.ts';

/** Finds how old a second factor may be at most that satisfies a predicate; undefined where it asks for none. */
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
