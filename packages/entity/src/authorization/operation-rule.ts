import { allowsAnonymous, foldPredicate, type Predicate, type PredicateLeaf } from '@x/access/rule';

/** The parts of a rule that the access definition decides: an entitlement, or a role on the record. */
export type Grant = Extract<PredicateLeaf, { readonly type: 'entitlement' | 'resourceRole' }>;

/** The grants that also depend on plans and limits. */
export type EntitlementGrant = Extract<Grant, { readonly type: 'entitlement' }>;

/** The rule of one operation, split once into the parts that each step of a request needs. */
export interface OperationRule {
  /** The whole rule: the condition of lists and mutations, which a written row has to satisfy as well. */
  readonly predicate: Predicate;
  /** The part that goes into the query for one row: everything outside `any`. */
  readonly lookup: Predicate;
  /** The same without grants: a caller who lacks one, but may see the record, learns why. */
  readonly ungrantedLookup: Predicate;
  /** Whether the rest, alternatives that depend on the row, is decided in memory on the row that was found. */
  readonly isDecidedInMemory: boolean;
  /** The part that no row can change; null if any signed-in user satisfies it. */
  readonly callerPart: Predicate | null;
  readonly allowsAnonymous: boolean;
  /** Its grants, without duplicates. */
  readonly grants: readonly Grant[];
}

/** The rules of an entity's fields. */
export interface FieldRules {
  /** For fields that not everybody who may read the record may read. */
  readonly read: ReadonlyMap<string, OperationRule>;
  /** For fields that not everybody who may write the record may write. */
  readonly write: ReadonlyMap<string, OperationRule>;
}

/** Splits a predicate into parts. */
export function toOperationRule(predicate: Predicate): OperationRule {
  const parts = predicate.type === 'and' ? predicate.operands : [predicate];
  const isAlternative = (part: Predicate): boolean => part.type === 'or' && dependsOnRow(part);
  const lookup = parts.filter((part) => !isAlternative(part));
  return Object.freeze({
    predicate,
    lookup: { type: 'and' as const, operands: lookup },
    ungrantedLookup: { type: 'and' as const, operands: lookup.filter((part) => !isGrant(part)) },
    isDecidedInMemory: parts.some(isAlternative),
    callerPart: requiresMoreThanSignIn(predicate) ? toCallerPart(predicate) : null,
    allowsAnonymous: allowsAnonymous(predicate),
    grants: findGrants(predicate),
  });
}

/** The rule that nobody satisfies. */
export const nobody: OperationRule = toOperationRule({ type: 'constant', value: false });

/** Says whether a predicate depends on the row. */
export function dependsOnRow(predicate: Predicate): boolean {
  return foldPredicate(predicate, isOfRow, (_, parts) => parts.some(Boolean));
}

/** Removes grants that require the same. */
export function uniqueGrants(grants: readonly Grant[]): readonly Grant[] {
  return [...new Map(grants.map((grant) => [toGrantKey(grant), grant])).values()];
}

/** Returns a key for what a grant requires. */
export function toGrantKey(grant: Grant): string {
  return grant.type === 'entitlement' ? grant.entitlement : toRolesKey(grant.roles);
}

/** Returns a key for roles on a record; it contains a space, which no entitlement's name does. */
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
  return uniqueGrants(found);
}

/** Says whether a role or a second factor is required somewhere, or nobody can satisfy it. */
function requiresMoreThanSignIn(predicate: Predicate): boolean {
  return foldPredicate(
    predicate,
    (leaf) => (leaf.type === 'constant' ? !leaf.value : !isOfRow(leaf) && leaf.type !== 'authenticated'),
    (_, parts) => parts.some(Boolean),
  );
}

/** Assumes that some row satisfies every condition on rows; a grant needs at least a signed-in caller. */
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
