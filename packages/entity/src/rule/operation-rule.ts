import { admitsAnonymous, foldPredicate, type Predicate, type PredicateLeaf } from '@x/access';

/** What a rule asks of the access definition: an entitlement, or a role on the record. */
export type Grant = Extract<PredicateLeaf, { readonly type: 'entitlement' | 'resourceRole' }>;

/** What a rule asks of plans and limits, too. */
export type EntitlementGrant = Extract<Grant, { readonly type: 'entitlement' }>;

/** The rule of one operation, taken apart once into what each step of a request needs. */
export interface OperationRule {
  /** All of it: the condition of lists and mutations, and what a written row has to satisfy. */
  readonly predicate: Predicate;
  /** What of it goes into the query for one row: whatever `any` does not stand around. */
  readonly lookup: Predicate;
  /** The same without grants: who lacks one is told so, where the record may be seen. */
  readonly ungrantedLookup: Predicate;
  /** Whether the rest, alternatives that depend on the row, is decided in memory on the row that was found. */
  readonly isDecidedInMemory: boolean;
  /** What of it no row can help with; null where whoever is signed in satisfies that. */
  readonly callerPart: Predicate | null;
  readonly admitsAnonymous: boolean;
  /** What it asks of the access definition, each once. */
  readonly grants: readonly Grant[];
}

/** Takes a predicate apart. */
export function toOperationRule(predicate: Predicate): OperationRule {
  const parts = predicate.type === 'and' ? predicate.operands : [predicate];
  const isAlternative = (part: Predicate): boolean => part.type === 'or' && dependsOnRow(part);
  const lookup = parts.filter((part) => !isAlternative(part));
  return Object.freeze({
    predicate,
    lookup: { type: 'and' as const, operands: lookup },
    ungrantedLookup: { type: 'and' as const, operands: lookup.filter((part) => !isGrant(part)) },
    isDecidedInMemory: parts.some(isAlternative),
    callerPart: asksMoreThanSignIn(predicate) ? toCallerPart(predicate) : null,
    admitsAnonymous: admitsAnonymous(predicate),
    grants: findGrants(predicate),
  });
}

/** Says whether a predicate asks for anything of the row. */
export function dependsOnRow(predicate: Predicate): boolean {
  return foldPredicate(predicate, isOfRow, (_, parts) => parts.some(Boolean));
}

/** Names what a grant asks for. */
export function toGrantKey(grant: Grant): string {
  return grant.type === 'entitlement' ? grant.entitlement : toRolesKey(grant.roles);
}

/** Names roles on a record; no entitlement has a space in its name. */
export function toRolesKey(roles: readonly string[]): string {
  return `roles ${roles.join(' ')}`;
}

function isGrant(part: Predicate): part is Grant {
  return part.type === 'entitlement' || part.type === 'resourceRole';
}

function isOfRow(leaf: PredicateLeaf): boolean {
  return leaf.type === 'equals' || isGrant(leaf);
}

function findGrants(predicate: Predicate): readonly Grant[] {
  const found = foldPredicate<readonly Grant[]>(
    predicate,
    (leaf) => (isGrant(leaf) ? [leaf] : []),
    (_, parts) => parts.flat(),
  );
  return [...new Map(found.map((grant) => [toGrantKey(grant), grant])).values()];
}

/** A role or a second factor is asked for somewhere, or nothing satisfies it at all. */
function asksMoreThanSignIn(predicate: Predicate): boolean {
  return foldPredicate(
    predicate,
    (leaf) => (leaf.type === 'constant' ? !leaf.value : !isOfRow(leaf) && leaf.type !== 'authenticated'),
    (_, parts) => parts.some(Boolean),
  );
}

/** Some row may satisfy any condition on rows; a grant needs somebody who is signed in. */
function toCallerPart(predicate: Predicate): Predicate {
  return foldPredicate<Predicate>(
    predicate,
    (leaf) => (isOfRow(leaf) ? toPossible(leaf) : leaf),
    (type, operands) => ({ type, operands }),
  );
}

function toPossible(leaf: PredicateLeaf): Predicate {
  return isGrant(leaf) ? { type: 'authenticated' } : { type: 'constant', value: true };
}
