import { isPrototypeKey, pathOfIssue, type StandardSchema, validateBySchema } from '@x/errors';
import {
  type DecimalSize,
  isDate,
  isEntityId,
  isStorableText,
  type JsonValue,
  parseIndexPart,
  toDecimal,
} from '@x/store';
import { z } from 'zod';
import type { Field, FieldType } from './field.ts';
import type { Model } from './model.ts';

/** The range of ISO 8601 text with a four-digit year. */
const [earliest, latest] = [Date.parse('0001-01-01T00:00:00.000Z'), Date.parse('9999-12-31T23:59:59.999Z')];

const uuidPattern = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

/** A text that every engine can store. */
export const storableText: z.ZodType<string> = z.string().refine(isStorableText, 'Invalid text');

/** A uuid, converted to lower case. */
const uuid: z.ZodType<string> = z
  .string()
  .regex(uuidPattern, 'Invalid UUID')
  .transform((text) => text.toLowerCase());

/** Returns the schema of the ids that a field holds, in their one spelling. */
export function toIdSchema({ key }: Pick<Field, 'key'>): z.ZodType<string> {
  return key === undefined ? uuid : idSchemas[key];
}

const idSchemas: Readonly<Record<'integer' | 'text', z.ZodType<string>>> = {
  integer: z.string().refine((text) => isEntityId({ type: 'integer' }, text), 'Invalid id'),
  text: z.string().min(1).max(600).refine(isStorableText, 'Invalid id'),
};

/** More than a `Date` has; zeros are no more. */
const partsOfMilliseconds = /\.\d{3}\d*[1-9]/;

const moment = z.iso
  .datetime({ offset: true })
  .refine((text) => !partsOfMilliseconds.test(text), 'A moment is in whole milliseconds.');

/** A `Date`, or ISO 8601 text with an offset. */
export const timestamp: z.ZodType<Date> = z
  .union([z.date(), moment], 'Invalid ISO 8601 moment')
  .transform((moment) => new Date(moment))
  .refine((moment) => moment.getTime() >= earliest && moment.getTime() <= latest, 'Out of range');

/** A day without a time. */
export const date: z.ZodType<string> = z.string().refine(isDate, 'Invalid ISO 8601 date');

/** The schemas of the values of each field type, except null. */
const schemas: Readonly<Record<Exclude<FieldType, 'enum' | 'decimal' | 'uuid'>, z.ZodType>> = {
  text: storableText,
  integer: z.int().transform(withoutNegativeZero),
  number: z.number().transform(withoutNegativeZero),
  boolean: z.boolean(),
  timestamp,
  date,
  json: z.unknown().refine((value) => value !== null && isStorableJson(value), 'Invalid JSON'),
};

/**
 * Builds the schema of a field's values, except null.
 *
 * @param maxLength - the most code points of a text
 */
export function toValueSchema(field: Field, maxLength: number | undefined = ownMaxLength(field)): z.ZodType {
  const { schema, trim } = field.options;
  const plain = toPlainSchema(field);
  const base = trim ? z.preprocess((text) => (typeof text === 'string' ? text.trim() : text), plain) : plain;
  const bounded = maxLength === undefined ? base : withMaxLength(base, maxLength);
  return schema ? withSchema(bounded, schema) : bounded;
}

function toPlainSchema({ type, values = [], decimal, ...field }: Field): z.ZodType {
  if (type === 'enum') return z.enum([...values]);
  if (type === 'uuid') return toIdSchema(field);
  return type === 'decimal' ? toDecimalSchema(decimal) : schemas[type];
}

/** Builds the schema of decimals, which are written with all of their digits. */
function toDecimalSchema(size: DecimalSize = { precision: 0, scale: 0 }): z.ZodType {
  const { precision, scale } = size;
  const message = `Expected a decimal as text, with at most ${precision - scale} digits before and ${scale} after the point`;
  return z
    .string(message)
    .refine((text) => toDecimal(text, size) !== undefined, message)
    .transform((text) => toDecimal(text, size) ?? text);
}

/** Adds what the schema of an app finds wrong, in its words. */
function withSchema(base: z.ZodType, schema: StandardSchema): z.ZodType {
  return base.superRefine((candidate, context) => {
    for (const issue of validateBySchema(schema, candidate).issues ?? []) {
      context.addIssue({ code: 'custom', message: issue.message, path: pathOfIssue(issue) });
    }
  });
}

function withMaxLength(schema: z.ZodType, maximum: number): z.ZodType {
  return schema.superRefine((text, context) => {
    if (isWithin(text, maximum)) return;
    const message = `At most ${maximum} characters are allowed.`;
    context.addIssue({ code: 'too_big', origin: 'string', maximum, inclusive: true, message });
  });
}

/** Says whether a text has at most so many code points, which is what the engines count. */
export function isWithin(text: unknown, maxLength: number): boolean {
  if (typeof text !== 'string' || text.length > 2 * maxLength) return false;
  return text.length <= maxLength || Array.from(text).length <= maxLength;
}

/** Not every engine preserves the sign of zero. */
function withoutNegativeZero(value: number): number {
  return value === 0 ? 0 : value;
}

const maxDepth = 32;

/** Says whether a value is JSON that every engine can store, at most 32 levels deep. */
function isStorableJson(value: unknown, depth = 0): value is JsonValue {
  if (typeof value === 'string') return isStorableText(value);
  if (typeof value === 'number') return Number.isFinite(value);
  if (value === null || typeof value === 'boolean') return true;
  if (typeof value !== 'object' || depth >= maxDepth) return false;
  if (Array.isArray(value)) return value.every((item) => isStorableJson(item, depth + 1));
  return isPlain(value) && Object.entries(value).every(([key, item]) => isKey(key) && isStorableJson(item, depth + 1));
}

function isPlain(value: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}

function isKey(key: string): boolean {
  return isStorableText(key) && !isPrototypeKey(key);
}

/** How many bytes Postgres can store in one index entry, less some room for what is not text. */
const maxEntryBytes = 2400;

/** The most bytes that a character takes in UTF-8. */
const bytesPerCharacter = 4;

/** The default of the most code points of a text. */
const defaultMaxLength = 10_000;

function ownMaxLength({ type, options }: Field): number | undefined {
  return type === 'text' ? (options.maxLength ?? defaultMaxLength) : undefined;
}

/**
 * Returns the most code points that a field may have: its declared number, or less if it has to fit into an index.
 * Without that, only Postgres would refuse a long text, and as an internal error. Undefined for other fields than
 * texts.
 */
export function toMaxTextLength(
  { indexes, unique, partialIndexes, allFields }: Model,
  name: string,
): number | undefined {
  const field = allFields.get(name);
  const maxLength = field && ownMaxLength(field);
  if (maxLength === undefined) return undefined;
  const columnsOf = (index: readonly string[]): readonly string[] => index.map((part) => parseIndexPart(part).column);
  const partial = partialIndexes.map(({ fields }) => fields);
  const groups = [...[...indexes, ...partial].map(columnsOf), ...unique].filter((group) => group.includes(name));
  const containing = [...groups, ...(field?.options.unique ? [[name]] : [])];
  return Math.min(maxLength, ...containing.map((index) => toShare(index, allFields)));
}

function toShare(index: readonly string[], allFields: ReadonlyMap<string, Field>): number {
  const texts = index.filter((name) => allFields.get(name)?.type === 'text');
  return Math.floor(maxEntryBytes / texts.length / bytesPerCharacter);
}
