import type { AccessCheck } from '@x/access/access-set';
import type { OperandKind, WhereOperands } from '@x/store/where';
import type { Model, RecordOf } from '../model/model.ts';

/** Models by the names of their entities: those that relations can lead to. */
export type Models = Readonly<Record<string, Model>>;

/** The fields that callers see. */
export type FieldOf<M extends Model> = keyof RecordOf<M> & string;

/** The parts of a record to return, and the relations to include. */
export interface RecordQuery<Field extends string, Path extends string, Entitlement extends string> {
  /** Default: all fields. */
  readonly select?: readonly Field[];
  /**
   * Relations to include, at most two levels deep: `comments`, or `project.organization`. Of many records, the first
   * 100 by id; `includeMeta` says whether there are more.
   */
  readonly include?: readonly Path[];
  /** Entitlements to check on each record; the results are in its `__access`. */
  readonly access?: readonly Entitlement[];
}

/** Which records to return, and in which order. */
export interface ListFilter<M extends Model, All extends Models = NoModels> {
  /** The most records of a page, from 1. Default 20, or less if the entity allows less; its `maxLimit` is the most. */
  readonly limit?: number;
  /** The `nextCursor` of the previous page. */
  readonly after?: string | null;
  readonly where?: Filter<M, All>;
  /**
   * `name`, `name:asc` or `name:desc`, the most significant first; `project.name` is a field of the record that a
   * `belongsTo` relation leads to. Texts sort by code point, nulls last in ascending order.
   */
  readonly orderBy?: OrderOf<M, All> | readonly OrderOf<M, All>[];
}

type OrderOf<M extends Model, All extends Models> = Order<ComparableOf<M> | RelatedFieldOf<M, All>>;

type Order<Field extends string> = Field | `${Field}:${'asc' | 'desc'}`;

/** No relation can be followed. */
type NoModels = Readonly<Record<never, Model>>;

/**
 * Conditions that must all hold; `project.name` is a field of the record that a `belongsTo` relation leads to, and
 * `labels.0` a value in a field of JSON.
 */
export type Filter<M extends Model, All extends Models = NoModels> = {
  readonly [Field in ComparableOf<M>]?: Conditions<M>[Field];
} & {
  readonly [Path in RelatedFieldOf<M, All>]?: Condition<RelatedCellOf<M, All, Path>>;
} & {
  readonly [Path in JsonPathOf<M> | RelatedJsonPathOf<M, All>]?: Condition<string | number | boolean>;
} & {
  readonly AND?: readonly Filter<M, All>[];
  readonly OR?: readonly Filter<M, All>[];
  readonly NOT?: Filter<M, All>;
};

// Looked up rather than written out in the filter: comparing filters of models that are not known, the compiler would
// multiply out all kinds of conditions, which takes it seconds.
type Conditions<M extends Model> = { readonly [Field in FieldOf<M>]: Condition<CellOf<M, Field>> };

type Condition<Cell> = Operand<Cell> | Comparisons<Cell>;

/** The fields of records that `belongsTo` relations lead to. */
type RelatedFieldOf<M extends Model, All extends Models> = {
  [Relation in keyof M['relations'] & string]: M['relations'][Relation] extends { readonly type: 'one' }
    ? TargetOf<M, Relation> extends infer Name extends keyof All
      ? `${Relation}.${ComparableOf<All[Name]>}`
      : never
    : never;
}[keyof M['relations'] & string];

/** The paths to values in fields of JSON. */
type JsonPathOf<M extends Model> = `${Exclude<KnownFieldOf<M>, ComparableOf<M>>}.${string}`;

/** The fields whose types are known. */
type KnownFieldOf<M extends Model> = string extends FieldOf<M> ? never : FieldOf<M>;

/** The same in records that `belongsTo` relations lead to. */
type RelatedJsonPathOf<M extends Model, All extends Models> = {
  [Relation in keyof M['relations'] & string]: M['relations'][Relation] extends { readonly type: 'one' }
    ? TargetOf<M, Relation> extends infer Name extends keyof All
      ? `${Relation}.${JsonPathOf<All[Name]>}`
      : never
    : never;
}[keyof M['relations'] & string];

type RelatedCellOf<
  M extends Model,
  All extends Models,
  Path extends string,
> = Path extends `${infer Relation}.${infer Field}`
  ? TargetOf<M, Relation> extends infer Name extends keyof All
    ? Field extends FieldOf<All[Name]>
      ? CellOf<All[Name], Field>
      : never
    : never
  : never;

/** The fields that queries can refer to: all but JSON; any, of a model that is not known. */
export type ComparableOf<M extends Model> = {
  [Field in FieldOf<M>]: CellOf<M, Field> extends string | number | boolean | Date | null
    ? Field
    : unknown extends CellOf<M, Field>
      ? Field
      : never;
}[FieldOf<M>];

/** The value of a field in a record that shows it. */
type CellOf<M extends Model, Field extends FieldOf<M>> = Exclude<RecordOf<M>[Field], undefined>;

/** Dates may also be ISO 8601 strings. */
type Operand<Cell> = NonNullable<Cell> | (Cell extends Date ? string : never);

type Comparisons<Cell> = WhereOperands<
  Operand<Cell>,
  string extends Cell ? OperandKind : Exclude<OperandKind, 'text' | 'caseless'>
>;

/** The query of a list. */
export interface ListQuery<
  M extends Model,
  Field extends string = FieldOf<M>,
  Path extends string = string,
  Entitlement extends string = string,
  Count extends boolean = boolean,
  All extends Models = NoModels,
>
  extends ListFilter<M, All>, RecordQuery<Field, Path, Entitlement> {
  /** Whether to include the `total` over all pages. */
  readonly count?: Count;
}

/** One value to compute of each group of records: a function of a field, of those that have a value. */
export type MeasureOf<M extends Model> =
  /** The number of them; with `true`, that of all records. */
  | { readonly count: true | FieldOf<M> }
  /** Of an integer, a number or a decimal. */
  | { readonly sum: ComparableOf<M> }
  | { readonly avg: ComparableOf<M> }
  /** False is less than true. */
  | { readonly min: ComparableOf<M> }
  | { readonly max: ComparableOf<M> };

/** The grouping of the records that the caller may list, and the measures of each group. */
export interface AggregateQuery<
  M extends Model,
  Group extends string = string,
  Measures = Readonly<Record<string, MeasureOf<M>>>,
  All extends Models = NoModels,
> {
  readonly where?: Filter<M, All>;
  /** At most 3 fields. Without any, all records are one group. */
  readonly groupBy?: readonly Group[];
  /** At most 10, under names of the caller's choice other than `key`. */
  readonly measures: Measures;
}

/** One group, as clients receive it. A measure of no values is null. */
export type AggregateGroup<M extends Model, Group extends string, Measures> = {
  readonly key: { readonly [Field in Group & FieldOf<M>]: SerializedCell<CellOf<M, Field>> };
} & { readonly [Name in keyof Measures]: MeasuredOf<M, Measures[Name]> };

type MeasuredOf<M extends Model, Measured> = Measured extends { readonly count: unknown }
  ? number
  : Measured extends { readonly [Name in 'sum' | 'avg']?: infer Field extends FieldOf<M> }
    ? ComputedOf<M, Field, keyof Measured>
    : Measured extends { readonly [Name in 'min' | 'max']?: infer Field }
      ? SerializedCell<NonNullable<CellOf<M, Field & FieldOf<M>>>> | null
      : never;

/** A sum of integers or numbers is a text if no number is that large, or none that is exact. */
type ComputedOf<M extends Model, Field extends FieldOf<M>, Function> =
  NonNullable<CellOf<M, Field>> extends string
    ? string | null
    : Function extends 'sum'
      ? number | string | null
      : number | null;

/** A record as clients receive it: its dates are ISO 8601 strings. */
export type SerializedRecord<M extends Model> = {
  readonly [Field in keyof RecordOf<M>]: SerializedCell<RecordOf<M>[Field]>;
};

type SerializedCell<Cell> = Cell extends Date ? string : Cell;

/** How records are given: `record` in process, `json` to clients. */
type RecordForm = 'record' | 'json';

type FormOf<M extends Model, Form extends RecordForm> = Form extends 'json' ? SerializedRecord<M> : RecordOf<M>;

/** A record with the parts that were requested. */
export type SelectedRecord<
  M extends Model,
  All extends Models,
  Field extends string = never,
  Path extends string = never,
  Entitlement extends string = never,
  Form extends RecordForm = 'record',
> = Flat<
  ([Field] extends [never] ? FormOf<M, Form> : Pick<FormOf<M, Form>, Field & FieldOf<M>>) & {
    readonly [Relation in Head<Path>]: Related<M, All, Relation, Tail<Path, Relation>, Form>;
  } & IncludeMetaOf<M, Head<Path>> &
    AccessOf<Entitlement>
>;

/** Of which included relations there are more records than the 100 that are shown; the others are left out. */
export type IncludeMeta<Relation extends string = string> = {
  readonly [Name in Relation]?: { readonly hasMore: true };
};

/** The `includeMeta` of a record; absent if all of its related records are shown. */
type IncludeMetaOf<M extends Model, Relation extends string> = [ManyOf<M, Relation>] extends [never]
  ? unknown
  : { readonly includeMeta?: IncludeMeta<ManyOf<M, Relation>> };

type ManyOf<M extends Model, Relation extends string> = {
  [Name in Relation]: M['relations'][Name] extends { readonly type: 'many' } ? Name : never;
}[Relation];

/** The `__access` of a record. */
type AccessOf<Entitlement extends string> = [Entitlement] extends [never]
  ? unknown
  : { readonly __access: { readonly [Name in Entitlement]: AccessCheck } };

/** The paths of relations from a model, at most two steps, between entities that the app declares. */
export type PathOf<M extends Model, All extends Models> = {
  [Relation in keyof M['relations'] & string]: TargetOf<M, Relation> extends infer Name extends keyof All
    ? Relation | `${Relation}.${keyof All[Name]['relations'] & string}`
    : never;
}[keyof M['relations'] & string];

/** An array of related records; or a single one, null if there is none that the user may read. */
type Related<
  M extends Model,
  All extends Models,
  Relation extends string,
  Path extends string,
  Form extends RecordForm,
> =
  TargetOf<M, Relation> extends infer Name extends keyof All
    ? M['relations'][Relation] extends { readonly type: 'many' }
      ? readonly SelectedRecord<All[Name], All, never, Path, never, Form>[]
      : SelectedRecord<All[Name], All, never, Path, never, Form> | null
    : unknown;

/** The name of the entity that a relation leads to. */
type TargetOf<M extends Model, Relation extends string> = M['relations'][Relation] extends {
  readonly type: 'many';
  readonly entity: infer Entity;
}
  ? Entity
  : M['relations'][Relation] extends { readonly type: 'one'; readonly field: infer Field extends keyof M['fields'] }
    ? M['fields'][Field]['options'] extends { readonly references: infer Entity }
      ? Entity
      : never
    : never;

type Head<Path extends string> = Path extends `${infer Relation}.${string}` ? Relation : Path;

type Tail<Path extends string, Relation extends string> = Path extends `${Relation}.${infer Rest}` ? Rest : never;

type Flat<T> = { readonly [Key in keyof T]: T[Key] };
