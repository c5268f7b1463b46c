import {
  type AccessContextFactory,
  type AccessDefinition,
  anonymous,
  createAccessContextFactory,
  defineAccess,
  type RuleCaller,
} from '@x/access';
import { ConfigurationError, findUnknownOptions, type Logger, type LoggerOption, notFound, toLogger } from '@x/errors';
import type { Stores } from '@x/store';
import type { ActionTools } from './action/action.ts';
import type { EntityApi, SystemApi } from './action/entity-api.ts';
import type { Service } from './action/service.ts';
import type { Actor } from './authorization/authorization.ts';
import { findResourceColumns } from './authorization/resource-columns.ts';
import { type EntityContext, openCall, openCallWithin, type OpenTransaction } from './call/call.ts';
import type { Entity } from './definition/entity.ts';
import { findMissingIndex } from './definition/find-missing-index.ts';
import type { Caller } from './model/field.ts';
import { toEntityTables } from './model/to-entity-tables.ts';
import { createApi, toTools } from './operation/create-api.ts';
import { type WatchedList, watchList } from './operation/watch.ts';

/** The options of `createEntities`. */
export interface EntitiesOptions<Declared extends readonly Entity[] = readonly Entity[]> {
  readonly entities: Declared;
  readonly services?: readonly Service[];
  /** Stores that were opened with `toEntityTables` of the entities' models. */
  readonly stores: Stores;
  /** Creates the access contexts of the app; required if entities have an access definition. */
  readonly access?: AccessContextFactory | null;
  /** For example a pino logger. Default: the console; `false` logs nothing. */
  readonly logger?: LoggerOption;
}

/**
 * The operations on the entities and services of an app, for its own code.
 *
 * @typeParam Declared - the entities, which relations lead to
 * @typeParam Known - the names of all entitlements
 */
export interface Entities<Declared extends readonly Entity[] = readonly Entity[], Known extends string = string> {
  /** Returns the operations on behalf of a caller: rules, hooks and conditions apply as they do over HTTP. */
  as(caller: RuleCaller): EntityApi<ModelsOf<Declared>, Known>;
  /**
   * Returns the operations without any rules, which write every declared field; `onBehalfOf` is the caller that server
   * values are computed for where they are left out.
   */
  asSystem(onBehalfOf?: Caller): SystemApi<ModelsOf<Declared>, Known>;
  /**
   * Returns the same as a part of an open transaction, such as that of a hook of auth: with hooks, and without rules.
   */
  within(transaction: OpenTransaction, onBehalfOf?: Caller): SystemApi<ModelsOf<Declared>, Known>;
  /** Runs `work` in one transaction, with the same tools that an action of the caller gets. */
  transaction<T>(caller: RuleCaller, work: (inside: ActionTools) => Promise<T>): Promise<T>;
  /**
   * Parses what a caller wants to watch of the list of an entity: `where` and `ids` of an object.
   *
   * @throws CodedError as the list does; `NOT_FOUND` if there is no such entity
   */
  watch(caller: RuleCaller, entity: string, query: unknown): Promise<WatchedList>;
  /** Creates the access contexts that they work with. Without an access definition, no user has any entitlement. */
  readonly access: AccessContextFactory;
  /** The context of the operations; `@x/entity/hono` builds the routes from it. */
  readonly context: EntityContext;
}

/** The models of entities, by their names. */
type ModelsOf<Declared extends readonly Entity[]> = {
  readonly [Each in Declared[number] as Each['model']['name']]: Each['model'];
};

/**
 * Connects the entities and services of an app to its stores.
 *
 * It warns of entities whose list needs an index that their model lacks.
 *
 * @throws ConfigurationError with every conflict between them, and every unknown option
 * @example
 * ```ts
 * const app = createEntities({ entities: [notes], stores });
 * const created = await app.as(caller).create(notes, { title: 'First' });
 * if (created.ok) console.log(created.value.record.id);
 * ```
 */
export function createEntities<const Declared extends readonly Entity[]>(
  options: EntitiesOptions<Declared>,
): Entities<Declared>;
export function createEntities(options: EntitiesOptions): Entities {
  const { entities, services = [], stores } = options;
  const logger = toLogger(options.logger);
  assertConsistent(options);
  const access = options.access ?? createAccessContextFactory({ definition: nothingDefined, stores, logger });
  const byName = new Map(entities.map((entity) => [entity.name, entity]));
  const context: EntityContext = {
    stores,
    logger,
    access,
    entities: byName,
    services: new Map(services.map((service) => [service.name, service])),
    resourceColumns: findResourceColumns(byName),
  };
  for (const entity of entities) warnOfMissingIndex(entity, logger);
  const apiOf = (actor: Actor): SystemApi => createApi(() => openCall(context, actor));
  return {
    access,
    context,
    as: (caller) => apiOf({ type: 'caller', caller }),
    asSystem: (caller = anonymous) => apiOf({ type: 'system', caller }),
    within: (transaction, caller = anonymous) =>
      createApi(() => openCallWithin(context, { type: 'system', caller }, transaction)),
    async watch(caller, name, query) {
      const entity = byName.get(name);
      if (!entity) throw notFound();
      return watchList(openCall(context, { type: 'caller', caller }), entity, query);
    },
    transaction: (caller, work) => toTools(openCall(context, { type: 'caller', caller })).transaction(work),
  };
}

const nothingDefined: AccessDefinition = defineAccess({ entities: {}, entitlements: {} });

function warnOfMissingIndex(entity: Entity, logger: Logger): void {
  const index = findMissingIndex(entity);
  if (index === null) return;
  const declaration = `indexes: [['${index.join("', '")}']]`;
  logger.warn({ entity: entity.name, index }, `${entity.name}: its list reads every record; declare ${declaration}`);
}

/** Tables are not checked here: the code that opens the stores creates them. */
function assertConsistent(options: EntitiesOptions): void {
  const { entities, services = [], stores, access, logger } = options;
  const names = [...entities, ...services].map(({ name }) => name);
  const taken = names.filter((name, index) => names.indexOf(name) !== index && !isEntity(name));
  const foreign = [...entities, ...services].filter(
    ({ definition }) => definition && definition !== access?.definition,
  );
  const problems = [
    ...findUnknownOptions(options, { entities, services, stores, access, logger }),
    ...taken.map((name) => `${name}: other routes use this name; give this service another one.`),
    ...foreign.map(({ name }) =>
      access
        ? `${name}: uses another access definition than the app; give both the same one.`
        : `${name}: uses an access definition, and the app has none; give it the same one: access: { definition }.`,
    ),
  ];
  if (problems.length > 0) throw new ConfigurationError(problems);
  toEntityTables(entities.map(({ model }) => model));

  /** Duplicate entity names are reported with their tables. */
  function isEntity(name: string): boolean {
    return !services.some((service) => service.name === name);
  }
}
