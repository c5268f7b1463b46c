import { ConfigurationError, type Logger, type Result, silentLogger, toResult } from '@x/errors';
import type { RuleCaller } from '@x/access';
import type { Stores } from '@x/store';
import type { Entity } from '../definition/entity.ts';
import type { Caller } from '../field/field.ts';
import type { CreateInputOf, Model, RecordOf, UpdateInputOf } from '../model/model.ts';
import { toEntityTables } from '../model/to-entity-tables.ts';
import type { Actor } from './actor.ts';
import { createRecord } from './create-record.ts';
import { deleteRecord } from './delete-record.ts';
import { getRecord } from './get-record.ts';
import type { IfMatch } from './if-match.ts';
import { listRecords, type RecordPage } from './list-records.ts';
import { type EntityContext, openScope, type Scope } from './scope.ts';
import { type Shown, toShown } from './shown-record.ts';
import { updateRecord } from './update-record.ts';

/** What the entities of an app work on. */
export interface EntitiesOptions {
  readonly entities: readonly Entity[];
  /** Opened with `toEntityTables` of the entities' models. */
  readonly stores: Stores;
  /** Default: what a hook throws after the commit is dropped. */
  readonly logger?: Logger;
}

/** The entities of an app, for its own code. */
export interface Entities {
  /** Works in the name of a caller: rules, hooks and conditions apply as they do over HTTP. */
  as(caller: RuleCaller): EntityApi;
  /** Works in the name of the app itself, whom no rule applies to; `onBehalfOf` is whom server values are made for. */
  asSystem(onBehalfOf?: Caller): EntityApi;
  /** What the operations work on; `@x/entity/hono` builds the routes from it. */
  readonly context: EntityContext;
}

/** A record with its version. */
export interface VersionedRecord<M extends Model> {
  readonly record: RecordOf<M>;
  readonly version: number;
}

/** What is asked of a list: the JSON form of the query language. */
export type ListRequest = Readonly<Record<string, unknown>>;

/** The operations on records in process. Each resolves to what it made, or to the error that HTTP would answer with. */
export interface EntityApi {
  list<M extends Model>(entity: Entity<M>, query?: ListRequest): Promise<Result<RecordPage<RecordOf<M>>>>;
  get<M extends Model>(entity: Entity<M>, id: string): Promise<Result<VersionedRecord<M>>>;
  create<M extends Model>(entity: Entity<M>, input: CreateInputOf<M>): Promise<Result<VersionedRecord<M>>>;
  /** @param version - the only one that is to be changed; any where it is left out */
  update<M extends Model>(
    entity: Entity<M>,
    id: string,
    input: UpdateInputOf<M>,
    version?: number,
  ): Promise<Result<VersionedRecord<M>>>;
  /** @param version - the only one that is to be deleted; any where it is left out */
  delete(entity: Entity, id: string, version?: number): Promise<Result<void>>;
}

/**
 * Puts the entities of an app to work on its stores.
 *
 * @throws ConfigurationError with every problem that entities have with each other
 * @example
 * ```ts
 * const app = createEntities({ entities: [notes], stores });
 * const created = await app.as(caller).create(notes, { title: 'First' });
 * if (created.ok) console.log(created.value.record.id);
 * ```
 */
export function createEntities({ entities, stores, logger = silentLogger }: EntitiesOptions): Entities {
  assertConsistent(entities);
  const context = { stores, logger, entities: new Map(entities.map((entity) => [entity.name, entity])) };
  return {
    context,
    as: (caller) => createApi(context, { type: 'caller', caller }),
    asSystem: (caller = nobody) => createApi(context, { type: 'system', caller }),
  };
}

const nobody: Caller = Object.freeze({ userId: null, tenantId: null });

/** The tables themselves are made by whoever opens the stores. */
function assertConsistent(entities: readonly Entity[]): void {
  const reserved = entities.filter(({ name }) => reservedNames.has(name));
  if (reserved.length > 0) {
    throw new ConfigurationError(reserved.map(({ name }) => `${name}: other routes have this name.`));
  }
  toEntityTables(entities.map(({ model }) => model));
}

/** What else there is below `/api`. */
const reservedNames: ReadonlySet<string> = new Set(['auth', 'docs', 'openapi']);

function createApi(context: EntityContext, actor: Actor): EntityApi {
  const call = <T>(work: (scope: Scope) => Promise<T>): Promise<Result<T>> =>
    toResult(async () => work(openScope(context, actor)), context.logger);
  return {
    list: (entity, query = {}) => call(async (scope) => typedPage(await listRecords(scope, entity, query))),
    get: (entity, id) => call(async (scope) => typed(await getRecord(scope, entity, id, {}))),
    create: (entity, input) => call(async (scope) => typed(toShown(entity, await createRecord(scope, entity, input)))),
    update: (entity, id, input, version) =>
      call(async (scope) => {
        const request = { id, ifMatch: toIfMatch(version) };
        return typed(toShown(entity, await updateRecord(scope, entity, request, input)));
      }),
    delete: (entity, id, version) =>
      call(async (scope) => void (await deleteRecord(scope, entity, { id, ifMatch: toIfMatch(version) }))),
  };
}

function toIfMatch(version: number | undefined): IfMatch {
  return version === undefined ? null : [version];
}

function typedPage<M extends Model>(page: RecordPage): RecordPage<RecordOf<M>> {
  return page as RecordPage<RecordOf<M>>;
}

/** A shown record has the visible fields of its model. */
function typed<M extends Model>(shown: Shown): VersionedRecord<M> {
  return shown as VersionedRecord<M>;
}
