import type { Result } from '@x/errors';
import type { CreateInputOf, Model, RecordOf, UpdateInputOf } from '../model/model.ts';
import type { ActionInputOf, ActionResultOf, ActionShape, ActionShapes } from './action-shape.ts';

/** A record with its version. */
export interface VersionedRecord<M extends Model> {
  readonly record: RecordOf<M>;
  readonly version: number;
}

/** One page of records. */
export interface RecordPage<Item> {
  readonly items: readonly Item[];
  /** The cursor of the next page; null on the last page. */
  readonly nextCursor: string | null;
  readonly hasNextPage: boolean;
  /** The number of records on all pages, if requested. */
  readonly total?: number;
}

/** The query of a list, in the JSON form of the query language. */
export type ListRequest = Readonly<Record<string, unknown>>;

/**
 * Names an entity of the app, with the types of its records. Only the entity itself knows which fields have a read
 * rule: with just its model, a caller's record may lack fields that its type has.
 */
export interface EntityName<M extends Model> {
  readonly name: string;
  readonly model: M;
}

/** Names an entity or a service of the app, with the types of its actions. */
export interface ActionOwner<A extends ActionShapes> {
  readonly name: string;
  readonly actions: A;
}

/** The request to an action: the id of its record, if it acts on one, and its input; with a version, only of that one. */
export type ActionRequest<A extends ActionShape> = (A['on'] extends 'record'
  ? { readonly id: string; readonly version?: number }
  : {}) &
  (undefined extends ActionInputOf<A> ? { readonly input?: ActionInputOf<A> } : { readonly input: ActionInputOf<A> });

/**
 * The operations and actions in process: the same checks in the same order as over HTTP. Each resolves to its result,
 * or to the error that HTTP would respond with. Inside a transaction, a failing operation rolls back only its own
 * changes.
 *
 * @example
 * ```ts
 * const api = entities.as(caller);
 * const page = await api.list(notes, { where: { title: { contains: 'plan' } }, limit: 20 });
 * const found = await api.get(notes, id);
 * if (found.ok) await api.update(notes, id, { title: 'Plan B' }, found.value.version);
 * else console.log(found.error.code); // 'NOT_FOUND'
 * ```
 */
export interface EntityApi {
  list<M extends Model>(entity: EntityName<M>, query?: ListRequest): Promise<Result<RecordPage<RecordOf<M>>>>;
  get<M extends Model>(entity: EntityName<M>, id: string): Promise<Result<VersionedRecord<M>>>;
  create<M extends Model>(entity: EntityName<M>, input: CreateInputOf<M>): Promise<Result<VersionedRecord<M>>>;
  /** @param version - change only this version of the record. Default: any */
  update<M extends Model>(
    entity: EntityName<M>,
    id: string,
    input: UpdateInputOf<M>,
    version?: number,
  ): Promise<Result<VersionedRecord<M>>>;
  /** @param version - delete only this version of the record. Default: any */
  delete(entity: EntityName<Model>, id: string, version?: number): Promise<Result<void>>;
  /** Runs an action of an entity or a service. */
  act<A extends ActionShapes, Name extends keyof A & string>(
    owner: ActionOwner<A>,
    action: Name,
    request: ActionRequest<A[Name]>,
  ): Promise<Result<ActionResultOf<A[Name]>>>;
}
