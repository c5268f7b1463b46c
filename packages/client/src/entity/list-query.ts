import type { Model, RecordOf } from '@x/entity';
import type { PageOptions } from '../request/pages.ts';

/** The fields that callers see. */
export type FieldOf<M extends Model> = keyof RecordOf<M> & string;

/** What of a record is wanted, and what goes with it. */
export interface RecordQuery<Field extends string, Path extends string, Entitlement extends string> {
  /** Default: all fields. */
  readonly select?: readonly Field[];
  /** Relations, followed two levels at most: `comments`, or `project.organization`. */
  readonly include?: readonly Path[];
  /** What each record is to say in `__access` whether the user may. */
  readonly access?: readonly Entitlement[];
}

/** Which records are wanted, and in which order. */
export interface ListFilter<M extends Model> extends PageOptions {
  readonly where?: Filter<M>;
  /** `name`, `name:asc` or `name:desc`, the first counting most. Texts go by code point, nulls come last where they ascend. */
  readonly orderBy?: Order<ComparableOf<M>> | readonly Order<ComparableOf<M>>[];
}

type Order<Field extends string> = Field | `${Field}:${'asc' | 'desc'}`;

/** Conditions that have to hold together. */
export type Filter<M extends Model> = {
  readonly [Field in ComparableOf<M>]?: Operand<CellOf<M, Field>> | Comparisons<CellOf<M, Field>>;
} & {
  readonly AND?: readonly Filter<M>[];
  readonly OR?: readonly Filter<M>[];
  readonly NOT?: Filter<M>;
};

/** The fields that something can be asked of: all but JSON. */
type ComparableOf<M extends Model> = {
  [Field in FieldOf<M>]: CellOf<M, Field> extends string | number | boolean | Date | null ? Field : never;
}[FieldOf<M>];

/** What a record holds in a field, where that is shown. */
type CellOf<M extends Model, Field extends FieldOf<M>> = Exclude<RecordOf<M>[Field], undefined>;

/** Moments may be ISO 8601 texts. */
type Operand<Cell> = NonNullable<Cell> | (Cell extends Date ? string : never);

type Comparisons<Cell> = {
  readonly [Operator in 'eq' | 'ne' | 'gt' | 'gte' | 'lt' | 'lte']?: Operand<Cell>;
} & {
  readonly in?: readonly Operand<Cell>[];
  readonly notIn?: readonly Operand<Cell>[];
  readonly isNull?: boolean;
} & (string extends Cell ? TextComparisons : unknown);

/** Literal, case included. */
type TextComparisons = { readonly [Operator in 'contains' | 'startsWith' | 'endsWith']?: string };
