import type { AccessDefinition, AccessModel, EntitlementName, EntityRole, EntityType } from '@x/access';
import { ConfigurationError, findUnknownOptions } from '@x/errors';
import { compileActions } from '../action/compile-actions.ts';
import { isCompound, operations as everyOperation } from '../authorization/authorization.ts';
import { compileOperationRule } from '../authorization/operation-rule.ts';
import { type GuardedModel, type Model, uniqueKeysOf } from '../model/model.ts';
import { createCreateParser, createUpdateParser } from '../model/record-input.ts';
import { compileFields, compileOperations } from './compile-rules.ts';
import type { EntityHooks } from './entity-hooks.ts';
import type {
  AccessMap,
  Entity,
  EntityActions,
  FieldAccessMap,
  KnownFields,
  ReadGuarded,
  ResourceBinding,
} from './entity.ts';
import { findEntityProblems } from './find-entity-problems.ts';

/** The declaration that `defineEntity` takes. */
export interface EntityDeclaration<
  M extends Model,
  A extends EntityActions<M> = {},
  Access extends AccessModel = AccessModel,
  Recorded extends EntitlementName<Access> = EntitlementName<Access>,
  F extends FieldAccessMap<M> = {},
> {
  readonly model: M;
  /**
   * A rule for each operation, and for single fields that not everybody who may read or write the record may read or
   * write.
   */
  readonly access: AccessMap & { readonly fields?: F & KnownFields<M, F> };
  /** Further actions, created by `recordAction` and `action`. */
  readonly actions?: A;
  /** The access definition; required if rules name entitlements or roles on records. */
  readonly definition?: AccessDefinition<Access>;
  /** Makes each record a resource of the definition, on which users can have roles. */
  readonly resource?: ResourceBinding<EntityType<Access>, EntityRole<Access>>;
  /** Entitlements whose checks are included in every listed or fetched record, as `__access`. */
  readonly recordAccess?: readonly Recorded[];
  /** The field with the tenant of a record, set by the server. Callers only see records of their own tenant. */
  readonly tenant?: keyof M['fields'] & string;
  /** The most records that a page may have, 1 to 1,000. Default 100. */
  readonly maxLimit?: number;
  /**
   * The most bytes that the records of a page take as JSON, with all that they include; the page ends before that. At
   * least 1,024. Default 1,048,576.
   */
  readonly maxPageBytes?: number;
  readonly hooks?: EntityHooks<M>;
}

/**
 * Defines an entity: its data, and who may do what with it. An operation without a rule is not exposed.
 *
 * @throws ConfigurationError with every problem, unknown options included
 * @example
 * ```ts
 * const own = rules.all(rules.authenticated(), rules.where({ ownerId: rules.user.id }));
 * const notes = defineEntity({ model, access: { list: own, get: own, create: own, update: own, delete: false } });
 * ```
 */
export function defineEntity<
  const M extends Model,
  const A extends EntityActions<M> = {},
  Access extends AccessModel = AccessModel,
  const Recorded extends EntitlementName<Access> = never,
  const F extends FieldAccessMap<M> = {},
>(declaration: EntityDeclaration<M, A, Access, Recorded, F>): Entity<GuardedModel<M, ReadGuarded<F>>, A, Recorded> {
  const { model, access, tenant, maxLimit = 100, maxPageBytes = 2 ** 20 } = declaration;
  const { hooks = {}, recordAccess = [], resource } = declaration;
  const definition: AccessDefinition | undefined = declaration.definition;
  const { name } = model;
  // An entity without actions has no action names at all.
  const actions = declaration.actions ?? ({} as A);
  const declared = { model, access, definition, resource, recordAccess, tenant, maxLimit, maxPageBytes };
  const ofRecords = { model, definition, type: resource?.type, tenant };
  const operations = compileOperations(name, access, ofRecords);
  const fields = compileFields(name, access.fields ?? {}, ofRecords);
  const compiled = compileActions({
    owner: name,
    actions,
    takenPaths: new Set([
      ...['query', 'bulk'],
      ...(access.list ? ['aggregate'] : []),
      ...(access.create && access.update && uniqueKeysOf(model).length > 0 ? ['upsert'] : []),
      ...everyOperation.filter((each) => isCompound(each) && access[each]),
    ]),
    isPathFree: false,
    compileRule: ({ on, rule }, place) =>
      compileOperationRule(rule, on === 'record' ? ofRecords : { model: null, definition }, place),
  });
  const foreign = Object.entries(actions).filter(([, action]) => action.on === 'record' && action.model !== model);
  const all = [
    ...findUnknownOptions(declaration, { ...declared, actions, hooks }, name),
    ...findUnknownOptions(resource, { type: true, creatorRole: true }, `${name}.resource`),
    ...findHookProblems(name, hooks),
    ...findEntityProblems(declared),
    ...operations.problems,
    ...fields.problems,
    ...compiled.problems,
    ...foreign.map(([action]) => `${name}.actions.${action}: belongs to another model.`),
  ];
  if (all.length > 0) throw new ConfigurationError(all);
  const names = [...model.allFields.keys()];
  const isHidden = (field: string): boolean => Boolean(model.allFields.get(field)?.options.hidden);
  return Object.freeze({
    name,
    model,
    rules: operations.rules,
    fieldRules: fields.rules,
    actions,
    compiledActions: compiled.compiled,
    tenant,
    definition,
    resource,
    recordAccess,
    maxLimit,
    maxPageBytes,
    hooks,
    parseCreate: createCreateParser(model),
    parseUpdate: createUpdateParser(model),
    secretFields: new Set([...fields.rules.read.keys(), ...names.filter(isHidden)]),
    visibleFields: names.filter((field) => !isHidden(field)),
  });
}

/** A hook by a wrong name would never run. */
function findHookProblems(name: string, hooks: EntityHooks<Model>): readonly string[] {
  return [
    ...findUnknownOptions(hooks, { before: true, after: true, afterCommit: true }, `${name}.hooks`),
    ...Object.entries(hooks).flatMap(([moment, each]) =>
      findUnknownOptions(each, { create: true, update: true, delete: true }, `${name}.hooks.${moment}`),
    ),
  ];
}
