import type { AccessContext } from '@x/access';
import type { Awaitable } from '@x/errors';
import type { Stores, TransactionStores } from '@x/store';
import type { Caller } from '../model/field.ts';
import type { Model, StoredRecordOf } from '../model/model.ts';

/** The argument of every hook. */
interface WriteContext {
  /** On whose behalf the record is written. */
  readonly caller: Caller;
  /** The time of the whole call. */
  readonly now: Date;
}

/** The argument of a hook inside the transaction. */
export interface HookContext extends WriteContext {
  /** The stores of the transaction: writes through them commit with the record, or not at all. */
  readonly stores: TransactionStores;
  /** The entitlements of the caller, in the transaction. Without an access definition, no user has any. */
  readonly access: AccessContext;
}

/** The argument of a hook after the commit. */
export interface CommittedContext extends WriteContext {
  /** The stores of the app, for transactions of their own. */
  readonly stores: Stores;
}

/** A record that is about to change. */
export interface PlannedUpdate<M extends Model> {
  readonly record: StoredRecordOf<M>;
  /** The fields that are about to change, with their new values. */
  readonly changes: Partial<StoredRecordOf<M>>;
}

/** A record that has changed. */
export interface DoneUpdate<M extends Model> {
  readonly record: StoredRecordOf<M>;
  /** The record as it was when it was looked up. */
  readonly previous: StoredRecordOf<M>;
}

/**
 * Code of an app that runs when records are written; it sees hidden fields. If a hook inside the transaction throws,
 * everything is rolled back, and a `CodedError` becomes the response. Keep those short: other writers may have to wait.
 */
export interface EntityHooks<M extends Model = Model> {
  /**
   * Runs inside the transaction, after the caller was authorized. The values that a hook for create or update returns
   * are stored, too; they may include fields that callers can't write.
   */
  readonly before?: {
    create?(record: StoredRecordOf<M>, context: HookContext): Awaitable<Addition<M>>;
    update?(planned: PlannedUpdate<M>, context: HookContext): Awaitable<Addition<M>>;
    delete?(record: StoredRecordOf<M>, context: HookContext): Awaitable<void>;
  };
  /** Runs inside the transaction, after the record has been written. */
  readonly after?: WrittenHooks<M, HookContext>;
  /** Runs after the commit and before the response. An error is only logged, because the record has been written. */
  readonly afterCommit?: WrittenHooks<M, CommittedContext>;
}

type Addition<M extends Model> = Partial<StoredRecordOf<M>> | void;

interface WrittenHooks<M extends Model, Context> {
  create?(record: StoredRecordOf<M>, context: Context): Awaitable<void>;
  update?(done: DoneUpdate<M>, context: Context): Awaitable<void>;
  delete?(record: StoredRecordOf<M>, context: Context): Awaitable<void>;
}
