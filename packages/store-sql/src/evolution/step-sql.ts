import { type EntityValue, type MigrationStep, toDecimal } from '@x/store';
import { toIndexName } from '../entity/names.ts';
import { versionColumn } from '../entity/sql-table.ts';
import type { IndexBuild, SqlDialect } from '../sql-driver.ts';
import { quoteIdentifier } from '../where/compile-where.ts';
import type { EvolutionStep, RowStep } from './plan-evolution.ts';
import type { ColumnState, IndexState, TableState } from './table-state.ts';

/** What the SQL of a step depends on, besides the step. */
export interface StepPlace {
  readonly dialect: SqlDialect;
  /** The table after all steps. */
  readonly target: TableState;
  readonly now: Date;
}

/** How many rows a batch changes at most. */
export const batchSize = 1000;

/** Says what a step does. */
export function describeStep(place: StepPlace, step: EvolutionStep): MigrationStep {
  const { target, dialect } = place;
  const { kind, type } = step;
  const isBuild = type === 'createIndex';
  const locks = isBuild && dialect.buildsIndexesBesideWrites ? 'nothing' : isBuild ? 'writes' : 'briefly';
  return { kind, entity: target.name, title: toTitle(target, step), statement: toStepSql(place, step), locks };
}

function toTitle(target: TableState, step: EvolutionStep): string {
  const { name } = target;
  switch (step.type) {
    case 'createTable':
      return `create ${name}`;
    case 'renameTable':
      return `call ${step.from} ${name}`;
    case 'renameColumn':
      return `call ${name}.${step.from} ${name}.${step.to.name}`;
    case 'addColumn':
      return `add ${name}.${step.to.name}`;
    case 'fillColumn':
      return `fill ${name}.${step.to.name} where it is null`;
    case 'replaceValues':
      return `replace values that ${name}.${step.to.name} no longer has`;
    case 'dropColumn':
      return `drop ${name}.${step.from.name}`;
    case 'createIndex':
      return step.index.isUnique
        ? `make ${nameIndex(target, step.index)} unique`
        : `index ${nameIndex(target, step.index)}`;
    case 'dropIndex':
      return `drop the ${step.index.isUnique ? 'unique ' : ''}index of ${nameIndex(target, step.index)}`;
  }
}

/** Names the columns of an index as they are declared. */
export function nameIndex({ name, columns }: TableState, index: IndexState): string {
  const declared = index.columns.map((column) => columns.find((each) => each.column === column)?.name ?? column);
  return `${name}.${declared.join(', ')}`;
}

/** Returns the SQL of a step, that of a batch if it changes rows; null if only the history changes. */
export function toStepSql(place: StepPlace, step: EvolutionStep): string | null {
  const { dialect, target } = place;
  const table = quoteIdentifier(target.table);
  switch (step.type) {
    case 'createTable': {
      const id = `"id" ${dialect.columnTypes.text} NOT NULL PRIMARY KEY`;
      const version = `${versionColumn} ${dialect.columnTypes.integer} NOT NULL`;
      return `CREATE TABLE ${table} (${id}, ${version}) ${dialect.tableOptions}`;
    }
    case 'renameTable':
    case 'renameColumn':
      return null;
    case 'addColumn':
      return `ALTER TABLE ${table} ADD COLUMN ${toColumnDeclaration(place, step)}`;
    case 'fillColumn':
    case 'replaceValues':
      return `UPDATE ${table} SET ${toAssignment(place, step)} WHERE ${toUnfit(step)}`;
    case 'dropColumn':
      return `ALTER TABLE ${table} DROP COLUMN ${quoteIdentifier(step.from.column)}`;
    case 'createIndex': {
      const { name, isUnique, on } = toIndexBuild(target, step.index);
      return `CREATE ${isUnique ? 'UNIQUE ' : ''}INDEX ${name} ON ${on}`;
    }
    case 'dropIndex':
      return `DROP INDEX IF EXISTS ${toIndexBuild(target, step.index).name}`;
  }
}

/** Names an index, and what it is on. */
export function toIndexBuild({ table }: TableState, { columns, isUnique }: IndexState): IndexBuild {
  // The id at the end lets one index find rows and order them.
  const all = isUnique || columns.includes('id') ? columns : [...columns, 'id'];
  return {
    name: quoteIdentifier(toIndexName(table, columns, isUnique)),
    isUnique,
    on: `${quoteIdentifier(table)} (${all.map(quoteIdentifier).join(', ')})`,
  };
}

/** Returns the condition on the rows that a step changes. */
export function toUnfit({ type, to }: RowStep): string {
  const column = quoteIdentifier(to.column);
  if (type === 'fillColumn') return `${column} IS NULL`;
  return `${column} NOT IN (${(to.values ?? []).map(quoteText).join(', ')})`;
}

/** Returns what a step sets. Records that a client has seen change, so their versions do. */
export function toAssignment(place: StepPlace, step: RowStep): string {
  const column = quoteIdentifier(step.to.column);
  return `${column} = ${toNewValue(place, step)}, ${versionColumn} = ${versionColumn} + 1`;
}

function toNewValue(place: StepPlace, step: RowStep): string {
  if (step.type === 'fillColumn') return step.value === null ? 'NULL' : toLiteral(place, step.to, step.value);
  const cases = Object.entries(step.replaced).map(([from, to]) => `WHEN ${quoteText(from)} THEN ${quoteText(to)}`);
  const column = quoteIdentifier(step.to.column);
  return cases.length === 0 ? column : `CASE ${column} ${cases.join(' ')} ELSE ${column} END`;
}

function toColumnDeclaration(place: StepPlace, { column, to }: Extract<EvolutionStep, { type: 'addColumn' }>): string {
  const value = column.backfill ?? column.default;
  const { references } = to;
  const onDelete = references?.onDelete === 'cascade' ? ' ON DELETE CASCADE' : '';
  return [
    `${quoteIdentifier(to.column)} ${place.dialect.columnTypes[to.type]}`,
    // Also for rows that processes of earlier declarations insert.
    ...(value === undefined ? [] : [`DEFAULT ${toLiteral(place, to, value)}`]),
    ...(references ? [`REFERENCES ${quoteIdentifier(references.table)} ("id")${onDelete}`] : []),
  ].join(' ');
}

/** Formats a value from the app's declaration as SQL. */
function toLiteral(
  { now, dialect }: StepPlace,
  { type, decimal }: ColumnState,
  value: Exclude<EntityValue, null>,
): string {
  if (decimal && typeof value === 'string') return String(dialect.encodeDecimal(toDecimal(value, decimal) ?? value));
  if (type === 'timestamp') return String((value instanceof Date ? value : now).getTime());
  if (type === 'json') return quoteText(JSON.stringify(value));
  if (typeof value === 'boolean') return value ? 'TRUE' : 'FALSE';
  return typeof value === 'string' ? quoteText(value) : String(Number(value));
}

function quoteText(text: string): string {
  return `'${text.replaceAll("'", "''")}'`;
}
