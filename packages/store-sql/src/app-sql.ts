import { type AppSql, type AppSqlValue, MigrationError, type RowSchema } from '@x/store';
import { DuplicateKeyError, ForeignKeyError } from './errors.ts';
import type { AppStatements, SqlExecutor, SqlRow, SqlValue } from './sql-executor.ts';

/** The text and the values that an app writes between backquotes. */
type Template = readonly [text: TemplateStringsArray, ...values: readonly AppSqlValue[]];

/** Builds the function that runs statements of the app's own. */
export function createAppSql(statements: Pick<AppStatements, 'run'>): AppSql {
  const run = <Row>(template: Template, convert: (rows: readonly SqlRow[]) => Promise<Row>): Promise<Row> =>
    statements.run(async (all) => {
      const { text, values } = toStatement(template);
      return convert(await withDriverErrors(() => all(text, values)));
    });
  return Object.assign((...template: Template) => run(template, async (rows) => rows), {
    type:
      <Row>(schema: RowSchema<Row>) =>
      (...template: Template) =>
        run(template, (rows) => Promise.all(rows.map((row) => parseRow(schema, row)))),
  });
}

/** Returns the statements of the transaction that an executor is in; outside of one, each has one of its own. */
export function appStatementsOf(sql: SqlExecutor): Pick<AppStatements, 'run'> {
  return sql.appStatements ?? { run: (work) => sql.transaction((inner) => appStatementsOf(inner).run(work)) };
}

/** Numbers the values of a template, which are bound. */
function toStatement([parts, ...given]: Template): { readonly text: string; readonly values: readonly SqlValue[] } {
  const text = parts.map((part, index) => (index === 0 ? part : `$${index}${part}`)).join('');
  if (endsTransaction.test(text)) {
    throw new TypeError('A statement can neither begin nor end a transaction: use the transaction of the stores.');
  }
  return { text, values: given.map(toValue) };
}

/** After spaces and comments, a word that begins or ends transactions or parts of them. */
const endsTransaction =
  /^(?:\s|;|--[^\n]*(?:\n|$)|\/\*(?:[^*]|\*(?!\/))*\*\/)*(?:BEGIN|START|COMMIT|END|ROLLBACK|ABORT|SAVEPOINT|RELEASE|PREPARE\s+TRANSACTION)\b/i;

function toValue(value: AppSqlValue, index: number): SqlValue {
  if (value instanceof Date) return value.toISOString();
  if (value === null || ['string', 'number', 'boolean'].includes(typeof value)) return value;
  throw new TypeError(`Value ${index + 1} of the statement is no text, number, boolean, date or null.`);
}

/** Nothing of the app's own tables is about the stores, so the app gets the error of the driver. */
async function withDriverErrors<T>(run: () => Promise<T>): Promise<T> {
  try {
    return await run();
  } catch (error) {
    const isOurs = [DuplicateKeyError, ForeignKeyError, MigrationError].some((type) => error instanceof type);
    throw isOurs && error instanceof Error ? (error.cause ?? error) : error;
  }
}

/** Names the column alone: what a library says of it may contain its value. */
async function parseRow<Row>(schema: RowSchema<Row>, row: SqlRow): Promise<Row> {
  const result = await schema['~standard'].validate(row);
  if (!result.issues) return result.value;
  const [key = ''] = result.issues[0]?.path ?? [];
  const column = String(typeof key === 'object' ? key.key : key);
  throw new TypeError(`A row of the statement does not fit its schema${column && `: its ${column} does not`}.`);
}
