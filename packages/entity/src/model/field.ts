import { refuseUnknownOptions, type StandardSchema } from '@x/errors';
import { type DecimalSize, type JsonValue, toDecimal } from '@x/store';

/** The kinds of fields. */
export type FieldType =
  'uuid' | 'text' | 'integer' | 'number' | 'decimal' | 'boolean' | 'timestamp' | 'date' | 'json' | 'enum';

/** The user on whose behalf a record is written. */
export interface Caller {
  readonly userId: string | null;
  readonly tenantId: string | null;
}

const source: unique symbol = Symbol.for('@x/entity source of values');

/** Another field, whose values a field takes in records from before it. */
export interface FieldSource {
  readonly [source]: string;
}

/**
 * Names another field of the same records, for `backfill`. It may be one that this version no longer declares. It has to
 * be of the same type, or an integer where this one is a number.
 *
 * @example
 * ```ts
 * const orders = defineModel('orders', { fields: { amount: field.number({ backfill: from('quantity') }) } });
 * ```
 */
export function from(name: string): FieldSource {
  return Object.freeze({ [source]: name });
}

/** Returns the name of the field that values are taken from; null for a value. */
export function toSourceName(backfill: unknown): string | null {
  if (typeof backfill !== 'object' || backfill === null || !(source in backfill)) return null;
  return String(backfill[source]);
}

/** Options of every field. */
export interface FieldOptions<Value = unknown> {
  /** The field may be null, which is its value in a new record that leaves it out. */
  readonly nullable?: boolean;
  /** The value in a new record that leaves the field out. */
  readonly default?: Value;
  /** No two records may have the same value; any number may have null. */
  readonly unique?: boolean;
  /** Callers can't write it: a value that they send is ignored. */
  readonly readOnly?: boolean;
  /** Callers can neither read nor write it, nor filter or sort by it; to them it does not exist. */
  readonly hidden?: boolean;
  /** Computes the value in a new record. Callers can't choose another value, and can't change it later. */
  readonly serverValue?: (caller: Caller) => Value | null;
  /**
   * Validates a value beyond its type, at once; it must not transform it. Its messages are sent to callers. A schema of
   * zod, or of any other library that implements Standard Schema.
   */
  readonly schema?: StandardSchema<Value>;
  /** The previous name of the field: its values are kept under the new one. */
  readonly renamedFrom?: string;
  /**
   * The value in records from before the field existed, or from while it could be null; `from('quantity')` takes that of
   * another field. Default: that of `default`.
   */
  readonly backfill?: Value | FieldSource;
  /**
   * Converts the value of a record from before the field had its type, reference or values, such as `(old: number) =>
   * String(old)`. It must have the same result whenever it is called. Default: only an integer can become a number, and
   * a decimal a longer one.
   */
  convert?(old: unknown): Value | null;
}

/** Options of a text field. */
export interface TextOptions extends FieldOptions<string>, ReferenceOptions {
  /**
   * The most code points that a value may have, at least 1; a body of a request may limit it further. Default 10,000,
   * or less if the field is unique or in an index.
   */
  readonly maxLength?: number;
  /** Removes white space from both ends of what callers send, before anything is checked. Default: false. */
  readonly trim?: boolean;
}

/** Options of a field that may refer to another entity, or be the id of an existing table. */
export interface ReferenceOptions {
  /** Of an id: the database makes it. */
  readonly generated?: 'database';
  /** The name of the entity that the field refers to, whose ids are of this type. */
  readonly references?: string;
  /**
   * When the record it refers to is deleted: `cascade` deletes this one too, `restrict` (the default) prevents it, and
   * `setNull` leaves null in the field, which has to be nullable then.
   */
  readonly onDelete?: 'restrict' | 'cascade' | 'setNull';
}

/** Options of a uuid field. */
export interface UuidOptions extends FieldOptions<string>, Omit<ReferenceOptions, 'generated'> {
  /** Generates a random value for a new record, or lets the database do so; callers can't write it. */
  readonly generated?: boolean | 'database';
}

/** Options of an integer field. */
export interface IntegerOptions extends FieldOptions<number>, ReferenceOptions {}

/** Options of an enum field. */
export interface EnumOptions<Value extends string = string> extends FieldOptions<Value> {
  /** Replaces values that the field no longer has, in records that have them: `{ urgent: 'high' }`. */
  readonly replacedValues?: Readonly<Record<string, Value>>;
}

/** Options of a timestamp field; the default `'now'` is the moment of creation. */
export interface TimestampOptions extends Omit<FieldOptions<Date>, 'default'> {
  readonly default?: Date | 'now';
}

/** Options of a JSON field. It is compared with nothing as a whole, so it can't be unique either. */
export type JsonOptions = Omit<FieldOptions<JsonValue>, 'unique'>;

/** The options of all kinds of fields. */
export interface AnyOptions
  extends
    Omit<FieldOptions, 'schema'>,
    Omit<UuidOptions, keyof FieldOptions>,
    Omit<TextOptions, keyof FieldOptions | keyof ReferenceOptions>,
    Omit<EnumOptions, keyof FieldOptions> {
  readonly schema?: StandardSchema;
}

/** One field of a model, as plain data; {@link field} creates them. */
export interface Field<Value = unknown, Options = AnyOptions> {
  readonly type: FieldType;
  readonly options: Options;
  /** The values of an enum, in their declared order. */
  readonly values?: readonly string[];
  /** The digits of a decimal. */
  readonly decimal?: DecimalSize;
  /** Of an id, or a reference to one, that is no uuid: how it is stored. Its type is `uuid` nevertheless. */
  readonly key?: 'integer' | 'text';
  /** The type of its value, for the type system only. */
  readonly '~value'?: Value;
}

/** The type of a field's value, without null. */
export type ValueIn<F extends Field> = F extends Field<infer Value> ? Value : never;

const ofReferences: Readonly<Record<keyof ReferenceOptions, true>> = {
  generated: true,
  references: true,
  onDelete: true,
};

/** Creates the fields of a model. Each throws a `ConfigurationError` that names every unknown option. */
export const field: FieldMakers = {
  uuid: make<UuidOptions>('uuid', { ...ofReferences, unique: true }),
  text: makeKey('text', make<TextOptions>('text', { ...ofReferences, unique: true, maxLength: true, trim: true })),
  integer: makeKey('integer', make<IntegerOptions>('integer', { ...ofReferences, unique: true })),
  number: make<FieldOptions>('number', { unique: true }),
  decimal: (precision, scale, options) => {
    const field = { ...make<FieldOptions>('decimal', { unique: true })(options), decimal: { precision, scale } };
    const value = field.options.default;
    const written = typeof value === 'string' ? toDecimal(value, field.decimal) : undefined;
    return written === undefined ? field : { ...field, options: { ...field.options, default: written } };
  },
  boolean: make<FieldOptions>('boolean', { unique: true }),
  timestamp: make<TimestampOptions>('timestamp', { unique: true }),
  date: make<FieldOptions>('date', { unique: true }),
  json: make<JsonOptions>('json', {}),
  enum: (values, options) => ({
    ...make<EnumOptions>('enum', { unique: true, replacedValues: true })(options),
    values,
  }),
} as FieldMakers;

interface FieldMakers {
  /** 36 characters; upper case is converted to lower case. */
  uuid<const Options extends UuidOptions>(options?: Options): Field<string, Options>;
  /**
   * Any Unicode text without U+0000, of at most `maxLength`; if it is unique or in an index, a few hundred characters.
   */
  text<const Options extends TextOptions>(options?: Options): Field<string, Options>;
  /** A safe integer. A reference, as every id, is a text with its digits. */
  integer<const Options extends IntegerOptions>(
    options?: Options,
  ): Field<Options extends { readonly references: string } ? string : number, Options>;
  /** A finite double; -0 is converted to 0. */
  number<const Options extends FieldOptions<number>>(options?: Options): Field<number, Options>;
  /**
   * A number that is never rounded, such as an amount of money, as text: `"12.50"`. It is written with exactly `scale`
   * digits after the point; fewer may be sent.
   *
   * @param precision - how many digits it has at most, 1 to 15
   * @param scale - how many of them follow the point
   */
  decimal<const Options extends FieldOptions<string>>(
    precision: number,
    scale: number,
    options?: Options,
  ): Field<string, Options>;
  boolean<const Options extends FieldOptions<boolean>>(options?: Options): Field<boolean, Options>;
  /** A moment in whole milliseconds, from the years 1 to 9999. */
  timestamp<const Options extends TimestampOptions>(options?: Options): Field<Date, Options>;
  /** A day of the years 1 to 9999 without a time, as text: `"2026-01-31"`. */
  date<const Options extends FieldOptions<string>>(options?: Options): Field<string, Options>;
  /** Any JSON value; null means that there is no value. Filters compare single values in it: `labels.0`. */
  json<const Options extends JsonOptions>(options?: Options): Field<JsonValue, Options>;
  /** One of a few texts. They compare as texts, not in the order of their declaration. */
  enum<const Value extends string, const Options extends EnumOptions<Value>>(
    values: readonly Value[],
    options?: Options,
  ): Field<Value, Options>;
}

/** Makes the references to ids of a type. */
function makeKey(key: 'integer' | 'text', makeField: (options?: AnyOptions) => Field): (options?: AnyOptions) => Field {
  return (options) => {
    const made = makeField(options);
    return made.options.references === undefined ? made : { ...made, type: 'uuid', key };
  };
}

/** @typeParam Options - those of this type; `own` names the ones that not every type has */
function make<Options>(
  type: FieldType,
  own: { readonly [Name in Exclude<keyof Options, keyof JsonOptions>]-?: true },
): (options?: AnyOptions) => Field {
  return (options = {}) => {
    refuseUnknownOptions<JsonOptions>(options, { ...ofEveryType, ...own }, `field.${type}`);
    return { type, options };
  };
}

const ofEveryType: Readonly<Record<keyof JsonOptions, true>> = {
  nullable: true,
  default: true,
  readOnly: true,
  hidden: true,
  serverValue: true,
  schema: true,
  renamedFrom: true,
  backfill: true,
  convert: true,
};
