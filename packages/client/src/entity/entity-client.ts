import type {
  AggregateGroup,
  AggregateQuery,
  ComparableOf,
  CreateInputOf,
  FieldOf,
  Filter,
  ListQuery,
  MeasureOf,
  Model,
  Models,
  PathOf,
  RecordQuery,
  SelectedRecord,
  SerializedRecord,
  UpdateInputOf,
} from '@x/entity';
import type { Success } from '@x/errors';
import { createActions } from '../action/actions.ts';
import {
  type AnyCall,
  type CallOptions,
  expectObject,
  type Request,
  toCall,
  type WriteOptions,
} from '../request/call.ts';
import { checked, type ClientFailure, type ClientResult } from '../request/send.ts';
import { type Page, pages } from '../request/pages.ts';
import type { SessionManager } from '../session/session-manager.ts';

/**
 * The records of one entity, as far as the rules of the server allow the user.
 *
 * @typeParam All - the models that relations can lead to
 * @typeParam Known - the names of all entitlements
 * @typeParam Recorded - those that every record includes in `__access`
 */
export interface EntityClient<
  M extends Model,
  All extends Models = Models,
  Known extends string = string,
  Recorded extends string = never,
> {
  /** Returns one page. */
  readonly list: <
    const Field extends FieldOf<M> = never,
    const Path extends PathOf<M, All> = never,
    const Entitlement extends Known = never,
    const Count extends boolean = false,
  >(
    query?: ListQuery<M, Field, Path, Entitlement, Count, All>,
    options?: CallOptions,
  ) => Promise<ClientResult<ListPage<ReceivedRecord<M, All, Field, Path, Entitlement | Recorded>, Count>>>;

  /**
   * Iterates over all pages; each is requested when the loop asks for it. A failure is the last value.
   *
   * @example
   * ```ts
   * for await (const page of client.entities.tasks.pages({ where: { done: false } })) {
   *   if (!page.ok) break;
   *   for (const task of page.data.items) console.log(task.title);
   * }
   * ```
   */
  readonly pages: <
    const Field extends FieldOf<M> = never,
    const Path extends PathOf<M, All> = never,
    const Entitlement extends Known = never,
    const Count extends boolean = false,
  >(
    query?: ListQuery<M, Field, Path, Entitlement, Count, All>,
    options?: CallOptions,
  ) => AsyncGenerator<
    ClientResult<ListPage<ReceivedRecord<M, All, Field, Path, Entitlement | Recorded>, Count>>,
    void,
    void
  >;

  /**
   * Groups the records that the user may list, and computes with each group.
   *
   * @example
   * ```ts
   * const measures = { open: { count: true }, hours: { sum: 'estimate' } } as const;
   * const where = { done: false };
   * const totals = await client.entities.tasks.aggregate({ where, groupBy: ['projectId'], measures });
   * if (totals.ok) for (const { key, open, hours } of totals.data.groups) console.log(key.projectId, open, hours);
   * ```
   */
  readonly aggregate: <
    const Measures extends Readonly<Record<string, MeasureOf<M>>>,
    const Group extends ComparableOf<M> = never,
  >(
    query: AggregateQuery<M, Group, Measures, All>,
    options?: CallOptions,
  ) => Promise<ClientResult<{ readonly groups: readonly AggregateGroup<M, Group, Measures>[] }>>;

  readonly get: <
    const Field extends FieldOf<M> = never,
    const Path extends PathOf<M, All> = never,
    const Entitlement extends Known = never,
  >(
    id: string,
    query?: RecordQuery<Field, Path, Entitlement>,
    options?: CallOptions,
  ) => Promise<VersionedResult<ReceivedRecord<M, All, Field, Path, Entitlement | Recorded>>>;

  /**
   * Creates a record.
   *
   * @example
   * ```ts
   * const created = await client.entities.tasks.create({ title: 'Write' }, { query: { access: ['project:export'] } });
   * if (created.ok) console.log(created.data.__access['project:export'].allowed);
   * ```
   */
  readonly create: <const Entitlement extends Known = never>(
    input: CreateInputOf<M>,
    options?: CreateOptions<Entitlement>,
  ) => Promise<VersionedResult<CreatedRecord<M, All, Entitlement, Recorded>>>;
  readonly update: (
    id: string,
    changes: UpdateInputOf<M>,
    options?: WriteOptions,
  ) => Promise<VersionedResult<SerializedRecord<M>>>;
  /**
   * Changes the record with the same values of a unique key, or creates it.
   *
   * @example
   * ```ts
   * await client.entities.tasks.upsert({ by: 'title', record: { title: 'Write', done: true } });
   * ```
   */
  readonly upsert: (upsert: Upsert<M>, options?: CallOptions) => Promise<VersionedResult<SerializedRecord<M>>>;
  readonly delete: (id: string, options?: WriteOptions) => Promise<ClientResult<undefined>>;

  /** Makes all changes or none, at most 100 beside `updateWhere` and `deleteWhere`. Requires a `bulk` rule. */
  readonly bulk: (changes: Bulk<M, All>, options?: CallOptions) => Promise<ClientResult<BulkResult<M>>>;

  /** What its lists follow: who is signed in, and all that this client writes. */
  readonly session: Pick<SessionManager, 'subscribe' | 'touched'>;

  /** For the type system only. */
  readonly '~types'?: { readonly model: M; readonly all: All; readonly known: Known; readonly recorded: Recorded };
}

/** A record as clients receive it, with the parts that were requested. */
export type ReceivedRecord<
  M extends Model,
  All extends Models,
  Field extends string,
  Path extends string,
  Entitlement extends string,
> = SelectedRecord<M, All, Field, Path, Entitlement, 'json'>;

/** The last argument of a creation. */
interface CreateOptions<Entitlement extends string> extends CallOptions {
  /** The entitlements to check on the new record, so that it has the same `__access` as in a list. */
  readonly query?: { readonly access: readonly Entitlement[] };
}

/** A new record; if entitlements were requested, with those that every record includes. */
type CreatedRecord<M extends Model, All extends Models, Entitlement extends string, Recorded extends string> = [
  Entitlement,
] extends [never]
  ? SerializedRecord<M>
  : ReceivedRecord<M, All, never, never, Entitlement | Recorded>;

/** One page of records. */
export interface RecordPage<Item> extends Page<Item> {
  readonly hasNextPage: boolean;
}

type ListPage<Item, Count extends boolean> = RecordPage<Item> &
  (Count extends true ? { readonly total: number } : unknown);

/** A record with its version. */
export type VersionedResult<T> = (Success<T> & { readonly etag: string }) | ClientFailure;

/** A record to create, unless there is one with the same values of a unique key, which it changes. */
export interface Upsert<M extends Model> {
  /** The fields of the key. */
  readonly by: FieldOf<M> | readonly FieldOf<M>[];
  readonly record: CreateInputOf<M>;
}

/** Several changes; an item with an `ifMatch` only of this version of its record, named by its `etag`. */
export interface Bulk<M extends Model, All extends Models = Models> {
  readonly create?: readonly CreateInputOf<M>[];
  readonly update?: readonly (UpdateInputOf<M> & BulkItem)[];
  readonly delete?: readonly (string | BulkItem)[];
  /** Changes the records that satisfy a filter and that the caller may list, get and change: at most 1 000. */
  readonly updateWhere?: { readonly where: Filter<M, All>; readonly set: UpdateInputOf<M> };
  /** Deletes the records that satisfy a filter and that the caller may list, get and delete: at most 1 000. */
  readonly deleteWhere?: { readonly where: Filter<M, All> };
}

interface BulkItem {
  readonly id: string;
  readonly ifMatch?: string;
}

/** The outcomes of several changes, in their order; those of `updateWhere` and `deleteWhere` last, by id. */
export interface BulkResult<M extends Model> {
  readonly created: readonly SerializedRecord<M>[];
  readonly updated: readonly SerializedRecord<M>[];
  readonly deleted: readonly string[];
}

/** Creates the calls of an entity, including its actions. Emits `touched` after each call that may have written. */
export function createEntity(session: SessionManager, path: string): unknown {
  const write: Request = async (to, options) => {
    const result = await session.request(to, options);
    if (result.ok && options.method !== 'GET') session.touched.emit([to, options, result]);
    return result;
  };
  // A body has room for any query, and its lists and texts need no escaping.
  const list: AnyCall = async (asked = {}, options) =>
    checked(await toCall(session.request, 'post', path, '/query')(asked, options), (body) => body?.items);
  return createActions(write, path, {
    list,
    // It writes nothing, so nothing that depends on the entity is loaded again.
    aggregate: toCall(session.request, 'post', path, '/aggregate'),
    create: toCall(expectObject(write), 'post', path),
    get: toCall(expectObject(write), 'get', path),
    update: toCall(expectObject(write), 'patch', path),
    delete: (id: string, options: object) => toCall(write, 'delete', path)(id, undefined, options),
    pages: (asked: object, options: object) => pages(list, asked, options),
    session,
  });
}
