import { compileRule, type Predicate, type Rule, rules as build } from '@x/access';
import { ConfigurationError } from '@x/errors';
import { createCreateParser, createUpdateParser } from '../input/record-input.ts';
import type { Model } from '../model/model.ts';
import { findConditionProblems } from '../rule/find-condition-problems.ts';
import { findEntitlements } from '../rule/find-entitlements.ts';
import { dependsOnRow, type OperationRule, toOperationRule } from '../rule/operation-rule.ts';
import type { EntityHooks } from './entity-hooks.ts';
import type { AccessMap, Entity } from './entity.ts';
import { type Operation, operations } from './operation.ts';

/** What an app declares of an entity. */
export interface EntityDeclaration<M extends Model> {
  readonly model: M;
  readonly access: AccessMap;
  /** The field, set by the server, that holds the tenant of a record. Callers meet the records of their own tenant alone. */
  readonly tenant?: keyof M['fields'] & string;
  /** How many records a page may have, 1 to 1 000. Default 100. */
  readonly maxLimit?: number;
  readonly hooks?: EntityHooks<M>;
}

/**
 * Defines an entity: its data, and who may do what with it. What has no rule is not exposed.
 *
 * @throws ConfigurationError with every problem
 * @example
 * ```ts
 * const own = rules.all(rules.authenticated(), rules.where({ ownerId: rules.user.id }));
 * const notes = defineEntity({ model, access: { list: own, get: own, create: own, update: own, delete: false } });
 * ```
 */
export function defineEntity<const M extends Model>(declaration: EntityDeclaration<M>): Entity<M> {
  const { model, access, tenant, maxLimit = defaultMaxLimit, hooks = {} } = declaration;
  const problems = [
    ...findAccessProblems(model, access),
    ...(tenant === undefined ? [] : findTenantProblems(model, tenant)),
    ...(isPageSize(maxLimit) ? [] : [`${model.name}: maxLimit is a whole number from 1 to 1000.`]),
  ];
  const compiled = operations.map((operation) => compileOperation({ model, access, tenant, operation }));
  const all = [...problems, ...compiled.flatMap((each) => each.problems)];
  if (all.length > 0) throw new ConfigurationError(all);
  return Object.freeze({
    name: model.name,
    model,
    rules: toOperationRules(access, compiled),
    maxLimit,
    hooks,
    parseCreate: createCreateParser(model),
    parseUpdate: createUpdateParser(model),
    visibleFields: [...model.allFields].filter(([, { options }]) => !options.hidden).map(([name]) => name),
  });
}

const defaultMaxLimit = 100;

function isPageSize(limit: number): boolean {
  return Number.isInteger(limit) && limit >= 1 && limit <= 1000;
}

function findAccessProblems({ name }: Model, access: AccessMap): readonly string[] {
  const known: ReadonlySet<string> = new Set(operations);
  const unknown = Object.keys(access).filter((key) => !known.has(key));
  const missing = operations.filter((operation) => operation !== 'bulk' && access[operation] === undefined);
  return [
    ...unknown.map((key) => `${name}.access.${key}: there is no such operation.`),
    ...missing.map((operation) => `${name}.access.${operation}: a rule is missing; \`false\` is for nobody.`),
  ];
}

function findTenantProblems({ name, fields }: Model, tenant: string): readonly string[] {
  const field = Object.hasOwn(fields, tenant) ? fields[tenant] : undefined;
  if (!field) return [`${name}: the tenant ${tenant} is no field.`];
  const isText = field.type === 'text' || field.type === 'uuid';
  return isText && field.options.serverValue
    ? []
    : [`${name}: the tenant ${tenant} has to be a text or uuid that the server sets.`];
}

interface Uncompiled {
  readonly model: Model;
  readonly access: AccessMap;
  readonly tenant: string | undefined;
  readonly operation: Operation;
}

interface Compiled {
  readonly operation: Operation;
  readonly predicate?: Predicate;
  readonly problems: readonly string[];
}

function compileOperation({ model, access, tenant, operation }: Uncompiled): Compiled {
  const rule = access[operation];
  if (rule === undefined || rule === false) return { operation, problems: [] };
  const place = `${model.name}.access.${operation}`;
  const entitlements = findEntitlements(rule);
  if (entitlements.length > 0) {
    const problems = entitlements.map((name) => `${place}: the entitlement \`${name}\` can't be asked on records yet.`);
    return { operation, problems };
  }
  try {
    const predicate = compileWithin(rule, { model, place, tenant: operation === 'bulk' ? undefined : tenant });
    const problems =
      operation === 'bulk' && dependsOnRow(predicate)
        ? [`${place}: has a condition on records; each change goes by the rule of its own operation anyway.`]
        : findConditionProblems(predicate, model, place);
    return { operation, predicate, problems };
  } catch (error) {
    if (error instanceof ConfigurationError) return { operation, problems: error.problems };
    throw error;
  }
}

/** Operations that share a rule share what is made of it, so that a statement asks for it once. */
function toOperationRules(access: AccessMap, compiled: readonly Compiled[]): ReadonlyMap<Operation, OperationRule> {
  const shared = new Map<unknown, OperationRule>();
  return new Map(
    compiled.flatMap(({ operation, predicate }) => {
      if (!predicate) return [];
      // That of many changes at once is not bound to the tenant, so it is nobody else's.
      const known = operation === 'bulk' ? undefined : shared.get(access[operation]);
      const rule = known ?? toOperationRule(predicate);
      if (operation !== 'bulk') shared.set(access[operation], rule);
      return [[operation, rule] as const];
    }),
  );
}

/** A record of another tenant is out of reach, whatever the rule says. */
function compileWithin(
  rule: Rule,
  { model, place, tenant }: { readonly model: Model; readonly place: string; readonly tenant: string | undefined },
): Predicate {
  const fields = new Set(model.allFields.keys());
  const predicate = compileRule(rule, { fields, entitlements: new Set() }, place);
  if (tenant === undefined || !fields.has(tenant)) return predicate;
  const ofTenant: Predicate = { type: 'equals', field: tenant, value: build.user.tenantId };
  return Object.freeze({
    type: 'and',
    operands: [ofTenant, ...(predicate.type === 'and' ? predicate.operands : [predicate])],
  });
}
