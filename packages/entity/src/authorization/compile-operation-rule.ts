import { type AccessDefinition, type Rule, rules as build } from '@x/access';
import { compileRule, foldPredicate, type Predicate, type PredicateLeaf } from '@x/access/rule';
import { ConfigurationError } from '@x/errors';
import type { Field, FieldType } from '../model/field.ts';
import type { Model } from '../model/model.ts';
import { type OperationRule, toOperationRule } from './operation-rule.ts';

/** What a rule applies to. */
export interface RuleSubject {
  /** The model of the records that it has conditions on; null if it applies to none in particular. */
  readonly model: Model | null;
  /** The app's access definition, if it has one. */
  readonly definition: AccessDefinition | undefined;
  /** The resource type of the records. */
  readonly type?: string | undefined;
  /** The field with the tenant of a record: records of other tenants are out of reach, whatever the rule says. */
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

function withinTenant(predicate: Predicate, { model, tenant }: RuleSubject): Predicate {
  if (tenant === undefined || !model?.allFields.has(tenant)) return predicate;
  const ofTenant: Predicate = { type: 'equals', field: tenant, value: build.user.tenantId };
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
  return comparable[field.type] === given ? [] : [`${place}: \`${name}\` never equals a ${given}.`];
}

/** The types that conditions compare with; timestamps are compared as milliseconds. */
const comparable: Readonly<Record<FieldType, string | null>> = {
  uuid: 'string',
  text: 'string',
  enum: 'string',
  integer: 'number',
  number: 'number',
  timestamp: 'number',
  boolean: 'boolean',
  json: null,
};
