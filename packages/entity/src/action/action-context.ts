import type { AccessContext, RuleCaller } from '@x/access';
import type { TransactionStores } from '@x/store';
import type { Model, StoredRecordOf } from '../model/model.ts';
import type { EntityApi } from '../pipeline/entity-api.ts';

/** What the code of an app works with, in the name of a caller. */
export interface ActionTools {
  readonly caller: RuleCaller;
  /** The one moment that all of the call happens at. */
  readonly now: Date;
  readonly stores: TransactionStores;
  /** What the caller may do. Where the app has no access definition, nobody holds anything. */
  readonly access: AccessContext;
  /** The entities and services, as the caller: rules apply. */
  readonly entities: EntityApi;
  /** The entities and services as the app itself, whom no rule applies to. */
  readonly system: EntityApi;
  /**
   * Runs `work` so that all it does with the tools that it is handed commits together when it resolves, or not at all
   * when it throws. What is to be heard of outside, such as a mail, belongs after it.
   */
  readonly transaction: <T>(work: (inside: ActionTools) => Promise<T>) => Promise<T>;
}

/** What the handler of an action is handed. */
export interface ActionContext<Input> extends ActionTools {
  readonly input: Input;
}

/** What the handler of a record's action is handed. */
export interface RecordActionContext<Input, M extends Model> extends ActionContext<Input> {
  /** The record as stored, hidden fields included. */
  readonly record: StoredRecordOf<M>;
  readonly version: number;
}
