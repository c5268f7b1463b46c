import { admitsAnonymous, foldPredicate, type Predicate } from '@x/access';

/** The rule of one operation, taken apart once into what each step of a request needs. */
export interface OperationRule {
  /** All of it: the condition of lists and mutations, and what a written row has to satisfy. */
  readonly predicate: Predicate;
  /** What of it goes into the query for one row: whatever `any` does not stand around. */
  readonly lookup: Predicate;
  /** Whether the rest, alternatives that depend on the row, is decided in memory on the row that was found. */
  readonly isDecidedInMemory: boolean;
  /** What of it no row can help with; null where whoever is signed in satisfies that. */
  readonly callerPart: Predicate | null;
  readonly admitsAnonymous: boolean;
}

/** Takes a predicate apart. */
export function toOperationRule(predicate: Predicate): OperationRule {
  const parts = predicate.type === 'and' ? predicate.operands : [predicate];
  const isAlternative = (part: Predicate): boolean => part.type === 'or' && dependsOnRow(part);
  return Object.freeze({
    predicate,
    lookup: { type: 'and' as const, operands: parts.filter((part) => !isAlternative(part)) },
    isDecidedInMemory: parts.some(isAlternative),
    callerPart: asksMoreThanSignIn(predicate) ? toCallerPart(predicate) : null,
    admitsAnonymous: admitsAnonymous(predicate),
  });
}

/** Says whether a predicate asks for anything of the row. */
export function dependsOnRow(predicate: Predicate): boolean {
  return foldPredicate(
    predicate,
    (leaf) => leaf.type === 'equals',
    (_, parts) => parts.some(Boolean),
  );
}

/** A role or a second factor is asked for somewhere, or nothing satisfies it at all. */
function asksMoreThanSignIn(predicate: Predicate): boolean {
  return foldPredicate(
    predicate,
    (leaf) => (leaf.type === 'constant' ? !leaf.value : leaf.type !== 'equals' && leaf.type !== 'authenticated'),
    (_, parts) => parts.some(Boolean),
  );
}

/** Some row may satisfy any condition on rows. */
function toCallerPart(predicate: Predicate): Predicate {
  return foldPredicate<Predicate>(
    predicate,
    (leaf) => (leaf.type === 'equals' ? { type: 'constant', value: true } : leaf),
    (type, operands) => ({ type, operands }),
  );
}
