import type { TransactionStores } from '@x/store';
import type { Caller } from '../field/field.ts';
import type { Model, StoredRecordOf } from '../model/model.ts';

/** What a hook that runs inside the transaction works with. */
export interface HookContext extends CommittedContext {
  /** The stores of the transaction: what is written through them commits with the record, or not at all. */
  readonly stores: TransactionStores;
}

/** What a hook that runs after the commit is told. */
export interface CommittedContext {
  /** On whose behalf the record is written. */
  readonly caller: Caller;
}

/** A record that is about to change. */
export interface PlannedUpdate<M extends Model> {
  readonly record: StoredRecordOf<M>;
  /** The fields that are going to change, with what they will hold. */
  readonly changes: Partial<StoredRecordOf<M>>;
}

/** A record that has changed. */
export interface DoneUpdate<M extends Model> {
  readonly record: StoredRecordOf<M>;
  /** The record as it was when it was looked up. */
  readonly previous: StoredRecordOf<M>;
}

/**
 * What an app does when records are written, hidden fields at hand. A hook inside the transaction that throws undoes
 * everything; a `CodedError` is what the caller is told. Keep those short: other writers may have to wait.
 */
export interface EntityHooks<M extends Model = Model> {
  /**
   * Runs inside the transaction, once the caller may do it. What the hook of a creation or an update returns is stored, too,
   * and is not restricted to what callers write.
   */
  readonly before?: {
    create?(record: StoredRecordOf<M>, context: HookContext): Addition<M> | Promise<Addition<M>>;
    update?(planned: PlannedUpdate<M>, context: HookContext): Addition<M> | Promise<Addition<M>>;
    delete?(record: StoredRecordOf<M>, context: HookContext): void | Promise<void>;
  };
  /** Runs inside the transaction, once the record is written. */
  readonly after?: WrittenHooks<M, HookContext>;
  /** Runs after the commit and before the answer. What it throws is logged: the record is written. */
  readonly afterCommit?: WrittenHooks<M, CommittedContext>;
}

type Addition<M extends Model> = Partial<StoredRecordOf<M>> | void;

interface WrittenHooks<M extends Model, Context> {
  create?(record: StoredRecordOf<M>, context: Context): void | Promise<void>;
  update?(done: DoneUpdate<M>, context: Context): void | Promise<void>;
  delete?(record: StoredRecordOf<M>, context: Context): void | Promise<void>;
}
