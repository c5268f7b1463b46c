import type { ErrorBody, Result } from '@x/errors';
import type {
  CreateInputOf,
  Model,
  RecordOf,
  SystemCreateInputOf,
  SystemUpdateInputOf,
  UpdateInputOf,
} from '../model/model.ts';
import type { FieldOf, Filter, ListQuery, Models, PathOf, RecordQuery, SelectedRecord } from '../query/query-types.ts';
import type { ActionInputOf, ActionResultOf, ActionShape, ActionShapes } from './action-shape.ts';

/** A record with its version. */
export interface VersionedRecord<M extends Model, Shown = RecordOf<M>> {
  readonly record: Shown;
  readonly version: number;
}

/** One page of records. */
export interface RecordPage<Item> {
  readonly items: readonly Item[];
  /** The cursor of the next page; null on the last page. */
  readonly nextCursor: string | null;
  readonly hasNextPage: boolean;
}

/** One page, with the number of records on all pages if it was requested. */
export type CountedPage<Item, Count extends boolean> = RecordPage<Item> &
  (Count extends true ? { readonly total: number } : unknown);

/**
 * Names an entity of the app, with the types of its records. Only the entity itself knows which fields have a read
 * rule: with just its model, a caller's record may lack fields that its type has.
 */
export interface EntityName<M extends Model, Recorded extends string = string> {
  readonly name: string;
  readonly model: M;
  /** The entitlements whose checks are included in every record. */
  readonly recordAccess?: readonly Recorded[];
}

/** Names an entity or a service of the app, with the types of its actions. */
export interface ActionOwner<A extends ActionShapes> {
  readonly name: string;
  readonly actions: A;
}

/**
 * The request to an action: the id of its record, if it acts on one, and its input; with a version, only of that one.
 */
export type ActionRequest<A extends ActionShape> = (A['on'] extends 'record'
  ? { readonly id: string; readonly version?: number }
  : {}) &
  (undefined extends ActionInputOf<A> ? { readonly input?: ActionInputOf<A> } : { readonly input: ActionInputOf<A> });

/** What an import has done. */
export interface ImportOutcome {
  /** How many records were created. */
  readonly created: number;
  /**
   * The lines that were refused, with the error that creating each record alone is answered with: at most 1,000, and
   * fewer if their errors are very long.
   */
  readonly failed: readonly FailedLine[];
  /** How many lines were refused; only if `failed` does not hold all of them. */
  readonly failedTotal?: number;
  /** The number of the last line that was dealt with: the same lines can be continued after it. */
  readonly resumeAfter: number;
}

/** A line that was refused. */
export interface FailedLine {
  /** Counted from 1, lines without content included. */
  readonly line: number;
  readonly error: ErrorBody;
}

/**
 * The operations and actions in process: the same checks in the same order as over HTTP. Each resolves to its result,
 * or to the error that HTTP would respond with. Inside a transaction, a failing operation rolls back only its own
 * changes. A record that was written has its `id` alone if the caller may not read it as it is then.
 *
 * @example
 * ```ts
 * const api = entities.as(caller);
 * const page = await api.list(notes, { where: { title: { contains: 'plan' } }, limit: 20 });
 * const found = await api.get(notes, id);
 * if (found.ok) await api.update(notes, id, { title: 'Plan B' }, found.value.version);
 * else console.log(found.error.code); // 'NOT_FOUND'
 * ```
 *
 * @typeParam All - the models that relations can lead to
 * @typeParam Known - the names of all entitlements
 */
export interface EntityApi<All extends Models = Models, Known extends string = string> {
  list<
    M extends Model,
    const Field extends FieldOf<M> = never,
    const Path extends PathOf<M, All> = never,
    const Entitlement extends Known = never,
    const Count extends boolean = false,
    Recorded extends string = never,
  >(
    entity: EntityName<M, Recorded>,
    query?: ListQuery<M, Field, Path, Entitlement, Count, All>,
  ): Promise<Result<CountedPage<SelectedRecord<M, All, Field, Path, Entitlement | Recorded>, Count>>>;
  get<
    M extends Model,
    const Field extends FieldOf<M> = never,
    const Path extends PathOf<M, All> = never,
    const Entitlement extends Known = never,
    Recorded extends string = never,
  >(
    entity: EntityName<M, Recorded>,
    id: string,
    query?: RecordQuery<Field, Path, Entitlement>,
  ): Promise<Result<VersionedRecord<M, SelectedRecord<M, All, Field, Path, Entitlement | Recorded>>>>;
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
  /**
   * Reads all records that a list would show, in the order of their ids, a page at a time. Requires an `export` rule. An
   * error after the first page is thrown by the iteration.
   */
  exportRecords<M extends Model>(
    entity: EntityName<M>,
    query?: { readonly where?: Filter<M, All> },
  ): Promise<Result<AsyncIterable<RecordOf<M>>>>;
  /**
   * Creates a record of each of any number of values, in their order and each for itself; an `id` in them is taken.
   * Requires an `import` rule. If the store fails in the middle, the `meta` of the error is what the outcome would have
   * been.
   *
   * @param resume - skips the values up to the one with this number, counted from 1
   */
  importRecords(
    entity: EntityName<Model>,
    lines: AsyncIterable<unknown>,
    resume?: { readonly resumeAfter?: number },
  ): Promise<Result<ImportOutcome>>;
  /** Runs an action of an entity or a service. */
  act<A extends ActionShapes, Name extends keyof A & string>(
    owner: ActionOwner<A>,
    action: Name,
    request: ActionRequest<A[Name]>,
  ): Promise<Result<ActionResultOf<A[Name]>>>;
}

/**
 * The operations of the app itself, without any rules. It also writes the fields that callers do not: those that are
 * read-only, hidden or set by the server, and may choose the id. Of a field that is left out, the server sets the value as for a caller.
 */
export interface SystemApi<All extends Models = Models, Known extends string = string> extends Omit<
  EntityApi<All, Known>,
  'create' | 'update'
> {
  create<M extends Model>(entity: EntityName<M>, input: SystemCreateInputOf<M>): Promise<Result<VersionedRecord<M>>>;
  /** @param version - change only this version of the record. Default: any */
  update<M extends Model>(
    entity: EntityName<M>,
    id: string,
    input: SystemUpdateInputOf<M>,
    version?: number,
  ): Promise<Result<VersionedRecord<M>>>;
}
