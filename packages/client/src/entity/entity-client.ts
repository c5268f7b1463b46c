import type { CreateInputOf, Model, UpdateInputOf } from '@x/entity';
import type { Success } from '@x/errors';
import type { Models } from '../app/app.ts';
import type { CallOptions } from '../request/call.ts';
import type { ClientFailure, ClientResult } from '../request/client-result.ts';
import type { Page } from '../request/pages.ts';
import type { FieldOf, ListFilter, RecordQuery } from './list-query.ts';
import type { PathOf, RecordOnWire, ShownRecord } from './shown-record.ts';

declare const types: unique symbol;

/**
 * The records of one entity, as far as the rules of the server let the user have them.
 *
 * @typeParam All - the models that relations lead to
 * @typeParam Known - the entitlements that there are
 * @typeParam Recorded - those that every record says something of in `__access`
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
    query?: ListQuery<M, Field, Path, Entitlement, Count>,
    options?: CallOptions,
  ) => Promise<ClientResult<ListPage<ShownRecord<M, All, Field, Path, Entitlement | Recorded>, Count>>>;

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
    query?: ListQuery<M, Field, Path, Entitlement, Count>,
    options?: CallOptions,
  ) => AsyncGenerator<
    ClientResult<ListPage<ShownRecord<M, All, Field, Path, Entitlement | Recorded>, Count>>,
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
  ) => Promise<VersionedResult<ShownRecord<M, All, Field, Path, Entitlement | Recorded>>>;

  readonly create: (input: CreateInputOf<M>, options?: CallOptions) => Promise<VersionedResult<RecordOnWire<M>>>;
  readonly update: (
    id: string,
    changes: UpdateInputOf<M>,
    options?: WriteOptions,
  ) => Promise<VersionedResult<RecordOnWire<M>>>;
  readonly delete: (id: string, options?: WriteOptions) => Promise<ClientResult<undefined>>;

  /** Makes all changes or none, at most 100, where the server has a rule for many at once. */
  readonly bulk: (changes: Bulk<M>, options?: CallOptions) => Promise<ClientResult<BulkResult<M>>>;

  /** Calls the listener after everything that this client wrote, of whichever entity; returns what ends that. */
  readonly onWrite: (listener: () => void) => () => void;

  /** What it is typed by, for the type system alone. */
  readonly [types]?: { readonly model: M; readonly all: All; readonly known: Known; readonly recorded: Recorded };
}

/** What is asked of a list. */
export interface ListQuery<
  M extends Model,
  Field extends string,
  Path extends string,
  Entitlement extends string,
  Count extends boolean,
>
  extends ListFilter<M>, RecordQuery<Field, Path, Entitlement> {
  /** Whether the page is to have the `total` of all pages. */
  readonly count?: Count;
}

/** One page of records. */
export interface RecordPage<Item> extends Page<Item> {
  readonly hasNextPage: boolean;
}

type ListPage<Item, Count extends boolean> = RecordPage<Item> &
  (Count extends true ? { readonly total: number } : unknown);

/** A record, and its version. */
export type VersionedResult<T> = (Success<T> & { readonly etag: string }) | ClientFailure;

/** How a record is written. */
export interface WriteOptions extends CallOptions {
  /** The `etag` of the only version that is to be written; any other is `PRECONDITION_FAILED`. */
  readonly ifMatch?: string;
}

/** Several changes. */
export interface Bulk<M extends Model> {
  readonly create?: readonly CreateInputOf<M>[];
  readonly update?: readonly (UpdateInputOf<M> & { readonly id: string })[];
  readonly delete?: readonly string[];
}

/** What came of several changes, in their order. */
export interface BulkResult<M extends Model> {
  readonly created: readonly RecordOnWire<M>[];
  readonly updated: readonly RecordOnWire<M>[];
  readonly deleted: readonly string[];
}
