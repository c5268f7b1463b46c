import type { AccessCheck } from '@x/access/access-set';
import type { Model, RecordOf } from '@x/entity';
import type { Models } from '../app/app.ts';
import type { FieldOf } from './list-query.ts';

/** A record as received: its dates are ISO 8601 strings. */
export type SerializedRecord<M extends Model> = {
  readonly [Field in keyof RecordOf<M>]: SerializedCell<RecordOf<M>[Field]>;
};

type SerializedCell<Cell> = Cell extends Date ? string : Cell;

/** A record with the parts that were requested. */
export type SelectedRecord<
  M extends Model,
  All extends Models,
  Field extends string = never,
  Path extends string = never,
  Entitlement extends string = never,
> = Flat<
  ([Field] extends [never] ? SerializedRecord<M> : Pick<SerializedRecord<M>, Field & FieldOf<M>>) & {
    readonly [Relation in Head<Path>]: Related<M, All, Relation, Tail<Path, Relation>>;
  } & AccessOf<Entitlement>
>;

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
type Related<M extends Model, All extends Models, Relation extends string, Path extends string> =
  TargetOf<M, Relation> extends infer Name extends keyof All
    ? M['relations'][Relation] extends { readonly type: 'many' }
      ? readonly SelectedRecord<All[Name], All, never, Path>[]
      : SelectedRecord<All[Name], All, never, Path> | null
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
