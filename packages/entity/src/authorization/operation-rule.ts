import { type AccessDefinition, type Rule, rules } from '@x/access';
import {
  allowsAnonymous,
  compileRule,
  foldPredicate,
  leafSubjects,
  type Predicate,
  type PredicateLeaf,
} from '@x/access/rule';
import { ConfigurationError } from '@x/errors';
import { toDecimal } from '@x/store';
import type { Field, FieldType } from '../model/field.ts';
import type { Model } from '../model/model.ts';

/** The rule of one operation, split once into the parts that each step of a request needs. */
export interface OperationRule {
  /** The whole rule: the condition of lists and mutations, which a written row has to satisfy as well. */
  readonly predicate: Predicate;
  /** The part that goes into the query for one row: everything outside `any`. */
  readonly lookup: Predicate;
  /** The same without requirements: a caller who lacks one, but may see the record, learns why. */
  readonly ungrantedLookup: Predicate;
  /** Whether the rest, alternatives that depend on the row, is decided in memory on the row that was found. */
  readonly isDecidedInMemory: boolean;
  /** The part that no row can change; null if any signed-in user satisfies it. */
  readonly callerPart: Predicate | null;
  readonly allowsAnonymous: boolean;
  /** Whether it has conditions on fields of the record, so that a change of the record may change its outcome. */
  readonly hasConditions: boolean;
  /** Its requirements, without duplicates. */
  readonly requirements: readonly Requirement[];
}

/** The parts of a rule that the access definition decides: an entitlement, or a role on the record. */
export type Requirement = Extract<PredicateLeaf, { readonly type: 'entitlement' | 'resourceRole' }>;

/** The requirements that also depend on plans and limits. */
export type EntitlementRequirement = Extract<Requirement, { readonly type: 'entitlement' }>;

/** The rules of an entity's fields. */
export interface FieldRules {
  /** For fields that not everybody who may read the record may read. */
  readonly read: ReadonlyMap<string, OperationRule>;
  /** For fields that not everybody who may write the record may write. */
  readonly write: ReadonlyMap<string, OperationRule>;
}

/** The subject of a rule. */
export interface RuleSubject {
  /** The model of the records that it has conditions on; null if it applies to none in particular. */
  readonly model: Model | null;
  /** The app's access definition, if it has one. */
  readonly definition: AccessDefinition | undefined;
  /** The resource type of the records. */
  readonly type?: string | undefined;
  /** The field with the tenant of a record: records of other tenants are out of reach, even if the rule allows them. */
  readonly tenant?: string | undefined;
}

/**
 * Compiles a rule and splits it into parts.
 *
 * @param place - names the rule in problems
 * @throws ConfigurationError that lists every problem
 */
export function compileOperationRule(rule: Rule, subject: RuleSubject, place: string): OperationRule {
  const { model, definition, type } = subject;
  const terms = {
    fields: new Set(model?.allFields.keys()),
    entitlements: new Set(Object.keys(definition?.entitlements ?? {})),
    resourceRoles: new Set(type === undefined ? [] : definition?.entities[type]?.roles),
  };
  const predicate = withinTenant(compileRule(rule, terms, place), subject);
  const problems = model ? findConditionProblems(predicate, model, place) : [];
  if (problems.length > 0) throw new ConfigurationError(problems);
  return toOperationRule(predicate);
}

/** Does a part of compiling rules, and adds the problems that it finds to the others. */
export function collectProblems(problems: string[], compile: () => void): void {
  try {
    compile();
  } catch (error) {
    if (!(error instanceof ConfigurationError)) throw error;
    problems.push(...error.problems);
  }
}

function withinTenant(predicate: Predicate, { model, tenant }: RuleSubject): Predicate {
  if (tenant === undefined || !model?.allFields.has(tenant)) return predicate;
  const ofTenant: Predicate = { type: 'equals', field: tenant, value: rules.user.tenantId };
  return Object.freeze({
    type: 'and',
    operands: [ofTenant, ...(predicate.type === 'and' ? predicate.operands : [predicate])],
  });
}

/** Lists the conditions of a rule that compare a field with a value that it can never have. */
function findConditionProblems(predicate: Predicate, { allFields }: Model, place: string): readonly string[] {
  return foldPredicate<readonly string[]>(
    predicate,
    (leaf) => (leaf.type === 'equals' ? findProblems(leaf, allFields.get(leaf.field), place) : []),
    (_, problems) => problems.flat(),
  );
}

type Condition = Extract<PredicateLeaf, { readonly type: 'equals' }>;

function findProblems({ field: name, value }: Condition, field: Field | undefined, place: string): readonly string[] {
  if (!field || value === null) return [];
  const given = typeof value === 'object' ? 'string' : typeof value;
  // Rules compare texts; a decimal has exactly one.
  if (field.decimal && typeof value === 'string' && toDecimal(value, field.decimal) !== value) {
    return [`${place}: \`${name}\` is never written as "${value}".`];
  }
  return comparable[field.type] === given ? [] : [`${place}: \`${name}\` never equals a ${given}.`];
}

/** The types that conditions compare with; timestamps are compared as milliseconds. */
const comparable: Readonly<Record<FieldType, string | null>> = {
  uuid: 'string',
  text: 'string',
  enum: 'string',
  integer: 'number',
  number: 'number',
  decimal: 'string',
  date: 'string',
  timestamp: 'number',
  boolean: 'boolean',
  json: null,
};

/** Splits a predicate into parts. */
function toOperationRule(predicate: Predicate): OperationRule {
  const parts = predicate.type === 'and' ? predicate.operands : [predicate];
  const isAlternative = (part: Predicate): boolean => part.type === 'or' && dependsOnRow(part);
  const lookup = parts.filter((part) => !isAlternative(part));
  return Object.freeze({
    predicate,
    lookup: { type: 'and' as const, operands: lookup },
    ungrantedLookup: { type: 'and' as const, operands: lookup.filter((part) => !isRequirement(part)) },
    isDecidedInMemory: parts.some(isAlternative),
    callerPart: requiresMoreThanSignIn(predicate) ? toCallerPart(predicate) : null,
    allowsAnonymous: allowsAnonymous(predicate),
    hasConditions: foldPredicate<boolean>(
      predicate,
      ({ type }) => leafSubjects[type] === 'row',
      (_, parts) => parts.some(Boolean),
    ),
    requirements: findRequirements(predicate),
  });
}

/** The rule that no caller satisfies. */
export const ruleForNobody: OperationRule = toOperationRule({ type: 'constant', value: false });

/** Says whether a predicate depends on the row. */
export function dependsOnRow(predicate: Predicate): boolean {
  return foldPredicate(predicate, isOfRow, (_, parts) => parts.some(Boolean));
}

/** Keeps each requirement once. */
export function uniqueRequirements(requirements: readonly Requirement[]): readonly Requirement[] {
  return [...new Map(requirements.map((requirement) => [toRequirementKey(requirement), requirement])).values()];
}

/** Returns the key of a requirement, by its subject. */
export function toRequirementKey(requirement: Requirement): string {
  return requirement.type === 'entitlement' ? requirement.entitlement : toRolesKey(requirement.roles);
}

/** Returns a key for roles on a record; it contains a space, which no entitlement's name does. */
export function toRolesKey(roles: readonly string[]): string {
  return `roles ${roles.join(' ')}`;
}

function isRequirement(part: Predicate): part is Requirement {
  return !('operands' in part) && leafSubjects[part.type] === 'requirement';
}

function isOfRow(leaf: PredicateLeaf): boolean {
  return leafSubjects[leaf.type] === 'row' || isRequirement(leaf);
}

function findRequirements(predicate: Predicate): readonly Requirement[] {
  const found = foldPredicate<readonly Requirement[]>(
    predicate,
    (leaf) => (isRequirement(leaf) ? [leaf] : []),
    (_, parts) => parts.flat(),
  );
  return uniqueRequirements(found);
}

/** Says whether a role or a second factor is required somewhere, or no caller can satisfy it. */
function requiresMoreThanSignIn(predicate: Predicate): boolean {
  return foldPredicate(
    predicate,
    (leaf) => (leaf.type === 'constant' ? !leaf.value : !isOfRow(leaf) && leaf.type !== 'authenticated'),
    (_, parts) => parts.some(Boolean),
  );
}

/** Assumes that some row satisfies every condition on rows; a requirement needs at least a signed-in caller. */
function toCallerPart(predicate: Predicate): Predicate {
  return foldPredicate<Predicate>(
    predicate,
    (leaf) => (isOfRow(leaf) ? toPossible(leaf) : leaf),
    (type, operands) => ({ type, operands }),
  );
}

function toPossible(leaf: PredicateLeaf): Predicate {
  return isRequirement(leaf) ? { type: 'authenticated' } : { type: 'constant', value: true };
}
