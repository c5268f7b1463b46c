import { ConfigurationError } from '@x/errors';
import type { ColumnType, EntityKey } from '@x/store';
import { toColumnName } from '../entity/names.ts';
import type { DescribedColumn, DescribedTable, WantedColumn } from '../sql-dialect.ts';
import { quoteIdentifier } from '../where/compile-where.ts';
import type { ColumnDetails, ForeignKey, InspectedTable, TableInspector } from './inspected-table.ts';
import { printDefault } from './print-default.ts';
import { printText } from './print-text.ts';

/**
 * Prints the models of existing tables as one module. They refer to each other alone, so that the module is complete.
 *
 * @throws ConfigurationError naming each table that can't have a model
 */
export function printModels(tables: readonly InspectedTable[], inspector: TableInspector): string {
  const models = nameModels(tables).map((each): Plan => ({ ...each, key: findKey(each.table, inspector) }));
  const problems = models.flatMap(({ table, key }) =>
    key
      ? []
      : [`${table.name} has no key of one column that is an integer, a text or a uuid, as the id of a record is.`],
  );
  if (problems.length > 0) throw new ConfigurationError(problems);
  const printed = models.map((each) => printModel(each, models, inspector));
  return ["import { defineModel, field } from '@x/entity';", ...printed].join('\n\n') + '\n';
}

/** A table, and what is decided for its model. */
interface Plan {
  readonly table: InspectedTable;
  readonly model: string;
  readonly key: Key | null;
}

/** The column of ids. */
interface Key {
  readonly column: string;
  readonly type: EntityKey['type'];
}

/** Names models as their tables; those of several schemas after these. */
function nameModels(tables: readonly InspectedTable[]): readonly Pick<Plan, 'table' | 'model'>[] {
  const isTaken = (model: string): boolean => tables.filter(({ name }) => toModelName(name, 1) === model).length > 1;
  return tables.map((table) => {
    const model = toModelName(table.name, 1);
    return { table, model: isTaken(model) ? toModelName(table.name, 2) : model };
  });
}

/** Names a model by the last parts of a table's name. */
function toModelName(table: string, parts: number): string {
  const words = table
    .split('.')
    .slice(-parts)
    .join('-')
    .toLowerCase()
    .split(/[^a-z0-9]+/);
  const name = words.filter((word) => word !== '').join('-');
  return (/^[a-z]/.test(name) ? name : `table-${name}`).slice(0, 40).replace(/-$/, '');
}

/** Finds the column of ids: the primary key, or another one that is unique; of a view, the first that can be one. */
function findKey({ described, columns }: InspectedTable, inspector: TableInspector): Key | null {
  const primaryFirst = described.keys.toSorted((a, b) => Number(b.isPrimary) - Number(a.isPrimary));
  const unique = primaryFirst.flatMap(({ columns: [name, ...others] }) =>
    name !== undefined && others.length === 0 && described.columns.get(name)?.isRequired ? [name] : [],
  );
  const candidates = described.isView
    ? [...columns.keys()].toSorted((a, b) => Number(b === 'id') - Number(a === 'id'))
    : unique;
  for (const column of candidates) {
    const found = described.columns.get(column);
    const type = found && inspector.toFieldType(found);
    if (type === 'integer' || type === 'text' || type === 'uuid') return { column, type };
  }
  return null;
}

function printModel(plan: Plan, models: readonly Plan[], inspector: TableInspector): string {
  const { table, model, key } = plan;
  const { described } = table;
  if (!key) throw new TypeError(`${table.name} has no key.`);
  const version = findVersion(plan);
  const moments = findMoments(plan, inspector);
  const own = new Set([key.column, version, ...moments.map(toColumnName)]);
  const columns = [...described.columns].filter(([name]) => !own.has(name));
  const names = nameFields(columns.map(([name]) => name));
  const fields = columns.map(([column, found]) =>
    toField({ ...plan, models, inspector, column, found, name: names.get(column) ?? column }),
  );
  const served = fields.filter(({ code }) => code !== null);
  const isWritable = !described.isView && fields.every(({ isNeeded, code }) => !isNeeded || code !== null);
  return [
    `export const ${toVariable(model)} = defineModel(${printText(model)}, {`,
    `  table: ${printText(table.name)},`,
    '  managed: false,',
    ...(described.isView ? ['  // An id has to be a column whose values no two rows have together.'] : []),
    `  id: ${printKey(key, described)},`,
    ...printColumns(key, served, moments),
    ...(version === null ? [] : [versionNote, `  version: ${printText(version)},`]),
    ...(isWritable || described.isView ? [] : ['  // New rows need a value in a column that no field holds.']),
    ...(isWritable ? [] : ['  readOnly: true,']),
    ...(fields.length === 0 ? ['  fields: {},'] : ['  fields: {', ...fields.flatMap(printField), '  },']),
    ...printUnique(described, served, moments),
    '});',
  ].join('\n');
}

const versionNote = '  // Each change raises it. If it means something else, declare it as a field.';

/** Names of columns that have the version of a row for other libraries, too. */
const versionNames: readonly string[] = ['version', 'lock_version', 'row_version', 'revision'];

function findVersion({ table: { described }, key }: Plan): string | null {
  const isVersion = (name: string): boolean => {
    const found = described.columns.get(name);
    return name !== key?.column && found !== undefined && found.isRequired && /int/.test(found.type);
  };
  return described.isView ? null : (versionNames.find(isVersion) ?? null);
}

function findMoments({ table: { described }, key }: Plan, inspector: TableInspector): readonly string[] {
  return moments.filter((name) => {
    const column = toColumnName(name);
    const found = described.columns.get(column);
    const isMoment = found !== undefined && inspector.toFieldType(found) === 'timestamp';
    return isMoment && found.isRequired && !found.isComputed && column !== key?.column;
  });
}

const moments = ['createdAt', 'updatedAt'];

function printColumns(key: Key, served: readonly PrintedField[], present: readonly string[]): readonly string[] {
  const renamed = [{ name: 'id', column: key.column }, ...served].filter(
    ({ name, column }) => toColumnName(name) !== column,
  );
  const members = [
    ...renamed.map(({ name, column }) => `${name}: ${printText(column)}`),
    ...moments.filter((name) => !present.includes(name)).map((name) => `${name}: null`),
  ];
  if (members.length === 0) return [];
  const line = `  columns: { ${members.join(', ')} },`;
  return line.length <= maxLine ? [line] : ['  columns: {', ...members.map((each) => `    ${each},`), '  },'];
}

const maxLine = 120;

function printUnique(
  { keys }: DescribedTable,
  served: readonly PrintedField[],
  present: readonly string[],
): readonly string[] {
  const names = new Map(served.map(({ column, name }) => [column, name]));
  for (const name of present) names.set(toColumnName(name), name);
  const groups = keys
    .filter(({ columns }) => columns.length > 1 && columns.every((column) => names.has(column)))
    .map(({ columns }) => `[${columns.map((column) => printText(names.get(column) ?? column)).join(', ')}]`);
  return groups.length === 0 ? [] : [`  unique: [${groups.join(', ')}],`];
}

function printKey({ column, type }: Key, { isView, columns }: DescribedTable): string {
  const found = columns.get(column);
  const isGenerated = !isView && (found?.hasDefault || found?.isComputed);
  return `field.${type}(${isGenerated ? "{ generated: 'database' }" : ''})`;
}

function toVariable(model: string): string {
  return `${model.replaceAll(/-(.)/g, (_, letter: string) => letter.toUpperCase())}Model`;
}

/** Names that fields can't have. */
const reserved: ReadonlySet<string> = new Set([
  ...['id', 'createdAt', 'updatedAt', 'then', 'prototype', 'ifMatch', 'includeMeta', 'rowid'],
  ...['tableoid', 'oid', 'ctid', 'xmin', 'xmax', 'cmin', 'cmax'],
  ...Object.getOwnPropertyNames(Object.prototype),
]);

/** Names fields as their columns, in camel case. */
function nameFields(columns: readonly string[]): ReadonlyMap<string, string> {
  const taken = new Set<string>();
  const free = (name: string): string => {
    for (let [each, number] = [name, 2]; ; number += 1) {
      if (!taken.has(each)) return each;
      each = `${name}${number}`;
    }
  };
  return new Map(
    columns.map((column) => {
      const words = column.split(/[^A-Za-z0-9]+/).filter((word) => word !== '');
      const joined = words
        .map((word) => (/[a-z]/.test(word) ? word : word.toLowerCase()))
        .map((word, at) => (at === 0 ? word.slice(0, 1).toLowerCase() : word.slice(0, 1).toUpperCase()) + word.slice(1))
        .join('');
      const valid = (/^[a-z]/.test(joined) ? joined : `column${joined}`).slice(0, 34);
      const name = free(reserved.has(valid) ? `${valid}Value` : valid);
      taken.add(name);
      return [column, name] as const;
    }),
  );
}

/** A column that is to become a field. */
interface FieldInput extends Plan {
  readonly models: readonly Plan[];
  readonly inspector: TableInspector;
  readonly column: string;
  readonly name: string;
  readonly found: DescribedColumn;
}

interface PrintedField {
  readonly column: string;
  readonly name: string;
  /** Null for a column that can't be served. */
  readonly code: string | null;
  /** What the reader has to know of it. */
  readonly notes: readonly string[];
  /** Whether every new row needs a value in it. */
  readonly isNeeded: boolean;
}

function printField({ name, code, notes }: PrintedField): readonly string[] {
  return [...notes.map((note) => `    // ${note}`), ...(code === null ? [] : [`    ${name}: ${code},`])];
}

function toField(input: FieldInput): PrintedField {
  const { table, inspector, column, name, found } = input;
  const { described } = table;
  const details = table.columns.get(column) ?? { type: found.type, default: null, values: null };
  const isNeeded = found.isRequired && !found.hasDefault && !found.isComputed;
  const without = (reason: string): PrintedField => ({
    column,
    name,
    code: null,
    notes: [`${column}: ${reason}`],
    isNeeded,
  });
  if (found.isComputed && !described.isView) return without('the database computes it.');
  const own = inspector.toFieldType(found);
  const written = details.type.replaceAll(/\s+/g, ' ');
  if (own === null) return without(written === '' ? 'it has no type.' : `${written} holds no value of a field.`);
  const reference = findReference(input);
  const size = own === 'decimal' ? toSize(details.type) : null;
  const type = own === 'decimal' && !size ? 'number' : own;
  const wanted: WantedColumn = {
    type: type === 'uuid' ? 'text' : type,
    ...(size && { decimal: { precision: size[0], scale: size[1] } }),
    ...(reference?.key && { key: reference.key.type }),
  };
  if (!inspector.dialect.existing.toForm(wanted, found, quoteIdentifier(column)))
    return without(`${written} holds no value of a field.`);
  const values = type === 'text' && !reference?.key ? toEnum(details.values) : null;
  const { options, notes } = toOptions(input, { type, size, values, details, reference });
  const first = values ? [`[${values.map(printText).join(', ')}]`] : (size ?? []).map(String);
  const last = options.length === 0 ? [] : [`{ ${options.join(', ')} }`];
  const maker = reference?.key?.type ?? (values ? 'enum' : type);
  const isRounded = own === 'decimal' && !size;
  return {
    column,
    name,
    code: `field.${maker}(${[...first, ...last].join(', ')})`,
    notes: [...notes, ...(isRounded ? [`${column}: ${written} is rounded to what a number holds.`] : [])],
    isNeeded,
  };
}

/** The texts of an enum have a length. */
function toEnum(values: ColumnDetails['values']): ColumnDetails['values'] {
  return values?.length && values.every((each) => each !== '' && each.length <= 100) ? values : null;
}

/** Returns the digits of a decimal; null if a field has fewer. */
function toSize(type: string): readonly [number, number] | null {
  const [, digits, after = '0'] = /\((\d+)(?:\s*,\s*(-?\d+))?\)/.exec(type) ?? [];
  const [precision, scale] = [Number(digits), Number(after)];
  return precision >= 1 && precision <= 15 && scale >= 0 && scale <= precision ? [precision, scale] : null;
}

interface Reference extends ForeignKey {
  readonly model: string;
  /** The key that it refers to; null if that is not among the printed ones. */
  readonly key: Key | null;
}

function findReference({ table, models, column }: FieldInput): Reference | null {
  const found = table.references.find((each) => each.column === column);
  if (!found) return null;
  const plan = models.find((each) => each.table.identity === found.identity);
  const isKey = plan?.key && (found.referred === null || found.referred === plan.key.column);
  return { ...found, model: plan?.model ?? '', key: isKey ? plan.key : null };
}

/** What the options of a field follow from. */
interface OptionsInput {
  readonly type: ColumnType | 'uuid';
  readonly size: readonly [number, number] | null;
  readonly values: ColumnDetails['values'];
  readonly details: ColumnDetails;
  readonly reference: Reference | null;
}

function toOptions(
  { table, column, found }: FieldInput,
  { type, size, values, details, reference }: OptionsInput,
): { readonly options: readonly string[]; readonly notes: readonly string[] } {
  const { isView, keys } = table.described;
  const isNullable = !found.isRequired;
  const length = /char/i.test(details.type) ? /\((\d+)\)/.exec(details.type)?.[1] : undefined;
  const isText = type === 'text' && !values && !reference?.key;
  const isUnique = type !== 'json' && keys.some((key) => key.columns.length === 1 && key.columns[0] === column);
  const byDefault =
    details.default === null || isView || reference?.key ? [] : printDefault({ type, size, values }, details.default);
  return {
    options: [
      ...(reference?.key ? [`references: ${printText(reference.model)}`] : []),
      ...(reference?.key && reference.onDelete !== 'restrict' && (isNullable || reference.onDelete === 'cascade')
        ? [`onDelete: ${printText(reference.onDelete)}`]
        : []),
      ...(isText && length !== undefined ? [`maxLength: ${length}`] : []),
      ...(isNullable ? ['nullable: true'] : []),
      ...(isUnique ? ['unique: true'] : []),
      ...(byDefault ?? []),
    ],
    notes: [
      ...(reference && !reference.key
        ? [`${column}: refers to ${reference.table}; inspect both to declare that.`]
        : []),
      ...(byDefault === null
        ? [`${column}: new records do not get the default of the database, ${printSql(details.default)}.`]
        : []),
    ],
  };
}

function printSql(sql: string | null): string {
  const text = (sql ?? '').replaceAll(/\s+/g, ' ');
  return text.length > 60 ? `${text.slice(0, 60)}…` : text;
}
