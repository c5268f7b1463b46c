import { ConfigurationError, didYouMean } from '@x/errors';
import { own } from '../unknown-input.ts';
import type { Predicate } from './predicate.ts';
import type { Placeholder, Rule, RuleValue } from './rules.ts';

/** The names that a rule may refer to. */
export interface RuleModel {
  /** The fields of the record; undefined if they are not known. */
  readonly fields?: ReadonlySet<string>;
  /** The entitlements that there are. */
  readonly entitlements: ReadonlySet<string>;
  /** The roles on the record, if it is a resource of a type with roles; absent otherwise. */
  readonly resourceRoles?: ReadonlySet<string>;
}

/**
 * Compiles a rule to its predicate.
 *
 * @param place - names the rule in problems, such as `tasks.access.update`
 * @throws ConfigurationError that lists every problem with its place
 */
export function compileRule(rule: Rule, model: RuleModel, place: string): Predicate {
  const problems: string[] = [];
  const predicate = compile(rule, { model, place, report: (problem) => void problems.push(problem) });
  if (problems.length > 0) throw new ConfigurationError(problems);
  return predicate;
}

/** The state of a compilation. */
export interface RuleCompilation {
  readonly model: RuleModel;
  readonly place: string;
  readonly report: (problem: string) => void;
}

const never: Predicate = Object.freeze({ type: 'constant', value: false });
const always: Predicate = Object.freeze({ type: 'constant', value: true });

/** Compiles a rule and reports its problems; no caller satisfies an invalid part. */
export function compile(rule: Rule, compilation: RuleCompilation): Predicate {
  const { model, place, report } = compilation;
  if (typeof rule !== 'object' || rule === null) return refuse(compilation, 'is not a rule');
  switch (rule.type) {
    case 'public':
      return always;
    case 'authenticated':
      return Object.freeze({ type: 'authenticated' });
    case 'role':
    case 'accountRole':
    case 'resourceRole':
      return compileRoles(rule, compilation);
    case 'entitlement':
      if (model.entitlements.has(rule.entitlement)) {
        return Object.freeze({ type: 'entitlement', entitlement: rule.entitlement });
      }
      return refuse(
        compilation,
        `names the entitlement ${quote(rule.entitlement)}, which no access \`definition\` declares` +
          didYouMean(rule.entitlement, model.entitlements),
      );
    case 'where':
      return compileConditions(rule.conditions, compilation);
    case 'fva':
      if (Number.isFinite(rule.maxAgeSeconds) && rule.maxAgeSeconds > 0) {
        return Object.freeze({ type: 'fva', maxAgeSeconds: rule.maxAgeSeconds });
      }
      return refuse(compilation, 'has an fva with a maximum age that is not above 0');
    case 'all':
    case 'any': {
      if (!Array.isArray(rule.rules) || rule.rules.length === 0)
        return refuse(compilation, `has an ${rule.type} without rules`);
      const operands = rule.rules.map((operand, index) =>
        compile(operand, { model, report, place: `${place}.${rule.type}[${index}]` }),
      );
      return combine(rule.type === 'all' ? 'and' : 'or', operands);
    }
    default:
      return refuse(compilation, 'is not a rule');
  }
}

/** Combines predicates, flattened; a constant that decides the outcome replaces the whole. */
function combine(type: 'and' | 'or', operands: readonly Predicate[]): Predicate {
  const decisive = type === 'or';
  const flat = operands.flatMap((operand) => (operand.type === type ? operand.operands : [operand]));
  if (flat.some((operand) => operand.type === 'constant' && operand.value === decisive))
    return decisive ? always : never;
  const rest = flat.filter(({ type: kind }) => kind !== 'constant');
  const [only] = rest;
  if (!only) return decisive ? never : always;
  return rest.length === 1 ? only : Object.freeze({ type, operands: Object.freeze(rest) });
}

/**
 * A role that the type of the record defines is a role on the record, even if accounts have a role of the same name.
 */
function compileRoles({ type, roles }: RoleRule, compilation: RuleCompilation): Predicate {
  if (!Array.isArray(roles) || roles.length === 0 || !roles.every((role) => typeof role === 'string')) {
    return refuse(compilation, `has a rule of type ${type} without roles`);
  }
  const ofType: ReadonlySet<string> = compilation.model.resourceRoles ?? new Set();
  const wrong = roles.find((role) =>
    type === 'role' ? ofType.has(role) : type === 'resourceRole' && !ofType.has(role),
  );
  if (wrong !== undefined) {
    return refuse(
      compilation,
      type === 'role'
        ? `names the role ${quote(wrong)}, which the type of the record has, too; say rules.resourceRole or rules.accountRole`
        : `names the resource role ${quote(wrong)}, which the type of the record does not have` +
            didYouMean(wrong, ofType),
    );
  }
  const where = type === 'resourceRole' ? type : 'accountRole';
  return Object.freeze({ type: where, roles: Object.freeze([...roles]) });
}

type RoleRule = Extract<Rule, { readonly roles: readonly string[] }>;

function compileConditions(conditions: unknown, compilation: RuleCompilation): Predicate {
  if (typeof conditions !== 'object' || conditions === null)
    return refuse(compilation, 'has a where without conditions');
  const entries = Object.entries(conditions);
  if (entries.length === 0) return refuse(compilation, 'has a where without conditions');
  return combine(
    'and',
    entries.map(([field, value]) => compileCondition(field, value, compilation)),
  );
}

function compileCondition(field: string, value: unknown, compilation: RuleCompilation): Predicate {
  const { fields } = compilation.model;
  if (fields?.has(field) === false) {
    return refuse(compilation, `has a condition on ${quote(field)}, which is not a field${didYouMean(field, fields)}`);
  }
  if (isRuleValue(value)) return Object.freeze({ type: 'equals', field, value });
  return refuse(compilation, `compares ${quote(field)} with something that is neither text, number, boolean nor null`);
}

function isRuleValue(value: unknown): value is RuleValue {
  if (typeof value === 'number') return Number.isFinite(value);
  return value === null || typeof value === 'string' || typeof value === 'boolean' || isPlaceholder(value);
}

function isPlaceholder(value: unknown): value is Placeholder {
  const placeholder = own(value, 'placeholder');
  return placeholder === 'user.id' || placeholder === 'user.tenantId';
}

function refuse({ place, report }: RuleCompilation, problem: string): Predicate {
  report(`${place}: ${problem}${problem.endsWith('?') ? '' : '.'}`);
  return never;
}

function quote(name: unknown): string {
  return `\`${String(name)}\``;
}
