import type { JsonValue } from '@x/store';
import type { z } from 'zod';

/** What a field of a model holds. */
export type FieldType = 'uuid' | 'text' | 'integer' | 'number' | 'boolean' | 'timestamp' | 'json' | 'enum';

/** On whose behalf a record is written. */
export interface Caller {
  readonly userId: string | null;
  readonly tenantId: string | null;
}

/** What every field may declare. */
export interface FieldOptions<Value = unknown> {
  /** The field may be null, and is where a new record leaves it out. */
  readonly nullable?: boolean;
  /** What a new record holds that leaves the field out. */
  readonly default?: Value;
  /** No two records hold one value; any number may hold null. */
  readonly unique?: boolean;
  /** Callers can't write it: what they send is ignored. */
  readonly readOnly?: boolean;
  /** Callers can neither read nor write it, nor filter or sort by it; to them it does not exist. */
  readonly hidden?: boolean;
  /** Makes the value of a new record; callers can't choose another, and nobody changes it. */
  readonly serverValue?: (caller: Caller) => Value | null;
  /** What a value has to satisfy beyond its type; it says yes or no and transforms nothing. */
  readonly schema?: z.ZodType<Value, Value>;
  /** The name that the field had before: its values are kept under the new one. */
  readonly renamedFrom?: string;
}

/** What a uuid may declare. */
export interface UuidOptions extends FieldOptions<string> {
  /** Made at random for a new record; callers can't write it. */
  readonly generated?: boolean;
  /** The entity whose record the field names. */
  readonly references?: string;
  /** What becomes of the record when the one it names is deleted: it goes too, or (the default) stands in the way. */
  readonly onDelete?: 'restrict' | 'cascade';
}

/** What a timestamp may declare; `'now'` is the moment of creation. */
export interface TimestampOptions extends Omit<FieldOptions<Date>, 'default'> {
  readonly default?: Date | 'now';
}

/** What JSON may declare: nothing can be asked of what is in it, so it can't be unique either. */
export type JsonOptions = Omit<FieldOptions<JsonValue>, 'unique'>;

/** Everything that some field may declare. */
export interface AnyOptions extends Omit<FieldOptions, 'schema'>, Omit<UuidOptions, keyof FieldOptions> {
  readonly schema?: z.ZodType;
}

declare const value: unique symbol;

/** One field of a model, as plain data; {@link field} makes them. */
export interface Field<Value = unknown, Options = AnyOptions> {
  readonly type: FieldType;
  readonly options: Options;
  /** The values of an enum, in their declared order. */
  readonly values?: readonly string[];
  /** What a record holds in it, for the type system alone. */
  readonly [value]?: Value;
}

/** What a record holds in a field, null apart. */
export type ValueIn<F extends Field> = F extends Field<infer Value> ? Value : never;

/** Makes the fields of a model. */
export const field: FieldMakers = {
  uuid: make('uuid'),
  text: make('text'),
  integer: make('integer'),
  number: make('number'),
  boolean: make('boolean'),
  timestamp: make('timestamp'),
  json: make('json'),
  enum: (values, options) => ({ ...make('enum')(options), values }),
} as FieldMakers;

interface FieldMakers {
  /** 36 characters; upper case is read as lower case. */
  uuid<const Options extends UuidOptions>(options?: Options): Field<string, Options>;
  /** Any Unicode text without U+0000. One in an index or that is unique holds a few hundred characters at most. */
  text<const Options extends FieldOptions<string>>(options?: Options): Field<string, Options>;
  /** A whole number that JavaScript holds exactly. */
  integer<const Options extends FieldOptions<number>>(options?: Options): Field<number, Options>;
  /** A finite double; -0 is read as 0. */
  number<const Options extends FieldOptions<number>>(options?: Options): Field<number, Options>;
  boolean<const Options extends FieldOptions<boolean>>(options?: Options): Field<boolean, Options>;
  /** A moment in whole milliseconds, from the years 1 to 9999. */
  timestamp<const Options extends TimestampOptions>(options?: Options): Field<Date, Options>;
  /** Any JSON value but null, which stands for no value. Nothing can be asked of what is in it. */
  json<const Options extends JsonOptions>(options?: Options): Field<JsonValue, Options>;
  /** One of a few texts. They compare as texts do, not in their declared order. */
  enum<const Value extends string, const Options extends FieldOptions<Value>>(
    values: readonly Value[],
    options?: Options,
  ): Field<Value, Options>;
}

function make(type: FieldType): (options?: AnyOptions) => Field {
  return (options = {}) => ({ type, options });
}
