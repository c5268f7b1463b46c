import type { AccessContext, RuleCaller } from '@x/access';
import type { EntityRow, EntityValues } from '@x/store';
import type { Where } from '@x/store/where';
import type { Caller } from '../model/field.ts';
import type { FieldRules, OperationRule } from './operation-rule.ts';
import type { ResourceColumns } from './resource-columns.ts';

/** On whose behalf an operation runs: a caller, to whom rules apply, or the system, which may do everything. */
export type Actor =
  | { readonly type: 'caller'; readonly caller: RuleCaller }
  /** `caller` is the one that server values are computed for. */
  | { readonly type: 'system'; readonly caller: Caller };

/** What decisions are made with: the part of a call's scope that they need. */
export interface AuthorizationScope {
  readonly actor: Actor;
  readonly now: Date;
  readonly access: () => AccessContext;
  /** Where entitlements are checked, by the name of the entity whose rules use them. */
  readonly context: { readonly resourceColumns: ReadonlyMap<string, ResourceColumns> };
}

/** The operations on the records of an entity. */
export type Operation = 'list' | 'get' | 'create' | 'update' | 'delete' | CompoundOperation;

/**
 * The operations that are made of others. Their rule says who may ask for them at all, so it is about no record; each
 * record is checked by the rules of the operations that it takes.
 */
export type CompoundOperation = 'bulk' | 'upsert' | 'aggregate' | 'export';

/** Every operation. */
export const operations: readonly Operation[] = [
  'list',
  'get',
  'create',
  'update',
  'delete',
  'bulk',
  'upsert',
  'aggregate',
  'export',
];

/** The operations that a compound one can't do without. */
export const neededOperations: Readonly<Record<CompoundOperation, readonly Operation[]>> = {
  bulk: [],
  upsert: ['create', 'update'],
  aggregate: ['list'],
  export: ['list'],
};

/** Says whether an operation is made of others. */
export function isCompound(operation: Operation): operation is CompoundOperation {
  return Object.hasOwn(neededOperations, operation);
}

/** What decisions have to know of an entity. */
export interface ProtectedEntity {
  readonly name: string;
  /** The rules of the exposed operations. */
  readonly rules: ReadonlyMap<Operation, OperationRule>;
  readonly fieldRules: FieldRules;
}

/** A row without the fields that their rules hide from the caller. Records for callers are only made from such rows. */
export type VisibleRow = EntityRow & { readonly '~visible': true };

/** Declares that a row has no field that its rule hides from the caller. Nothing else makes a visible row. */
export function markVisible(row: EntityRow): VisibleRow {
  return row as VisibleRow;
}

/** The part of a change that the caller may write, and what the statement that writes it has to repeat. */
export interface FieldWrites {
  readonly values: EntityValues;
  /** Rules of fields that the record has to satisfy before the change. */
  readonly rules: ReadonlySet<OperationRule>;
}

/** The permission to create one record. */
export interface NewRecordPermit {
  /**
   * Decides again on the same record after a hook has changed it, by what the access context said before.
   *
   * @throws CodedError `FORBIDDEN`
   */
  confirm(row: EntityRow): void;

  /**
   * Consumes the entitlements that the permission relied on. Consuming blocks others of the same tenant until the
   * commit, so it is done last.
   *
   * @throws CodedError if a limit was reached meanwhile
   */
  consume(): Promise<void>;
}

/**
 * What one caller may do with the records of an entity by the rule of one operation. It is opened after the caller's
 * own part of the rule was decided. Everything else follows from it: conditions for statements, and decisions on the
 * records that those leave open. What the access context says about a record is kept for further decisions on it.
 */
export interface Authorization {
  /** Makes the same decisions in another scope, such as one inside a transaction, and forgets what was kept. */
  within(scope: AuthorizationScope): Authorization;

  /**
   * Narrows the condition of a list to the rows that the rule allows the caller.
   *
   * @param field - a field that the condition relies on: rows that hide it from the caller are left out
   */
  restrict(where: Where, field?: string): Promise<Where>;

  /** Builds the condition to look one record up with. A row that satisfies it may still be refused by `authorize`. */
  whereForLookup(): Where;

  /**
   * Builds the condition for the statement that writes one record: the caller may read it, and the rule holds before
   * and after the change. If `needsRecord`, the statement has to follow `authorize`.
   *
   * @param change - what changes; a delete changes nothing
   */
  whereForWrite(change?: FieldWrites): Where;

  /** Says whether the condition of the statement leaves something to decide on the record. */
  needsRecord(values?: EntityValues): boolean;

  /**
   * Decides on a record that was looked up.
   *
   * @throws CodedError `NOT_FOUND` if the caller can't see it, or its fields refuse the operation; `FORBIDDEN` or
   * `STEP_UP_REQUIRED` if the caller lacks something else
   */
  authorize(row: EntityRow): Promise<void>;

  /** Says whether the caller may read a record that was looked up. */
  canRead(row: EntityRow): Promise<boolean>;

  /**
   * Says of records that were just written whether the caller may read them as they are now, in as many store calls as for
   * one. A record that was changed could be read before, and so could whatever it refers to now.
   */
  canReadWritten(rows: readonly EntityRow[], written: 'created' | 'changed'): Promise<readonly boolean[]>;

  /**
   * Decides on a record as it would be after a change.
   *
   * @throws CodedError `FORBIDDEN`
   */
  authorizeChanged(row: EntityRow): Promise<void>;

  /** Whether a new record may consume entitlements, so that it is created in a transaction. */
  readonly mayConsume: boolean;

  /**
   * Decides on a record that is about to be created, and on the fields that the caller chose for it.
   *
   * @throws CodedError `UNAUTHENTICATED`, `FORBIDDEN`, `STEP_UP_REQUIRED`
   */
  authorizeNew(row: EntityRow, chosen: EntityValues): Promise<NewRecordPermit>;

  /** The fields that are hidden from the caller on some record: queries can't refer to them. */
  readonly conditionallyVisible: ReadonlySet<string>;

  /** Removes from one row the fields that are hidden from the caller. */
  visible(row: EntityRow): Promise<VisibleRow>;

  /** Removes from each row the fields that are hidden from the caller, in as many store calls as for one. */
  visibleEach(rows: readonly EntityRow[]): Promise<readonly VisibleRow[]>;

  /**
   * Decides which fields of a record the caller may change. A field that they may not write is ignored if it is sent
   * back as the caller was shown it; if they may not read it, the response does not reveal whether it is the same.
   *
   * @param seen - the record as the caller sees it
   * @throws CodedError `UNAUTHENTICATED`, `FORBIDDEN`, `STEP_UP_REQUIRED`
   */
  writable(row: EntityRow, seen: VisibleRow, values: EntityValues): Promise<FieldWrites>;
}
