import type { AccessContext, RuleCaller } from '@x/access';
import type { EntityRecord, EntityRow, EntityValues } from '@x/store';
import type { Where } from '@x/store/where';
import type { Caller } from '../model/field.ts';
import type { FieldRules, OperationRule } from './operation-rule.ts';
import type { ResourceColumns } from './resource-columns.ts';

/** On whose behalf an operation runs: a caller, to whom rules apply, or the system, which may do everything. */
export type Actor =
  | { readonly type: 'caller'; readonly caller: RuleCaller }
  /** `caller` is the one that server values are computed for. */
  | { readonly type: 'system'; readonly caller: Caller };

/** The part of a call that authorization decides with. */
export interface AuthorizationCall {
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
export type CompoundOperation = 'bulk' | 'export' | 'import';

/** Every operation. */
export const operations: readonly Operation[] = [
  'list',
  'get',
  'create',
  'update',
  'delete',
  'bulk',
  'export',
  'import',
];

/** The operations that a compound one can't do without. */
export const neededOperations: Readonly<Record<CompoundOperation, readonly Operation[]>> = {
  bulk: [],
  export: ['list'],
  import: ['create'],
};

/** Says whether an operation is made of others. */
export function isCompound(operation: Operation): operation is CompoundOperation {
  return Object.hasOwn(neededOperations, operation);
}

/** The part of an entity that authorization decides with. */
export interface ProtectedEntity {
  readonly name: string;
  /** The rules of the exposed operations. */
  readonly rules: ReadonlyMap<Operation, OperationRule>;
  readonly fieldRules: FieldRules;
}

/** Whose rules apply to whom, in which call. */
export interface RuleContext {
  readonly call: AuthorizationCall;
  readonly caller: RuleCaller;
  readonly entity: ProtectedEntity;
}

/** A row without the fields that their rules hide from the caller. Records for callers are only made from such rows. */
export type VisibleRow = EntityRow & { readonly '~visible': true };

/** Declares that a row has no field that its rule hides from the caller. Nothing else makes a visible row. */
export function markVisible(row: EntityRow): VisibleRow {
  return row as VisibleRow;
}

/** Tells many rows from one. */
export function isRowList(given: EntityRow | readonly EntityRow[]): given is readonly EntityRow[] {
  return Array.isArray(given);
}

/**
 * The rights of one caller on the records of an entity, by the rule of one operation. It is opened after the caller's
 * own part of the rule was decided. Everything else follows from it: conditions for statements, and decisions on the
 * records that those leave open. Answers of the access context about a record are kept for further decisions on it.
 */
export interface Authorization {
  /**
   * Looks a record up with the condition of the rule, and decides what that leaves open. Returns null if there is none,
   * or the caller can't see it, or its fields refuse the operation.
   *
   * @param find - looks it up with a condition
   * @throws CodedError `FORBIDDEN` or `STEP_UP_REQUIRED` if the caller lacks something else
   */
  findAuthorized(find: (where: Where) => Promise<EntityRecord | null>): Promise<EntityRecord | null>;

  /**
   * Narrows the condition of a list to the rows that the rule allows the caller.
   *
   * @param fields - those that the condition relies on: rows that hide one of them from the caller are left out
   */
  restrict(where: Where, fields?: readonly string[]): Promise<Where>;

  /** Removes from a row the fields that are hidden from the caller. */
  visible(row: EntityRow): Promise<VisibleRow>;

  /** Removes them from each of many rows, in as many store calls as for one. */
  visible(rows: readonly EntityRow[]): Promise<readonly VisibleRow[]>;

  /**
   * Finds out what the caller may write of one record.
   *
   * @param values - what changes; a delete changes nothing
   */
  writable(values?: EntityValues): Writable;
}

/** The right of a caller to write one record: as far as the statement that writes it can decide, or by the record. */
export interface Writable {
  /** The condition of the statement: the caller may read the record, and the rule holds before and after the change. */
  readonly where: Where;
  /** Whether that leaves something to decide on the record: then {@link on} has to follow `findAuthorized`. */
  readonly needsRecord: boolean;

  /**
   * Decides on a record that was authorized, as it is and as it would be, and on the fields that change. A field that
   * the caller may not write is ignored if it is sent back as the caller was shown it; if they may not read it, the
   * response does not reveal whether it is the same.
   *
   * @throws CodedError `UNAUTHENTICATED`, `FORBIDDEN`, `STEP_UP_REQUIRED`
   */
  on(record: SeenRecord): Promise<WritableChange>;
}

/** A record that was looked up, and the same as the caller sees it. */
export interface SeenRecord {
  readonly row: EntityRow;
  readonly seen: VisibleRow;
}

/** A change of one record that the caller may make. */
export interface WritableChange {
  /** Those of the values that the caller may write; if there are none, nothing was decided. */
  readonly values: EntityValues;
  /** The condition of the statement, which repeats what was decided. */
  readonly where: Where;

  /**
   * Decides again after a hook has changed the values, to which the rules of fields do not apply.
   *
   * @throws CodedError `FORBIDDEN`
   */
  confirm(values: EntityValues): Promise<WritableChange>;
}

/**
 * The right of one caller to create records of an entity. It is opened after the caller's own part of the rule was
 * decided.
 */
export interface CreateAuthorization {
  /** Whether a record may consume entitlements, so that it is created in a transaction. */
  readonly mayConsume: boolean;

  /**
   * Decides on a record that is about to be created, and on the fields that the caller chose for it.
   *
   * @throws CodedError `UNAUTHENTICATED`, `FORBIDDEN`, `STEP_UP_REQUIRED`
   */
  authorize(row: EntityRow, chosen: EntityValues): Promise<NewRecordPermit>;

  /** Removes from a record that does not exist yet the fields that are hidden from the caller. */
  visible(row: EntityRow): Promise<VisibleRow>;
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
