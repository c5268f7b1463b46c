import type { AccessContext, RuleCaller } from '@x/access';
import type { TransactionStores } from '@x/store';
import type { Model, StoredRecordOf } from '../model/model.ts';
import type { EntityApi } from './entity-api.ts';

/** The tools that an app's code works with, on behalf of a caller. */
export interface ActionTools {
  readonly caller: RuleCaller;
  /** The time of the call; it does not change during the call. */
  readonly now: Date;
  readonly stores: TransactionStores;
  /** What the caller may do. Without an access definition, nobody has any entitlement. */
  readonly access: AccessContext;
  /** Entities and services on behalf of the caller: rules apply. */
  readonly entities: EntityApi;
  /** Entities and services as the app itself: no rules apply. */
  readonly system: EntityApi;
  /**
   * Runs `work` in a transaction: everything it does with the tools it is given commits together when it resolves, or
   * not at all if it throws. Do effects outside the database, such as mails, afterwards.
   */
  readonly transaction: <T>(work: (inside: ActionTools) => Promise<T>) => Promise<T>;
}

/** What the handler of an action receives. */
export interface ActionContext<Input> extends ActionTools {
  readonly input: Input;
}

/** What the handler of an action on a record receives. */
export interface RecordActionContext<Input, M extends Model> extends ActionContext<Input> {
  /** The record as stored, hidden fields included. */
  readonly record: StoredRecordOf<M>;
  readonly version: number;
}
