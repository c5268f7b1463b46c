import { type ColumnType, toDecimal } from '@x/store';
import { printJson, printText } from './print-text.ts';
import type { ColumnDetails } from './inspected-table.ts';

/** The field that a default is for. */
interface DefaultedField {
  readonly type: ColumnType | 'uuid';
  readonly size: readonly [number, number] | null;
  readonly values: ColumnDetails['values'];
}

/**
 * Prints the options by which new records have what the database writes by default: none if that is null.
 *
 * @returns null if a declaration can't say it
 */
export function printDefault(field: DefaultedField, sql: string): readonly string[] | null {
  const literal = toLiteral(sql);
  if (/^null$/i.test(literal)) return [];
  if (field.type === 'uuid')
    return /^(gen_random_uuid|uuid_generate_v4)\(\)$/i.test(literal) ? ['generated: true'] : null;
  if (field.type === 'timestamp') return isNow(literal) ? ["default: 'now'"] : null;
  const value = printValue(field, toText(literal));
  return value === null ? null : [`default: ${value}`];
}

/** Removes what surrounds a literal: parentheses, and the types that Postgres appends. */
function toLiteral(sql: string): string {
  let text = sql.trim();
  for (let before = ''; text !== before;) {
    before = text;
    text = text.replace(/::(?:"[^"]+"|[\w .])+(?:\([\d, ]+\))?$/, '').trim();
    if (/^\((?:[^()']|\(\)|'(?:[^']|'')*')*\)$/.test(text)) text = text.slice(1, -1).trim();
  }
  return text;
}

function isNow(literal: string): boolean {
  return /^(now\(\)|current_timestamp(\(\d\))?|localtimestamp|(datetime|strftime)\(.*'now'.*\))$/i.test(literal);
}

/** Returns the text of a literal; one without quotes is its own. Null for an expression. */
function toText(literal: string): string | null {
  if (/^'(?:[^']|'')*'$/.test(literal)) return literal.slice(1, -1).replaceAll("''", "'");
  return /^(-?[\d.]+|true|false)$/i.test(literal) ? literal : null;
}

function printValue({ type, size, values }: DefaultedField, text: string | null): string | null {
  if (text === null) return null;
  switch (type) {
    case 'text':
      return values === null || values.includes(text) ? printText(text) : null;
    case 'integer':
      return /^-?\d+$/.test(text) && Number.isSafeInteger(Number(text)) ? String(Number(text)) : null;
    case 'number':
      return text.trim() !== '' && Number.isFinite(Number(text)) ? String(Number(text)) : null;
    case 'decimal': {
      const decimal = size && toDecimal(text, { precision: size[0], scale: size[1] });
      return decimal ? printText(decimal) : null;
    }
    case 'boolean':
      return /^(true|t|1)$/i.test(text) ? 'true' : /^(false|f|0)$/i.test(text) ? 'false' : null;
    case 'date':
      return /^\d{4}-\d\d-\d\d$/.test(text) ? printText(text) : null;
    case 'json':
      return printJson(text);
    default:
      return null;
  }
}
