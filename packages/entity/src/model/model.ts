import { refuseUnknownOptions } from '@x/errors';
import type { ExistingTable } from '@x/store';
import type { Where } from '@x/store/where';
import type { Field, ValueIn } from './field.ts';

/** Fields by their names. */
export type Fields = Readonly<Record<string, Field>>;

/** Relations by their names. */
export type Relations = Readonly<Record<string, Relation>>;

/** The data of an entity as `defineModel` returns it: frozen, its names checked. */
export interface Model<Name extends string = string, F extends Fields = Fields, R extends Relations = Relations> {
  readonly name: Name;
  /** The declared fields, without those that every record has. */
  readonly fields: F;
  readonly relations: R;
  /** The indexes of all records. */
  readonly indexes: readonly (readonly string[])[];
  /** Groups of fields whose values no two records have together. */
  readonly unique: readonly (readonly string[])[];
  /** The indexes, unique ones among them, of those records alone that satisfy a condition. */
  readonly partialIndexes: readonly PartialFields[];
  /** The references to the record that this one belongs to: the first that is set counts. */
  readonly parents: readonly string[];
  /** The name of the entity in an earlier declaration. */
  readonly renamedFrom: string | null;
  /** Whether each change of a record is logged. */
  readonly audit: boolean;
  /** The table, if it is in the database without us; null if `migrate()` creates it. */
  readonly existing: ExistingTable | null;
  /** Every field of a record: `id`, the declared ones, and `createdAt` and `updatedAt` unless the table lacks them. */
  readonly allFields: ReadonlyMap<string, Field>;
}

/** An index of some records. */
export interface PartialFields {
  readonly fields: readonly string[];
  readonly where: Where;
  readonly unique: boolean;
}

/** The fields that the framework adds to every record. */
interface RecordBase {
  readonly id: string;
  readonly createdAt: Date;
  readonly updatedAt: Date;
}

/** What a model of an existing table says of the fields that records have otherwise, for the type system only. */
export interface Absent<Names extends string> {
  /** The moments that records do not have. */
  readonly '~absent'?: Names;
}

/** A model whose callers choose the ids of new records, for the type system only. */
export interface ChosenId {
  readonly '~chosen'?: 'id';
}

/** The part of {@link RecordBase} that records of a model have. */
type BaseOf<M extends Model> = Omit<RecordBase, AbsentNames<M>>;

/** Without this information the type is unknown, which names no field. */
type AbsentNames<M extends Model> = M extends { readonly '~absent'?: infer Names } ? Extract<Names, string> : never;

type ChosenNames<M extends Model> = M extends { readonly '~chosen'?: infer Names } ? Extract<Names, string> : never;

/** A model with the names of the fields that have a read rule, for the type system only. */
export type GuardedModel<M extends Model, Names extends string> = M & { readonly '~guarded'?: Names };

/** A record as callers see it: without hidden fields; fields with a read rule are optional. */
export type RecordOf<M extends Model> = Flat<
  BaseOf<M> & {
    readonly [Name in Exclude<VisibleNames<M['fields']>, GuardedNames<M>>]: Cell<M['fields'][Name]>;
  } & { readonly [Name in Extract<VisibleNames<M['fields']>, GuardedNames<M>>]?: Cell<M['fields'][Name]> }
>;

/** A record as it is stored, hidden fields included. */
export type StoredRecordOf<M extends Model> = Flat<
  BaseOf<M> & { readonly [Name in keyof M['fields']]: Cell<M['fields'][Name]> }
>;

/**
 * The input that creates a record: the fields that callers write. Fields that have no default and are not nullable are
 * required.
 */
export type CreateInputOf<M extends Model> = Flat<
  { readonly [Name in ChosenNames<M>]: string } & {
    readonly [Name in RequiredNames<M['fields']>]: InputCell<M['fields'][Name]>;
  } & {
    readonly [Name in Exclude<WritableNames<M['fields']>, RequiredNames<M['fields']>>]?: InputCell<M['fields'][Name]>;
  }
>;

/** The input that changes a record: any of the fields that callers write. */
export type UpdateInputOf<M extends Model> = Flat<{
  readonly [Name in WritableNames<M['fields']>]?: InputCell<M['fields'][Name]>;
}>;

/** The input by which the app itself creates a record: also the fields that callers do not write, and the id. */
export type SystemCreateInputOf<M extends Model> = Flat<
  CreateInputOf<M> & {
    readonly [Name in Exclude<keyof M['fields'], WritableNames<M['fields']>>]?: InputCell<M['fields'][Name]>;
  } & { readonly id?: string }
>;

/** The input by which the app itself changes a record: any of its declared fields. */
export type SystemUpdateInputOf<M extends Model> = Flat<{
  readonly [Name in keyof M['fields']]?: InputCell<M['fields'][Name]>;
}>;

/** The type of a field in a record. */
type Cell<F extends Field> = ValueIn<F> | (F['options'] extends { readonly nullable: true } ? null : never);

/** The type of a field in an input: timestamps may also be ISO 8601 text. */
type InputCell<F extends Field> = Cell<F> | (ValueIn<F> extends Date ? string : never);

type VisibleNames<F extends Fields> = {
  [Name in keyof F]: F[Name]['options'] extends { readonly hidden: true } ? never : Name;
}[keyof F];

/** Without this information the type is unknown, which names no field. */
type GuardedNames<M extends Model> = M extends { readonly '~guarded'?: infer Names } ? Extract<Names, string> : never;

/** The options that take a field out of the caller's hands. */
type Closed =
  | { readonly hidden: true }
  | { readonly readOnly: true }
  | { readonly generated: true | 'database' }
  | { readonly serverValue: unknown };

type WritableNames<F extends Fields> = {
  [Name in keyof F]: F[Name]['options'] extends Closed ? never : Name;
}[keyof F];

/** The options that let a new record leave a field out. */
type Filled = { readonly nullable: true } | { readonly default: unknown };

type RequiredNames<F extends Fields> = {
  [Name in WritableNames<F>]: F[Name]['options'] extends Filled ? never : Name;
}[WritableNames<F>];

type Flat<T> = { [Name in keyof T]: T[Name] };

/** How records of one entity lead to records of another; created by {@link hasMany} and {@link belongsTo}. */
export type Relation =
  | { readonly type: 'many'; readonly entity: string; readonly field: string }
  | JoinedRelation
  | { readonly type: 'one'; readonly field: string };

/** A relation to the records that those of a third entity join with this one. */
export interface JoinedRelation<Entity extends string = string> {
  readonly type: 'many';
  readonly entity: Entity;
  /** The entity whose records refer to one of this and one of the other. */
  readonly through: string;
}

/**
 * Declares a relation to the records of another entity that refer to this one.
 *
 * @param reference - the field that refers to it; or, for many on both sides, the entity whose records refer to one of
 * each, by one field each: `hasMany('tags', { through: 'item-tags' })`
 */
export function hasMany<const Entity extends string>(
  entity: Entity,
  reference: string,
): { readonly type: 'many'; readonly entity: Entity; readonly field: string };
export function hasMany<const Entity extends string>(
  entity: Entity,
  joined: { readonly through: string },
): JoinedRelation<Entity>;
export function hasMany(entity: string, by: string | { readonly through: string }): Relation {
  if (typeof by === 'string') return { type: 'many', entity, field: by };
  refuseUnknownOptions<typeof by>(by, { through: true }, 'hasMany');
  return { type: 'many', entity, through: by.through };
}

/** Declares a relation to the record that a reference field of this one names. */
export function belongsTo<const Reference extends string>(
  reference: Reference,
): { readonly type: 'one'; readonly field: Reference } {
  return { type: 'one', field: reference };
}

/** Lists the fields of a model that refer to an entity. */
export function referencesTo(entity: string, { fields }: Pick<Model, 'fields'>): readonly string[] {
  return Object.keys(fields).filter((name) => fields[name]?.options.references === entity);
}

/** Returns the fields that any change of a record changes: when it was made, where records say so. */
export function toTouched({ allFields }: Model, now: Date): { readonly updatedAt?: Date } {
  return allFields.has('updatedAt') ? { updatedAt: now } : {};
}

/** Lists the unique keys of a model, each by its fields: every record has one of each, unless some of it is null. */
export function uniqueKeysOf({ fields, unique }: Pick<Model, 'fields' | 'unique'>): readonly (readonly string[])[] {
  const single = Object.keys(fields).filter((name) => fields[name]?.options.unique);
  return [...single.map((name) => [name]), ...unique];
}

/** The record that another one belongs to: the field that refers to it, and its id. */
export interface ParentReference {
  readonly field: string;
  readonly id: string;
}

/** Returns the parent of a record; null if it has none. */
export function parentOf(
  { parents }: Pick<Model, 'parents'>,
  row: Readonly<Record<string, unknown>>,
): ParentReference | null {
  for (const field of parents) {
    const id = row[field];
    if (typeof id === 'string') return { field, id };
  }
  return null;
}
