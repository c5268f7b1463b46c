import { toExactNumber } from '@x/errors';
import { toDecimal } from '@x/store';
import type { WhereValue } from '@x/store/where';
import type { Field, FieldType } from './field.ts';
import { date, storableText, timestamp, toIdSchema } from './value-schema.ts';

/**
 * Coerces a value, or its text form, to the one that a condition on the field compares with; undefined if it does not
 * fit.
 */
export function coerceValue(field: Field, value: unknown): WhereValue | undefined {
  return coercions[field.type](value, field);
}

type Coerce = (value: unknown, field: Field) => WhereValue | undefined;

const toText: Coerce = (value) => storableText.safeParse(value).data;

const coercions: Readonly<Record<FieldType, Coerce>> = {
  text: toText,
  uuid: (value, field) => toIdSchema(field).safeParse(value).data,
  enum: (value, { values = [] }) => values.find((each) => each === value),
  integer: (value) => toNumber(value, /^-?\d{1,16}$/, Number.isSafeInteger),
  number: (value) => toNumber(value, /^-?\d{1,400}(\.\d{1,400})?(e[+-]?\d{1,4})?$/i, Number.isFinite),
  decimal: (value, { decimal }) => (typeof value === 'string' && decimal ? toDecimal(value, decimal) : undefined),
  boolean: (value) =>
    value === true || value === 'true' ? true : value === false || value === 'false' ? false : undefined,
  timestamp: (value) => timestamp.safeParse(value).data?.getTime(),
  date: (value) => date.safeParse(value).data,
  json: () => undefined,
};

/** Adding zero removes the sign of a negative zero, which not every engine preserves. */
function toNumber(value: unknown, pattern: RegExp, isFitting: (number: number) => boolean): number | undefined {
  const number = typeof value === 'string' && pattern.test(value) ? toExactNumber(value) : value;
  return typeof number === 'number' && isFitting(number) ? number + 0 : undefined;
}
