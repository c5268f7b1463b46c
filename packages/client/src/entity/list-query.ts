import type { Model, RecordOf } from '@x/entity';
import type { OperandKind, WhereOperands } from '@x/store/where';
import type { PageOptions } from '../request/pages.ts';

/** The fields that callers see. */
export type FieldOf<M extends Model> = keyof RecordOf<M> & string;

/** Which parts of a record to return, and what to include. */
export interface RecordQuery<Field extends string, Path extends string, Entitlement extends string> {
  /** Default: all fields. */
  readonly select?: readonly Field[];
  /** Relations to include, at most two levels deep: `comments`, or `project.organization`. */
  readonly include?: readonly Path[];
  /** Entitlements to check on each record; the results are in its `__access`. */
  readonly access?: readonly Entitlement[];
}

/** Which records to return, and in which order. */
export interface ListFilter<M extends Model> extends PageOptions {
  readonly where?: Filter<M>;
  /**
   * `name`, `name:asc` or `name:desc`, the most significant first. Texts sort by code point, nulls last in ascending
   * order.
   */
  readonly orderBy?: Order<ComparableOf<M>> | readonly Order<ComparableOf<M>>[];
}

type Order<Field extends string> = Field | `${Field}:${'asc' | 'desc'}`;

/** Conditions that must all hold. */
export type Filter<M extends Model> = {
  readonly [Field in ComparableOf<M>]?: Operand<CellOf<M, Field>> | Comparisons<CellOf<M, Field>>;
} & {
  readonly AND?: readonly Filter<M>[];
  readonly OR?: readonly Filter<M>[];
  readonly NOT?: Filter<M>;
};

/** The fields that queries can refer to: all but JSON. */
type ComparableOf<M extends Model> = {
  [Field in FieldOf<M>]: CellOf<M, Field> extends string | number | boolean | Date | null ? Field : never;
}[FieldOf<M>];

/** The value of a field in a record that shows it. */
type CellOf<M extends Model, Field extends FieldOf<M>> = Exclude<RecordOf<M>[Field], undefined>;

/** Dates may also be ISO 8601 strings. */
type Operand<Cell> = NonNullable<Cell> | (Cell extends Date ? string : never);

type Comparisons<Cell> = WhereOperands<Operand<Cell>, string extends Cell ? OperandKind : Exclude<OperandKind, 'text'>>;
