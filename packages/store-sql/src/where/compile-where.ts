import { type ColumnType, type DecimalSize, type GrantedResources, isDate, toDecimal } from '@x/store';
import {
  and,
  caseVariants,
  type ComparisonOperator,
  foldCase,
  not,
  valueAtPath,
  type Where,
  type WhereColumn,
  type WhereValue,
} from '@x/store/where';

import { toGrantedCondition, toGrantedQuery } from '../access/granted-resources.ts';
import type { Bind } from '../parameters.ts';
import type { ColumnForm, SqlDialect } from '../sql-dialect.ts';
import type { SqlValue } from '../sql-executor.ts';

/** The table and the statement that a condition is compiled for. */
interface WhereTarget {
  /** The columns of the table by the names that conditions use. */
  readonly columns: ReadonlyMap<string, SqlColumn>;
  readonly dialect: SqlDialect;
  readonly bind: Bind;
  /** Whether granted resources are checked row by row, which is better if only few rows are. */
  readonly checksPerRow?: boolean;
  /** Finds the table of another entity. */
  readonly findTable: (entity: string) => RelatedTable;
}

/** The table of another entity. */
interface RelatedTable extends Pick<WhereTarget, 'columns'> {
  readonly sql: string;
  readonly id: SqlColumn;
}

/**
 * Compiles a condition to a boolean SQL expression, which is true for the rows that `matches` accepts, and false or
 * null for all others. Identifiers come only from the columns, and every value is bound.
 *
 * @throws TypeError if it names an unknown column, or compares one with an incompatible value
 */
export function compileWhere(where: Where, target: WhereTarget): string {
  switch (where.type) {
    case 'constant':
      return where.value ? 'TRUE' : 'FALSE';
    case 'and':
      return join(where.operands, ' AND ', target) ?? 'TRUE';
    case 'or':
      return join(where.operands, ' OR ', target) ?? 'FALSE';
    case 'not':
      return compileNot(where.operand, target);
    case 'compare': {
      const column = findColumn(target, where.column);
      const isOrder = where.operator !== 'eq' && where.operator !== 'ne';
      const compared = (isOrder && column.form?.sorted) || column.sql;
      return `(${compared} ${comparisons[where.operator]} ${toOperand(where.value, column, target)})`;
    }
    case 'in':
      return compileIn(findColumn(target, where.column), where.values, target);
    case 'text': {
      const column = { ...findTextColumn(target, where.column), form: {} };
      return `(${target.dialect.textOperators[where.operator](asText(column), toOperand(where.value, column, target))})`;
    }
    case 'caseless':
      return compileCaseless(findTextColumn(target, where.column), where, target);
    case 'granted':
      return compileGranted(asText(findTextColumn(target, where.column)), where.resources, target);
    case 'related':
      return compileRelated(where, target);
    case 'json':
      return compileAtPath(where, target);
    case 'isNull':
      return `(${findColumn(target, where.column).sql} IS NULL)`;
  }
}

const comparisons: Readonly<Record<ComparisonOperator, string>> = {
  eq: '=',
  ne: '<>',
  gt: '>',
  gte: '>=',
  lt: '<',
  lte: '<=',
};

function join(operands: readonly Where[], operator: string, target: WhereTarget): string | undefined {
  if (operands.length === 0) return undefined;
  return `(${operands.map((operand) => compileWhere(operand, target)).join(operator)})`;
}

/**
 * Negates a condition. A negation is moved inwards until it stands before a single comparison: there, and only there,
 * it makes no row match for which the comparison is unknown, however it is compiled.
 */
function compileNot(where: Where, target: WhereTarget): string {
  switch (where.type) {
    case 'and':
    case 'or':
      return compileWhere({ type: where.type === 'and' ? 'or' : 'and', operands: where.operands.map(not) }, target);
    case 'not':
      return compileWhere(where.operand, target);
    case 'related':
      return compileRelated({ ...where, where: not(where.where) }, target);
    case 'json':
      return compileAtPath({ ...where, where: not(where.where) }, target);
    case 'constant':
    case 'compare':
    case 'in':
    case 'text':
    case 'caseless':
    case 'granted':
    case 'isNull':
      return `NOT (${compileWhere(where, target)})`;
  }
}

/**
 * Compiles a condition on a row of another table. Negations never stand before it, so it is enough that it is true for
 * the right rows. An engine starts from whichever table has fewer rows to offer.
 */
function compileRelated(
  { column, entity, readable, where }: Extract<Where, { readonly type: 'related' }>,
  target: WhereTarget,
): string {
  const reference = findTextColumn(target, column);
  const other = target.findTable(entity);
  const condition = compileWhere(and(readable, where), { ...target, columns: other.columns });
  const guard = target.dialect.rowGuard(other.id.sql);
  return `(${asIdOf(other, reference)} IN (SELECT ${other.id.sql} FROM ${other.sql} WHERE ${guard}${condition}))`;
}

/** Compiles a condition on a value in JSON, which is like a column of its own. */
function compileAtPath(
  { column, path, as, where }: Extract<Where, { readonly type: 'json' }>,
  target: WhereTarget,
): string {
  const { sql, type } = findColumn(target, column);
  if (type !== 'json') throw new TypeError(`The column ${column} is not JSON.`);
  let found: string | undefined;
  const value: SqlColumn = {
    // Steps are bound only if the statement has them: an empty list is compared with nothing.
    get sql() {
      found ??= target.dialect.jsonAtPath(sql, { path, as }, target.bind);
      return found;
    },
    type: as,
    isComputed: true,
  };
  return compileWhere(where, { ...target, columns: new Map([[valueAtPath, value]]) });
}

function compileIn(column: SqlColumn, values: readonly WhereValue[], { dialect, bind }: WhereTarget): string {
  if (values.length === 0) return 'FALSE';
  const list = values.map((value) => toComparable(column, value, dialect));
  const { form } = column;
  if (form?.toCompared && !form.listType) {
    return `(${list.map((value) => `${column.sql} = ${asCompared(column, bind(value))}`).join(' OR ')})`;
  }
  return `(${column.sql} ${dialect.in(form?.listType ?? column.type, bind(dialect.toList(list)))})`;
}

/** Compiles a search that ignores the case of letters. */
function compileCaseless(
  column: SqlColumn,
  { operator, value }: Extract<Where, { readonly type: 'caseless' }>,
  { dialect, bind }: WhereTarget,
): string {
  const part = foldCase(value);
  const folded = dialect.foldCase(asText(column), part, bind);
  switch (operator) {
    case 'icontains':
      return `(${dialect.textOperators.contains(folded, bind(part))})`;
    case 'istartsWith':
      return `(${withinBeginnings(column, part, bind)}${dialect.textOperators.startsWith(folded, bind(part))})`;
  }
}

/**
 * Says how the first characters of a folded text may be written, one range for each way: an index of the column
 * contains those ranges.
 */
function withinBeginnings(column: SqlColumn, part: string, bind: Bind): string {
  if (column.isComputed) return '';
  const sorted = column.form?.sorted ?? asText(column);
  const ranges = toBeginnings(part).flatMap((beginning) => {
    const end = toEndOfRange(beginning);
    return end === undefined ? [] : [`(${sorted} >= ${bind(beginning)} AND ${sorted} < ${bind(end)})`];
  });
  return ranges.length === 0 ? '' : `(${ranges.join(' OR ')}) AND `;
}

/** More ways to write a beginning are not worth a range each. */
const maxBeginnings = 16;

/** Lists the ways in which the first characters of a folded text may be written. */
function toBeginnings(part: string): readonly string[] {
  let beginnings: readonly string[] = [''];
  for (const character of part) {
    const ways = [character, ...caseVariants(character)];
    if (beginnings.length * ways.length > maxBeginnings) break;
    beginnings = beginnings.flatMap((beginning) => ways.map((way) => beginning + way));
  }
  return beginnings;
}

/** Returns the first text after all that begin with this one; undefined if there is none to name. */
function toEndOfRange(beginning: string): string | undefined {
  const last = Array.from(beginning).at(-1);
  const point = last?.codePointAt(0);
  if (last === undefined || point === undefined || point === 0x10_ffff) return undefined;
  // Surrogates are no characters.
  return beginning.slice(0, -last.length) + String.fromCodePoint(point === 0xd7ff ? 0xe000 : point + 1);
}

/** A null column contains no id, which makes the condition false rather than unknown. */
function compileGranted(
  column: string,
  resources: GrantedResources,
  { bind, dialect, checksPerRow = false }: WhereTarget,
): string {
  if (checksPerRow) return `(${toGrantedCondition(resources, column, dialect, bind)})`;
  return `(${column} IS NOT NULL AND ${column} IN (${toGrantedQuery(resources, dialect, bind)}))`;
}

function toOperand(value: WhereValue | WhereColumn, column: SqlColumn, target: WhereTarget): string {
  if (typeof value === 'object') return findColumnOfType(target, value.column, column).sql;
  return asCompared(column, target.bind(toComparable(column, value, target.dialect)));
}

/** Returns a column of texts as what it is in our terms. */
function asText({ sql, form }: SqlColumn): string {
  return form?.text ?? sql;
}

/** Returns a reference as the type of the ids that it refers to. */
export function asIdOf({ id }: { readonly id: SqlColumn }, reference: SqlColumn): string {
  const areAlike = (id.form?.listType ?? 'text') === (reference.form?.listType ?? 'text');
  return areAlike ? reference.sql : asText(reference);
}

function findColumn({ columns }: WhereTarget, name: string): SqlColumn {
  const column = columns.get(name);
  if (!column) throw new TypeError(`There is no column ${name}.`);
  return column;
}

function findTextColumn(target: WhereTarget, name: string): SqlColumn {
  const column = findColumn(target, name);
  if (column.type !== 'text') throw new TypeError(`The column ${name} is not a text.`);
  return column;
}

function findColumnOfType(target: WhereTarget, name: string, { sql, type, decimal }: SqlColumn): SqlColumn {
  const column = findColumn(target, name);
  if (column.type === type && type !== 'json' && column.decimal?.scale === decimal?.scale) return column;
  throw new TypeError(`The columns ${sql} and ${column.sql} can't be compared.`);
}

/** A column of a table, as used in statements. */
export interface SqlColumn {
  /** The quoted identifier, or an expression of it. It comes from a model, never from a caller. */
  readonly sql: string;
  readonly type: ColumnType;
  /** Of a decimal. */
  readonly decimal?: DecimalSize;
  /** Whether it is computed for each row, so that no index contains it. */
  readonly isComputed?: boolean;
  /** How an existing column differs from one that we create. */
  readonly form?: ColumnForm;
}

/** Writes a bound value as one that a column is compared with. */
export function asCompared({ form }: SqlColumn, placeholder: string): string {
  return form?.toCompared?.(placeholder) ?? placeholder;
}

/** Quotes an identifier. */
export function quoteIdentifier(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}

const fits: Readonly<Record<ColumnType, (value: WhereValue) => boolean>> = {
  text: (value) => typeof value === 'string',
  integer: Number.isSafeInteger,
  number: Number.isFinite,
  decimal: (value) => typeof value === 'string',
  boolean: (value) => typeof value === 'boolean',
  timestamp: Number.isSafeInteger,
  date: isDate,
  json: () => false,
};

/**
 * Converts a value to the one that a column is compared with. Callers' values have been validated against the model
 * long before.
 *
 * @throws TypeError if they can't be compared
 */
export function toComparable({ sql, type, decimal }: SqlColumn, value: WhereValue, dialect: SqlDialect): SqlValue {
  const written = decimal && typeof value === 'string' ? toDecimal(value, decimal) : value;
  if (written === undefined || !fits[type](written)) {
    throw new TypeError(`The ${type} column ${sql} can't be compared with this ${typeof value}.`);
  }
  return decimal ? dialect.encodeDecimal(String(written)) : written;
}
