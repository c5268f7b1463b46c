import { type EntityColumn, type EntityTable, type EntityValue, MigrationError, toDecimal } from '@x/store';

import type { MigrationScope, SqlDialect } from '../sql-driver.ts';
import { type EvolutionPlan, type EvolutionStep, planEvolution, type RecordedTable } from './plan-evolution.ts';
import { toColumnSql, toIndexSql, toTableSql, versionColumn } from './sql-table.ts';

/** The options for bringing the tables of entities up to date. */
export interface EvolutionOptions {
  readonly entities: readonly EntityTable[];
  readonly dialect: SqlDialect;
  readonly now: Date;
}

const selectRecorded = 'SELECT name, declaration FROM auth_entity_tables';

const recordTable = `
  INSERT INTO auth_entity_tables (name, declaration) VALUES ($1, $2)
  ON CONFLICT (name) DO UPDATE SET declaration = excluded.declaration`;

/**
 * Changes the tables of entities to match their declaration, and stores the declaration. NOT NULL is enforced by the
 * store, not by the table: a column that is no longer declared must not block new rows.
 *
 * @throws MigrationError with every reason why the tables can't follow; nothing is changed then
 */
export async function evolveEntities(scope: MigrationScope, options: EvolutionOptions): Promise<void> {
  const { entities } = options;
  const rows = await scope.read(selectRecorded, []);
  const recorded = new Map(
    rows.map((row) => [String(row['name']), JSON.parse(String(row['declaration'])) as RecordedTable]),
  );
  const plans = entities.map((entity) => {
    const known = recorded.get(entity.name) ?? null;
    return { entity, known, plan: planEvolution(known, entity) };
  });
  const problems = [...findUnknownReferences(entities), ...plans.flatMap(({ plan }) => plan.problems)];
  if (problems.length > 0) throw cannotFollow(problems);
  // All tables must exist before one refers to another.
  for (const isCreation of [true, false]) {
    for (const { entity, plan } of plans) {
      const steps = plan.steps.filter(({ type }) => (type === 'createTable') === isCreation);
      for (const step of steps) await runStep({ scope, entity, ...options }, step);
    }
  }
  for (const { entity, known, plan } of plans) await recordDeclaration(scope, entity, known, plan);
}

/** Stores the declaration of a table, unless it is unchanged. */
async function recordDeclaration(
  scope: MigrationScope,
  { name }: EntityTable,
  known: RecordedTable | null,
  { next }: EvolutionPlan,
): Promise<void> {
  const declaration = JSON.stringify(next);
  if (declaration !== JSON.stringify(known)) await scope.execute(recordTable, [name, declaration]);
}

function findUnknownReferences(entities: readonly EntityTable[]): readonly string[] {
  const names = new Set(entities.map(({ name }) => name));
  return entities.flatMap(({ name, columns }) =>
    columns
      .filter(({ references }) => references && !names.has(references.entity))
      .map((column) => `${name}.${column.name}: there is no entity ${column.references?.entity}`),
  );
}

function cannotFollow(problems: readonly string[]): MigrationError {
  return new MigrationError(
    ['The tables of entities cannot follow their declaration:', ...problems.map((each) => `  - ${each}`)].join('\n'),
  );
}

interface TableEvolution extends EvolutionOptions {
  readonly scope: MigrationScope;
  readonly entity: EntityTable;
}

async function runStep(evolution: TableEvolution, step: EvolutionStep): Promise<void> {
  const { scope, entity, dialect } = evolution;
  const table = toTableSql(entity.name);
  switch (step.type) {
    case 'createTable': {
      const id = `"id" ${dialect.columnTypes.text} NOT NULL PRIMARY KEY`;
      const version = `${versionColumn} ${dialect.columnTypes.integer} NOT NULL`;
      return scope.runScript(`CREATE TABLE ${table} (${id}, ${version}) ${dialect.tableOptions}`);
    }
    case 'renameColumn':
      return scope.runScript(`ALTER TABLE ${table} RENAME COLUMN ${toColumnSql(step.from)} TO ${toColumnSql(step.to)}`);
    case 'addColumn':
      return scope.runScript(`ALTER TABLE ${table} ADD COLUMN ${declareColumn(evolution, step.column)}`);
    case 'restoreColumn':
      return restoreColumn(evolution, step.column);
    case 'dropIndex':
      return scope.runScript(`DROP INDEX ${toIndexSql(entity.name, step.index.columns, step.index.isUnique)}`);
    case 'createIndex': {
      const { columns, isUnique } = step.index;
      if (isUnique) await assertDistinct(evolution, columns);
      // The id at the end lets one index find rows and order them.
      const names = isUnique || columns.includes('id') ? columns : [...columns, 'id'];
      const on = `${toIndexSql(entity.name, columns, isUnique)} ON ${table} (${names.map(toColumnSql).join(', ')})`;
      return scope.runScript(`CREATE ${isUnique ? 'UNIQUE ' : ''}INDEX ${on}`);
    }
  }
}

function declareColumn(evolution: TableEvolution, column: EntityColumn): string {
  const { name, type, references } = column;
  const literal = toDefault(evolution, column);
  const onDelete = references?.onDelete === 'cascade' ? ' ON DELETE CASCADE' : '';
  return [
    `${toColumnSql(name)} ${evolution.dialect.columnTypes[type]}`,
    ...(literal === null ? [] : [`DEFAULT ${literal}`]),
    ...(references ? [`REFERENCES ${toTableSql(references.entity)} ("id")${onDelete}`] : []),
  ].join(' ');
}

async function restoreColumn(evolution: TableEvolution, column: EntityColumn): Promise<void> {
  const { scope, entity } = evolution;
  if (column.nullable) return;
  const [table, name] = [toTableSql(entity.name), toColumnSql(column.name)];
  const literal = toDefault(evolution, column);
  if (literal !== null) return scope.runScript(`UPDATE ${table} SET ${name} = ${literal} WHERE ${name} IS NULL`);
  const [empty] = await scope.read(`SELECT 1 AS found FROM ${table} WHERE ${name} IS NULL LIMIT 1`, []);
  if (empty) throw cannotFollow([`${entity.name}.${column.name}: rows from while it was not declared have null in it`]);
}

async function assertDistinct({ scope, entity }: TableEvolution, columns: readonly string[]): Promise<void> {
  const names = columns.map(toColumnSql).join(', ');
  const isGiven = columns.map((name) => `${toColumnSql(name)} IS NOT NULL`).join(' AND ');
  const [twice] = await scope.read(
    `SELECT 1 AS found FROM ${toTableSql(entity.name)} WHERE ${isGiven} GROUP BY ${names} HAVING COUNT(*) > 1 LIMIT 1`,
    [],
  );
  if (twice)
    throw cannotFollow([`${entity.name}.${columns.join(', ')}: two rows have the same value, so it can't be unique`]);
}

/** Formats a default from the app's declaration as SQL; null if there is none. */
function toDefault({ now, dialect }: TableEvolution, { type, decimal, default: value }: EntityColumn): string | null {
  if (value === undefined) return null;
  if (decimal && typeof value === 'string') {
    return toPlainLiteral(dialect.encodeDecimal(toDecimal(value, decimal) ?? value));
  }
  if (type === 'timestamp') return String((value instanceof Date ? value : now).getTime());
  if (type === 'json') return quoteText(JSON.stringify(value));
  return typeof value === 'string' ? quoteText(value) : toPlainLiteral(value);
}

function toPlainLiteral(value: EntityValue): string {
  if (typeof value === 'boolean') return value ? 'TRUE' : 'FALSE';
  return String(Number(value));
}

function quoteText(text: string): string {
  return `'${text.replaceAll("'", "''")}'`;
}
