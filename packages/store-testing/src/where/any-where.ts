import type { ColumnType, DecimalSize, JsonValue } from '@x/store';
import { fromUnits } from '@x/store/engine';
import {
  atPath,
  type CaselessOperator,
  type ComparisonOperator,
  type ConditionRow,
  type JsonType,
  type OperandKind,
  type TextOperator,
  type Where,
  valueAtPath,
  type WhereOperator,
  whereOperators,
  type WhereValue,
} from '@x/store/where';
import fc from 'fast-check';
import { awkwardTexts } from '../awkward-values.ts';

/** A column of a table that conditions are evaluated on. */
export interface SampleColumn {
  readonly name: string;
  readonly type: ColumnType;
  readonly decimal?: DecimalSize;
}

/** A row of a table that conditions are evaluated on. */
export type SampleRow = ConditionRow & { readonly id: string };

/** Two columns of each type, to be compared with each other. */
const comparableColumns: readonly SampleColumn[] = [
  { name: 'title', type: 'text' },
  { name: 'otherTitle', type: 'text' },
  { name: 'count', type: 'integer' },
  { name: 'otherCount', type: 'integer' },
  { name: 'ratio', type: 'number' },
  { name: 'otherRatio', type: 'number' },
  { name: 'isDone', type: 'boolean' },
  { name: 'isShared', type: 'boolean' },
  { name: 'madeAt', type: 'timestamp' },
  { name: 'changedAt', type: 'timestamp' },
  { name: 'price', type: 'decimal', decimal: { precision: 15, scale: 2 } },
  { name: 'otherPrice', type: 'decimal', decimal: { precision: 15, scale: 2 } },
  { name: 'dueOn', type: 'date' },
  { name: 'doneOn', type: 'date' },
];

/** Columns of JSON, with names that functions of SQLite give to theirs, and one that of a value at a path. */
const jsonColumns: readonly SampleColumn[] = [
  { name: 'value', type: 'json' },
  { name: 'json', type: 'json' },
];

/** The columns that {@link anyRow} fills beside the id. */
export const sampleColumns: readonly SampleColumn[] = [...comparableColumns, ...jsonColumns];

/** Says whether a column of {@link sampleColumns} holds decimals. */
export function isDecimalSample(column: string): boolean {
  return sampleColumns.some(({ name, decimal }) => name === column && decimal);
}

/** Short texts of few characters, so that some have others in them, and texts that quoting gets wrong. */
const text = fc.oneof(
  {
    weight: 3,
    arbitrary: fc.string({
      unit: fc.constantFrom('a', 'A', '%', '_', '\\', "'", 'é', 'É', 'ſ', 'S', '😀', '\u{10400}', '\u{10428}'),
      maxLength: 4,
    }),
  },
  { weight: 1, arbitrary: fc.constantFrom(...awkwardTexts, '{', '}', ',', '"', '[]', '$1', '\uE000', '*', '?', '#') },
);

const integer = fc.oneof(
  fc.integer({ min: -3, max: 3 }),
  fc.constantFrom(Number.MAX_SAFE_INTEGER, Number.MIN_SAFE_INTEGER, 2 ** 31, 2 ** 32 + 1),
);

const number = fc.oneof(
  fc.integer({ min: -3, max: 3 }),
  fc.constantFrom(-0, 0.1, 0.1 + 0.2, 1e21, -1e300, 5e-324, 2 ** 53 + 2, Number.MAX_VALUE, Number.MIN_VALUE),
  fc.double({ noNaN: true, noDefaultInfinity: true }),
);

const moment = fc.constantFrom(-62_135_596_800_000, -1, 0, 1, 1_767_225_600_000, 253_402_300_799_999);

const decimal = fc
  .oneof(fc.integer({ min: -1200, max: 1200 }), fc.constantFrom(10 ** 15 - 1, 1 - 10 ** 15, 99_999, 100_000))
  .map((units) => fromUnits(units, 2));

const date = fc.constantFrom('0001-01-01', '1969-12-31', '2024-02-29', '2026-01-01', '2026-10-01', '9999-12-31');

/** Names of members, some of which an engine may take for positions in a list, or for its own syntax. */
const step = fc.oneof(
  { weight: 4, arbitrary: fc.constantFrom('a', 'b', '0', '1') },
  {
    weight: 1,
    arbitrary: fc.constantFrom(
      ...['', ' ', '-1', '01', '+1', ' 1', '1.0', '99999999999', '#-1', '*', '$', '$.a', '[0]', 'null', 'NULL'],
      ...['"', '\\', '"a"', "'", '{a}', 'a.b', 'ä', 'a\u0308', '😀', '\n', 'length', 'constructor', 'value'],
    ),
  },
);

/** Any JSON but null, of few names, so that paths often lead somewhere. */
const anyJson: fc.Arbitrary<JsonValue> = fc
  .letrec<{ json: JsonValue }>((tie) => ({
    json: fc.oneof(
      { maxDepth: 3 },
      fc.oneof(text, number, fc.boolean(), fc.constant(null)),
      fc.array(tie('json'), { maxLength: 3 }),
      fc.dictionary(step, tie('json'), { maxKeys: 4, noNullPrototype: true }),
      fc.dictionary(step, tie('json'), { maxKeys: 4, noNullPrototype: true }),
    ),
  }))
  .json.filter((json) => json !== null);

const values: Readonly<Record<Exclude<ColumnType, 'json'>, fc.Arbitrary<WhereValue>>> = {
  text,
  integer,
  number,
  decimal,
  boolean: fc.boolean(),
  timestamp: moment,
  date,
};

/** Any row of {@link sampleColumns}; every column but the id may be null. */
export const anyRow: fc.Arbitrary<SampleRow> = fc
  .record({ id: fc.uuid(), ...Object.fromEntries(sampleColumns.map(({ name, type }) => [name, cell(type)])) })
  .map((row): SampleRow => row);

function cell(type: ColumnType): fc.Arbitrary<JsonValue | Date> {
  if (type === 'json') return fc.option(anyJson, { freq: 5 });
  if (type === 'timestamp')
    return fc.option(
      moment.map((milliseconds) => new Date(milliseconds)),
      { freq: 3 },
    );
  return fc.option(valueOf(type), { freq: 3 });
}

function valueOf(type: ColumnType): fc.Arbitrary<WhereValue> {
  if (type === 'json') throw new TypeError('JSON compares with nothing.');
  return values[type];
}

const comparisons = operatorsOn('value') as readonly ComparisonOperator[];
const textOperators = operatorsOn('text') as readonly TextOperator[];
const caselessOperators = operatorsOn('caseless') as readonly CaselessOperator[];

const column = fc.constantFrom(...comparableColumns);

const titles = fc.constantFrom('title', 'otherTitle');

const leaf: fc.Arbitrary<Where> = fc.oneof(
  { weight: 6, arbitrary: column.chain(compareWithValue) },
  { weight: 1, arbitrary: column.chain(compareWithColumn) },
  { weight: 3, arbitrary: column.chain(isIn) },
  {
    weight: 4,
    arbitrary: searchIn(
      titles,
      fc.oneof({ weight: 4, arbitrary: text }, { weight: 1, arbitrary: fc.record({ column: titles }) }),
    ),
  },
  { weight: 3, arbitrary: searchAnyCase(titles) },
  { weight: 6, arbitrary: fc.constantFrom(...jsonColumns).chain(compareAtPath) },
  {
    weight: 2,
    arbitrary: column.map(({ name }): Where => ({ type: 'isNull', column: name })),
  },
  { weight: 1, arbitrary: fc.record({ type: fc.constant('constant' as const), value: fc.boolean() }) },
);

function operatorsOn(kind: OperandKind): readonly WhereOperator[] {
  const names = Object.keys(whereOperators) as WhereOperator[];
  return names.filter((name) => whereOperators[name].operand === kind);
}

function compareWithValue({ name, type }: SampleColumn): fc.Arbitrary<Where> {
  return fc.record({
    type: fc.constant('compare' as const),
    column: fc.constant(name),
    operator: fc.constantFrom(...comparisons),
    value: valueOf(type),
  });
}

function searchIn(
  columns: fc.Arbitrary<string>,
  value: fc.Arbitrary<string | { readonly column: string }>,
): fc.Arbitrary<Where> {
  return fc.record({
    type: fc.constant('text' as const),
    column: columns,
    operator: fc.constantFrom(...textOperators),
    value,
  });
}

function searchAnyCase(columns: fc.Arbitrary<string>): fc.Arbitrary<Where> {
  return fc.record({
    type: fc.constant('caseless' as const),
    column: columns,
    operator: fc.constantFrom(...caselessOperators),
    value: text,
  });
}

function compareAtPath({ name }: SampleColumn): fc.Arbitrary<Where> {
  const path = fc.array(step, { minLength: 1, maxLength: 3 });
  const value = fc.constant(valueAtPath);
  const ofText = fc.oneof(isIn({ name: valueAtPath, type: 'text' }), searchIn(value, text), searchAnyCase(value));
  return fc.tuple(path, fc.constantFrom<JsonType>('text', 'number', 'boolean', 'json')).chain(([steps, as]) => {
    const condition =
      as === 'json'
        ? fc.constant<Where>({ type: 'isNull', column: valueAtPath })
        : fc.oneof(
            { weight: 2, arbitrary: compareWithValue({ name: valueAtPath, type: as }) },
            { weight: 1, arbitrary: as === 'text' ? ofText : isIn({ name: valueAtPath, type: as }) },
          );
    return condition.map((where) => atPath(name, { path: steps, as }, () => where));
  });
}

function compareWithColumn({ name, type }: SampleColumn): fc.Arbitrary<Where> {
  const others = comparableColumns.filter((other) => other.type === type).map((other) => ({ column: other.name }));
  return fc.record({
    type: fc.constant('compare' as const),
    column: fc.constant(name),
    operator: fc.constantFrom(...comparisons),
    value: fc.constantFrom(...others),
  });
}

function isIn({ name, type }: SampleColumn): fc.Arbitrary<Where> {
  return fc.array(valueOf(type), { maxLength: 5 }).map((list): Where => ({ type: 'in', column: name, values: list }));
}

/** Any condition on {@link sampleColumns}. */
export const anyWhere: fc.Arbitrary<Where> = fc.letrec<{ where: Where }>((tie) => ({
  where: fc.oneof(
    { maxDepth: 3, withCrossShrink: true },
    { weight: 3, arbitrary: leaf },
    {
      weight: 2,
      arbitrary: fc.record({
        type: fc.constantFrom('and' as const, 'or' as const),
        operands: fc.array(tie('where'), { maxLength: 3 }),
      }),
    },
    { weight: 1, arbitrary: tie('where').map((operand): Where => ({ type: 'not', operand })) },
  ),
})).where;
