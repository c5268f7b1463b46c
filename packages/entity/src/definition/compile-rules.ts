import { ConfigurationError } from '@x/errors';
import { isCompound, type Operation, operations } from '../authorization/authorization.ts';
import {
  collectProblems,
  compileOperationRule,
  dependsOnRow,
  type FieldRules,
  ruleForNobody,
  type OperationRule,
  type RuleSubject,
} from '../authorization/operation-rule.ts';
import type { AccessMap, FieldAccess, FieldAccessMap } from './entity.ts';

/** The outcome of compiling an access map. */
interface CompiledOperations {
  readonly rules: ReadonlyMap<Operation, OperationRule>;
  readonly problems: readonly string[];
}

/**
 * Compiles the rules of an entity's operations. Operations that share a rule share its compiled form, so that a
 * statement includes it once.
 */
export function compileOperations(name: string, access: AccessMap, subject: RuleSubject): CompiledOperations {
  const rules = new Map<Operation, OperationRule>();
  const shared = new Map<unknown, OperationRule>();
  const problems: string[] = [];
  for (const operation of operations) {
    const rule = access[operation];
    if (rule === undefined || rule === false) continue;
    const place = `${name}.access.${operation}`;
    collectProblems(problems, () => {
      // The rule of a compound operation is not bound to a record or a tenant, so it is not shared with other
      // operations.
      const known = isCompound(operation) ? undefined : shared.get(rule);
      const compiled = known ?? compileOperationRule(rule, subjectOf(operation, subject), place);
      if (isCompound(operation)) assertNoRows(compiled, place);
      else shared.set(rule, compiled);
      rules.set(operation, compiled);
    });
  }
  return { rules, problems };
}

function subjectOf(operation: Operation, subject: RuleSubject): RuleSubject {
  return isCompound(operation) ? { ...subject, tenant: undefined } : subject;
}

function assertNoRows({ predicate }: OperationRule, place: string): void {
  if (!dependsOnRow(predicate)) return;
  throw new ConfigurationError([
    `${place}: must not depend on records; each is checked by the rule of its own operation.`,
  ]);
}

/** The outcome of compiling the rules of fields. */
interface CompiledFields {
  readonly rules: FieldRules;
  readonly problems: readonly string[];
}

/**
 * Compiles the rules of fields. Fields that share a rule share its compiled form, so that a statement includes it once.
 */
export function compileFields(name: string, fields: FieldAccessMap, subject: RuleSubject): CompiledFields {
  // The rules of the operations already restrict callers to their tenant.
  const withoutTenant = { ...subject, tenant: undefined };
  const shared = new Map<unknown, OperationRule>();
  const problems: string[] = [];
  const compileSide = (side: keyof FieldAccess): ReadonlyMap<string, OperationRule> => {
    const rules = new Map<string, OperationRule>();
    for (const [field, access] of Object.entries(fields)) {
      const rule = access?.[side];
      if (rule === undefined) continue;
      collectProblems(problems, () => {
        const place = `${name}.access.fields.${field}.${side}`;
        const compiled =
          rule === false ? ruleForNobody : (shared.get(rule) ?? compileOperationRule(rule, withoutTenant, place));
        shared.set(rule, compiled);
        rules.set(field, compiled);
      });
    }
    return rules;
  };
  return { rules: Object.freeze({ read: compileSide('read'), write: compileSide('write') }), problems };
}
