import { type EntityColumn, type EntityTable, MigrationError } from '@x/store';
import { findAllExisting, isExisting, toReferring } from '../entity/existing-table.ts';
import { type SqlTable, toSqlTable } from '../entity/sql-table.ts';
import type { SqlDialect } from '../sql-dialect.ts';
import type { SqlExecutor } from '../sql-executor.ts';
import { matchTables } from './match-tables.ts';
import { findEarlierProblems } from './run-earlier.ts';
import { readHistory } from './table-state.ts';

/** Knows where the declared entities are in the database: names that were changed are those of other columns there. */
export class EntityLayout {
  readonly #entities: readonly EntityTable[];
  readonly #dialect: SqlDialect;
  #tables: ReadonlyMap<string, SqlTable> | null;

  constructor(entities: readonly EntityTable[], dialect: SqlDialect) {
    this.#entities = entities;
    this.#dialect = dialect;
    this.#tables = entities.length === 0 ? new Map() : null;
  }

  /** The tables by the names of their entities; null until they were looked up. */
  get tables(): ReadonlyMap<string, SqlTable> | null {
    return this.#tables;
  }

  /**
   * Looks the tables up.
   *
   * @throws MigrationError if the database does not know the declaration, or can't serve it
   */
  async find(executor: Pick<SqlExecutor, 'read'>): Promise<ReadonlyMap<string, SqlTable>> {
    const created = this.#entities.filter((entity) => !isExisting(entity));
    const matches = matchTables(created, await readHistory(executor));
    const unknown = matches.find(({ version }) => version === 'next');
    if (unknown) {
      throw new MigrationError(
        `The database has no such ${unknown.declared.name}. Call migrate() first: \`initialize()\` of a server does.`,
      );
    }
    const problems = await Promise.all(matches.map((match) => findEarlierProblems(executor, match)));
    const [problem] = problems.flat();
    if (problem !== undefined) throw new MigrationError(problem);
    const keys = new Map(this.#entities.map(({ name, key }) => [name, key?.type]));
    const found = matches.map(({ declared, table, entry }) => {
      const columns = new Map(entry?.content.columns.map(({ name, column }) => [name, column]));
      const toColumn = ({ references }: EntityColumn, name: string): ReturnType<typeof toReferring> =>
        toReferring(this.#dialect, references && keys.get(references.entity), name);
      return [declared.name, toSqlTable(declared, { table, columns }, { dialect: this.#dialect, toColumn })] as const;
    });
    const existing = await findAllExisting(executor, this.#dialect, this.#entities);
    this.#tables = new Map([...found, ...existing.map((table) => [table.entity.name, table] as const)]);
    return this.#tables;
  }
}
