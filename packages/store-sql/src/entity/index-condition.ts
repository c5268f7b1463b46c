import { eq, or, type Where } from '@x/store/where';
import type { SqlDialect } from '../sql-dialect.ts';
import type { SqlValue } from '../sql-executor.ts';
import { compileWhere, type SqlColumn } from '../where/compile-where.ts';

/** Compiles the condition of a partial index. An index can bind no values, so they are written into the text. */
export function compileIndexCondition(
  where: Where,
  columns: ReadonlyMap<string, SqlColumn>,
  dialect: SqlDialect,
): string {
  const bind = (value: SqlValue): string => toLiteral(value, dialect);
  return compileWhere(withoutLists(where), { columns, dialect, bind, findTable: refuse });
}

/** A list is a query on some engines. */
function withoutLists(where: Where): Where {
  switch (where.type) {
    case 'in':
      return or(...where.values.map((value) => eq(where.column, value)));
    case 'and':
    case 'or':
      return { type: where.type, operands: where.operands.map(withoutLists) };
    case 'not':
      return { type: 'not', operand: withoutLists(where.operand) };
    case 'constant':
    case 'compare':
    case 'text':
    case 'caseless':
    case 'granted':
    case 'json':
    case 'related':
    case 'isNull':
      return where;
  }
}

function toLiteral(value: SqlValue, dialect: SqlDialect): string {
  if (typeof value === 'string') return dialect.toTextLiteral(value);
  return typeof value === 'boolean' ? String(value).toUpperCase() : String(value);
}

function refuse(entity: string): never {
  throw new TypeError(`An index can't be about rows of ${entity}.`);
}
