import { compileRule, type AccessDefinition, type Predicate, type Rule, rules as build } from '@x/access';
import { ConfigurationError } from '@x/errors';
import type { Model } from '../model/model.ts';
import { findConditionProblems } from './find-condition-problems.ts';
import { findEntitlements } from './find-entitlements.ts';
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
  const missing = definition ? [] : findEntitlements(rule);
  if (missing.length > 0) {
    throw new ConfigurationError(
      missing.map((name) => `${place}: \`definition\` must declare the entitlement \`${name}\`.`),
    );
  }
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
