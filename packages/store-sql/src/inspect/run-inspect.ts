import { ConfigurationError } from '@x/errors';
import { text, textOrNull } from '../columns.ts';
import { describeTable } from '../entity/describe-table.ts';
import { toExistingName } from '../entity/existing-table.ts';
import { reasonOf } from '../errors.ts';
import type { ExistingName } from '../sql-dialect.ts';
import type { SqlExecutor } from '../sql-executor.ts';
import type { InspectedTable, TableDetails, TableInspector } from './inspected-table.ts';
import { printModels } from './print-models.ts';

/** The command of an engine. */
interface InspectCommand {
  /** The package, as people write it after `npx`. */
  readonly name: string;
  /** How people call the place of a database: `<url>`. */
  readonly place: string;
  readonly inspector: TableInspector;
  /** Opens a database to read it, for a while. */
  open<T>(place: string, work: (sql: Pick<SqlExecutor, 'read'>) => Promise<T>): Promise<T>;
}

/**
 * Runs `inspect <place> <table>…`, which prints the models of tables that a database has already, and returns the exit
 * code: 1 if the database or a table can't be read, 2 for other arguments.
 */
export async function runInspect(command: InspectCommand, args: readonly string[]): Promise<number> {
  const [verb, place, ...names] = args;
  if (verb !== 'inspect' || place === undefined || names.length === 0 || args.some((each) => each.startsWith('-'))) {
    process.stderr.write(`usage: npx ${command.name} inspect ${command.place} <table> [<table> …]

Prints the models of tables or views that the database has already, as TypeScript for a file of yours:
  npx ${command.name} inspect ${command.place} customers orders > models.ts
Tables that refer to each other belong in one command. It only reads the catalog.\n`);
    return 2;
  }
  try {
    process.stdout.write(await command.open(place, (sql) => inspectTables(sql, command.inspector, names)));
    return 0;
  } catch (error) {
    const { problems = [reasonOf(error)] }: Partial<ConfigurationError> =
      error instanceof ConfigurationError ? error : {};
    process.stderr.write(`${problems.join('\n')}\n`);
    return 1;
  }
}

/**
 * Prints the models of tables.
 *
 * @throws ConfigurationError naming each table that is not there, or can't have a model
 */
export async function inspectTables(
  sql: Pick<SqlExecutor, 'read'>,
  inspector: TableInspector,
  names: readonly string[],
): Promise<string> {
  const tables: InspectedTable[] = [];
  const problems: string[] = [];
  for (const name of new Set(names)) {
    const place = toExistingName(name);
    const described = await describeTable(sql, inspector.dialect.catalog, place);
    if (described) tables.push({ name, described, ...(await readDetails(sql, inspector, place)) });
    else problems.push(`There is no table ${name}.`);
  }
  if (problems.length > 0) throw new ConfigurationError(problems);
  return printModels(tables, inspector);
}

async function readDetails(
  sql: Pick<SqlExecutor, 'read'>,
  inspector: TableInspector,
  name: ExistingName,
): Promise<TableDetails> {
  const place = inspector.dialect.catalog.toPlace(name);
  const columns = await sql.read(inspector.selectDetails(name), place);
  const keys = await sql.read(inspector.references, place);
  return {
    identity: String(columns[0]?.['identity']),
    columns: new Map(
      columns.map((row) => [
        String(row['name']),
        { type: String(row['type']), default: textOrNull(row['default_value']), values: inspector.toValues(row) },
      ]),
    ),
    references: keys.map((row) => ({
      column: String(row['name']),
      identity: String(row['identity']),
      table: String(row['referred_table']),
      referred: textOrNull(row['referred']),
      onDelete: text(row['on_delete']),
    })),
  };
}
