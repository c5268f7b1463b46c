import type {
  CreateInputOf,
  FieldOf,
  ListQuery,
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
import { type AnyCall, type CallOptions, type Request, toCall, type WriteOptions } from '../request/call.ts';
import type { ClientFailure, ClientResult } from '../request/send.ts';
import { type Page, pages } from '../request/pages.ts';
import type { Signal } from '../signal.ts';

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

  readonly get: <
    const Field extends FieldOf<M> = never,
    const Path extends PathOf<M, All> = never,
    const Entitlement extends Known = never,
  >(
    id: string,
    query?: RecordQuery<Field, Path, Entitlement>,
    options?: CallOptions,
  ) => Promise<VersionedResult<ReceivedRecord<M, All, Field, Path, Entitlement | Recorded>>>;

  readonly create: (input: CreateInputOf<M>, options?: CallOptions) => Promise<VersionedResult<SerializedRecord<M>>>;
  readonly update: (
    id: string,
    changes: UpdateInputOf<M>,
    options?: WriteOptions,
  ) => Promise<VersionedResult<SerializedRecord<M>>>;
  readonly delete: (id: string, options?: WriteOptions) => Promise<ClientResult<undefined>>;

  /** Makes all changes or none, at most 100 beside `deleteWhere`. Only if the server has a `bulk` rule. */
  readonly bulk: (changes: Bulk<M, All>, options?: CallOptions) => Promise<ClientResult<BulkResult<M>>>;

  /**
   * Calls the listener after everything that this client writes, to any entity; returns the function that unsubscribes.
   */
  readonly onWrite: (listener: () => void) => () => void;

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

/** One page of records. */
export interface RecordPage<Item> extends Page<Item> {
  readonly hasNextPage: boolean;
}

type ListPage<Item, Count extends boolean> = RecordPage<Item> &
  (Count extends true ? { readonly total: number } : unknown);

/** A record with its version. */
export type VersionedResult<T> = (Success<T> & { readonly etag: string }) | ClientFailure;

/** Several changes; an item with an `ifMatch` only of this version of its record, named by its `etag`. */
export interface Bulk<M extends Model, All extends Models = Models> {
  readonly create?: readonly CreateInputOf<M>[];
  readonly update?: readonly (UpdateInputOf<M> & BulkItem)[];
  readonly delete?: readonly (string | BulkItem)[];
  /** Deletes the records that satisfy a filter and that the caller may list, get and delete: at most 1 000. */
  readonly deleteWhere?: { readonly where: NonNullable<ListQuery<M, never, never, never, boolean, All>['where']> };
}

interface BulkItem {
  readonly id: string;
  readonly ifMatch?: string;
}

/** The outcomes of several changes, in their order. */
export interface BulkResult<M extends Model> {
  readonly created: readonly SerializedRecord<M>[];
  readonly updated: readonly SerializedRecord<M>[];
  readonly deleted: readonly string[];
}

/** Creates the calls of an entity, including its actions. Emits `written` after each call that may have written. */
export function createEntity(request: Request, path: string, written: Signal): unknown {
  const write: Request = async (to, options) => {
    const result = await request(to, options);
    if (result.ok && options.method !== 'GET') written.emit();
    return result;
  };
  // A body has room for any query, and its lists and texts need no escaping.
  const query = toCall(request, 'POST', path, '/query');
  const list: AnyCall = (asked = {}, options) => query(asked, options);
  const remove = toCall(write, 'DELETE', path);
  return createActions(write, path, {
    list,
    pages: (asked: object, options: object) => pages(list, asked, options),
    get: toCall(request, 'GET', path),
    create: toCall(write, 'POST', path),
    update: toCall(write, 'PATCH', path),
    delete: (id: string, options: object) => remove(id, undefined, options),
    onWrite: written.subscribe,
  });
}
