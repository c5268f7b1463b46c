import { type EntityReference, type EntityValue, type MigrationStep, toDecimal } from '@x/store';
import { toExistingName } from '../entity/existing-table.ts';
import { toIndexName } from '../entity/names.ts';
import { versionColumn } from '../entity/sql-table.ts';
import type { ColumnLink, SqlDialect } from '../sql-dialect.ts';
import type { IndexBuild } from '../sql-driver.ts';
import { quoteIdentifier } from '../where/compile-where.ts';
import type { EvolutionStep, ReplaceStep, RowStep } from './evolution-plan.ts';
import type { ColumnState, IndexState, ReferenceState, TableState } from './table-state.ts';

/** The place of a step, on which its SQL depends. */
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
    case 'replaceColumn': {
      const { from, to, column, link } = step;
      if (link.copies) return `fill ${name}.${to.name} from ${name}.${from.name}`;
      const as = from.name === to.name ? '' : `, now ${name}.${to.name},`;
      return `${column.convert ? 'convert' : 'widen'} ${name}.${from.name}${as} from ${from.type} to ${to.type}`;
    }
    case 'endCopy':
      return `no longer fill ${name}.${step.to.name} from another field`;
    case 'fillColumn':
      return `fill ${name}.${step.to.name} where it is null`;
    case 'replaceValues':
      return `replace values that ${name}.${step.to.name} no longer has`;
    case 'dropColumn':
      return `drop ${isReplaced(target, step.from) ? 'the former ' : ''}${name}.${step.from.name}`;
    case 'createIndex':
      return step.index.isUnique
        ? `make ${nameIndex(target, step.index)} unique`
        : `index ${nameIndex(target, step.index)}`;
    case 'dropIndex':
      return `drop the ${step.index.isUnique ? 'unique ' : ''}index of ${nameIndex(target, step.index)}`;
  }
}

/** Says whether another column has the name of one that is no longer used, or had it. */
export function isReplaced({ columns }: Pick<TableState, 'columns'>, { column, name }: ColumnState): boolean {
  return columns.some((each) => {
    const hasName = each.name === name || each.formerNames.includes(name);
    return hasName && !each.isDropped && each.column !== column;
  });
}

/** Names the columns of an index as they are declared. */
export function nameIndex({ name, columns }: TableState, index: IndexState): string {
  const declared = index.columns.map((column) => {
    const known = columns.find((each) => each.column === column)?.name ?? column;
    return index.descending.includes(column) ? `${known}:desc` : known;
  });
  return `${name}.${declared.join(', ')}${index.where === null ? '' : ` where ${index.where}`}`;
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
      return toAddition(place, step, step.column.backfill ?? step.column.default);
    case 'replaceColumn': {
      if (step.isAdded) return null;
      const initial = step.link.isSynced ? (step.from.initial ?? undefined) : undefined;
      if (step.link.copies === 'none') return toAddition(place, step, initial);
      return `${toAddition(place, step, initial)};\n${dialect.columnLinks.create(toLink(place, step))}`;
    }
    case 'endCopy':
      return dropLink(place, step.to);
    case 'fillColumn':
    case 'replaceValues':
      return `UPDATE ${table} SET ${toAssignment(place, step)} WHERE ${toUnfit(place, step)}`;
    case 'dropColumn':
      return `${dropTriggers(place, step.from)}ALTER TABLE ${table} DROP COLUMN ${quoteIdentifier(step.from.column)}`;
    case 'createIndex': {
      const { name, isUnique, on } = toIndexBuild(target, step.index);
      return `CREATE ${isUnique ? 'UNIQUE ' : ''}INDEX ${name} ON ${on}`;
    }
    case 'dropIndex':
      return `DROP INDEX IF EXISTS ${toIndexBuild(target, step.index).name}`;
  }
}

/** Returns the name of an index in the database. */
export function nameOfIndex(table: string, { columns, descending, isUnique, where }: IndexState): string {
  const parts = columns.map((column) => (descending.includes(column) ? `${column}:desc` : column));
  return toIndexName(table, where === null ? parts : [...parts, where], isUnique);
}

/** Names an index, and what it is on. */
export function toIndexBuild({ table }: TableState, index: IndexState): IndexBuild {
  const { columns, descending, isUnique, where } = index;
  const parts = columns.map((column) => `${quoteIdentifier(column)}${descending.includes(column) ? ' DESC' : ''}`);
  // The id at the end lets one index find rows and order them, as lists do: like the last column.
  const id = descending.includes(columns.at(-1) ?? '') ? '"id" DESC' : '"id"';
  const all = isUnique || columns.includes('id') ? parts : [...parts, id];
  return {
    name: quoteIdentifier(nameOfIndex(table, index)),
    isUnique,
    on: `${quoteIdentifier(table)} (${all.join(', ')})${where === null ? '' : ` WHERE ${where}`}`,
  };
}

/** Returns the condition on the rows that a step changes. */
export function toUnfit({ dialect }: StepPlace, { type, to }: RowStep): string {
  const column = quoteIdentifier(to.column);
  if (type === 'fillColumn') return `${column} IS NULL`;
  return `${column} NOT IN (${(to.values ?? []).map((value) => dialect.toTextLiteral(value)).join(', ')})`;
}

/** Returns what a step sets. Records that a client has seen change, so their versions do. */
export function toAssignment(place: StepPlace, step: RowStep): string {
  const column = quoteIdentifier(step.to.column);
  return `${column} = ${toNewValue(place, step)}, ${versionColumn} = ${versionColumn} + 1`;
}

function toNewValue(place: StepPlace, step: RowStep): string {
  if (step.type === 'fillColumn') {
    const { to, value, source } = step;
    if (source) return toCopied(place, { from: source, to, fill: value }, quoteIdentifier(source.column));
    return value === null ? 'NULL' : toLiteral(place, to, value);
  }
  const write = (text: string): string => place.dialect.toTextLiteral(text);
  const cases = Object.entries(step.replaced).map(([from, to]) => `WHEN ${write(from)} THEN ${write(to)}`);
  const column = quoteIdentifier(step.to.column);
  return cases.length === 0 ? column : `CASE ${column} ${cases.join(' ')} ELSE ${column} END`;
}

/** Two columns, and the value for those rows in which the first one is null. */
interface CopiedColumns {
  readonly from: ColumnState;
  readonly to: ColumnState;
  readonly fill: Exclude<EntityValue, null> | null;
}

/** Writes a cell of one column as one of another, which is as wide or wider. */
export function toCopied(place: StepPlace, { from, to, fill }: CopiedColumns, cell: string): string {
  const isWider = from.type !== to.type || from.decimal?.scale !== to.decimal?.scale;
  const copied = isWider ? place.dialect.widening(from, to).toWide(cell) : cell;
  return fill === null ? copied : `COALESCE(${copied}, ${toLiteral(place, to, fill)})`;
}

function toAddition(
  place: StepPlace,
  { to }: { readonly to: ColumnState },
  value: Exclude<EntityValue, null> | undefined,
): string {
  const { references } = to;
  const onDelete = references ? deletions[references.onDelete] : '';
  const addition = [
    `ALTER TABLE ${quoteIdentifier(place.target.table)} ADD COLUMN`,
    `${quoteIdentifier(to.column)} ${toSqlType(place.dialect, to)}`,
    // Also for rows that processes of earlier declarations insert.
    ...(value === undefined ? [] : [`DEFAULT ${toLiteral(place, to, value)}`]),
    ...(references
      ? [`REFERENCES ${toReferredTable(references)} (${quoteIdentifier(references.key?.column ?? 'id')})${onDelete}`]
      : []),
  ].join(' ');
  if (references?.onDelete !== 'setNull') return addition;
  const trigger = {
    ...toTrigger(place.target, to, 'lost'),
    column: quoteIdentifier(to.column),
    version: versionColumn,
  };
  return `${addition};\n${place.dialect.lostReferences.create(trigger)}`;
}

/** Returns the type of a column in the database. */
export function toSqlType({ keyTypes, columnTypes }: SqlDialect, { type, references }: ColumnState): string {
  return references?.key ? keyTypes[references.key.type] : columnTypes[type];
}

/** Writes the table that a column refers to. */
export function toReferredTable({ table, key }: ReferenceState): string {
  if (!key) return quoteIdentifier(table);
  const name = toExistingName(table);
  // SQLite refers to a table of the same file, and does not let a statement name that.
  return name.schema?.toLowerCase() === 'main' ? quoteIdentifier(name.table) : name.sql;
}

const deletions: Readonly<Record<EntityReference['onDelete'], string>> = {
  restrict: '',
  cascade: ' ON DELETE CASCADE',
  setNull: ' ON DELETE SET NULL',
};

/** Names a trigger of a column. */
function toTrigger(
  { table }: TableState,
  { column }: ColumnState,
  use: string,
): { readonly name: string; readonly table: string } {
  return { name: `${toIndexName(table, [column], false)}_${use}`, table: quoteIdentifier(table) };
}

function toLink(place: StepPlace, { from, to, link, column }: ReplaceStep): ColumnLink {
  const { dialect, target } = place;
  const [old, replacement] = [quoteIdentifier(from.column), quoteIdentifier(to.column)];
  const fill = to.nullable ? null : (column.default ?? null);
  // A version that knows the new column alone leaves the old one as it is in new rows.
  const isGiven =
    from.initial === null || from.type === 'json'
      ? `NEW.${old} IS NOT NULL`
      : `NEW.${old} IS DISTINCT FROM ${toLiteral(place, from, from.initial)}`;
  return {
    ...toTrigger(target, to, 'link'),
    old,
    replacement,
    isJson: from.type === 'json',
    copy: link.copies
      ? {
          toCell: (cell) => toCopied(place, { from, to, fill }, cell),
          isMissing: `NEW.${replacement} IS NULL${to.nullable ? ` AND ${isGiven}` : ''}`,
          isFollowed: link.copies === 'all',
        }
      : null,
    sync: link.isSynced
      ? {
          ...dialect.widening(from, to),
          initial: from.initial === null ? 'NULL' : toLiteral(place, from, from.initial),
        }
      : null,
  };
}

/** Returns the SQL that ends the link of a column to the one that it replaces. */
export function dropLink({ dialect, target }: StepPlace, to: ColumnState): string {
  return dialect.columnLinks.drop(toTrigger(target, to, 'link'));
}

/** Returns the SQL that drops the triggers of a column. */
function dropTriggers(place: StepPlace, from: ColumnState): string {
  const { dialect, target } = place;
  const lost = dialect.lostReferences.drop(toTrigger(target, from, 'lost'));
  return `${from.references?.onDelete === 'setNull' ? `${lost}\n` : ''}${dropLinksOf(place, from)}`;
}

function dropLinksOf(place: StepPlace, { column }: ColumnState): string {
  const linked = place.target.columns.filter(
    ({ replaces, ...each }) => replaces && [each.column, replaces.column].includes(column),
  );
  return linked.map((each) => `${dropLink(place, each)}\n`).join('');
}

/** Formats a value from the app's declaration as SQL. */
function toLiteral(
  { now, dialect }: StepPlace,
  { type, decimal }: ColumnState,
  value: Exclude<EntityValue, null>,
): string {
  if (decimal && typeof value === 'string') return String(dialect.encodeDecimal(toDecimal(value, decimal) ?? value));
  if (type === 'timestamp') return String((value instanceof Date ? value : now).getTime());
  if (type === 'json') return dialect.toTextLiteral(JSON.stringify(value));
  if (typeof value === 'boolean') return value ? 'TRUE' : 'FALSE';
  return typeof value === 'string' ? dialect.toTextLiteral(value) : String(Number(value));
}
