import { type EntityColumn, type EntityKey, type EntityTable, type ExistingTable, MigrationError } from '@x/store';
import { uniqueKeys } from '@x/store/engine';
import { didYouMean } from '@x/errors';
import type { DescribedColumn, DescribedTable, ExistingName, SqlDialect, WantedColumn } from '../sql-dialect.ts';
import type { SqlExecutor } from '../sql-executor.ts';
import { quoteIdentifier } from '../where/compile-where.ts';
import { describeTable } from './describe-table.ts';
import { toColumnName } from './names.ts';
import { type SqlTable, type SqlTableColumn, toSelection } from './sql-table.ts';

/** An entity whose table is in the database without us. */
export interface ExistingEntity extends EntityTable {
  readonly existing: ExistingTable;
}

/** Says whether a table is in the database without us. */
export function isExisting(entity: EntityTable): entity is ExistingEntity {
  return entity.existing !== undefined;
}

/** An existing table as it was found: ready to be used, or the reasons why it can't be. */
interface FoundTable {
  readonly table: SqlTable;
  readonly described: DescribedTable | null;
  readonly problems: readonly string[];
}

/** Compares an existing table with its declaration. The order of columns, and how they are collated, do not matter. */
async function findExisting(
  executor: Pick<SqlExecutor, 'read'>,
  dialect: SqlDialect,
  declared: { readonly entity: ExistingEntity; readonly tableOf: (entity: string) => EntityTable | undefined },
): Promise<FoundTable> {
  const { entity, tableOf } = declared;
  const place = toExistingName(entity.existing.table);
  const described = await describeTable(executor, dialect.catalog, place);
  const wanted = listWanted(entity, tableOf);
  const columns = new Map(
    wanted.map((column) => [column.declared, toColumn(dialect, described?.columns.get(column.name), column)]),
  );
  const id = columns.get('id');
  if (!id) throw new TypeError(`${entity.name} has no id.`);
  const version = entity.existing.version === null ? null : quoteIdentifier(entity.existing.version);
  const table: SqlTable = {
    entity,
    sql: place.sql,
    columns,
    id,
    version,
    isRefusal: dialect.isRefusal,
    // `ORDER BY` prefers a label to a column of the same name, so no label may be one.
    ...toSelection(columns, { version, dialect, toLabel: (name) => `${name}$` }),
    uniqueKeys: toUniqueKeys(wanted, described),
  };
  return { table, described, problems: findProblems({ entity, wanted, described, dialect }) };
}

/**
 * Finds all existing tables.
 *
 * @throws MigrationError with every difference from their declarations
 */
export async function findAllExisting(
  executor: Pick<SqlExecutor, 'read'>,
  dialect: SqlDialect,
  entities: readonly EntityTable[],
): Promise<readonly SqlTable[]> {
  const { tables, problems } = await compareExisting(executor, dialect, entities);
  if (problems.length === 0) return tables;
  throw new MigrationError(
    ['The database does not have the tables that are declared:', ...problems.map((each) => `  - ${each}`)].join('\n'),
  );
}

/** Compares all existing tables with their declarations. */
export async function compareExisting(
  executor: Pick<SqlExecutor, 'read'>,
  dialect: SqlDialect,
  entities: readonly EntityTable[],
): Promise<ComparedTables> {
  const tableOf = (name: string): EntityTable | undefined => entities.find((each) => each.name === name);
  const found: FoundTable[] = [];
  for (const entity of entities.filter(isExisting)) {
    found.push(await findExisting(executor, dialect, { entity, tableOf }));
  }
  const created = entities.filter((entity) => !isExisting(entity));
  return {
    tables: found.map(({ table }) => table),
    problems: [
      ...found.flatMap(({ problems }) => problems),
      ...created.flatMap((entity) => findReferenceProblems(entity, found, dialect)),
    ],
    missing: new Set(found.flatMap(({ table, described }) => (described ? [] : [table.entity.name]))),
  };
}

interface ComparedTables {
  readonly tables: readonly SqlTable[];
  readonly problems: readonly string[];
  /** The entities whose tables are not there. */
  readonly missing: ReadonlySet<string>;
}

/** Says why a table of ours can't refer to those that are there without us. */
function findReferenceProblems(
  { name, columns }: EntityTable,
  found: readonly FoundTable[],
  dialect: SqlDialect,
): readonly string[] {
  return columns.flatMap((column) => {
    const other = found.find(({ table }) => table.entity.name === column.references?.entity);
    const { existing, key = { type: 'text' } } = other?.table.entity ?? {};
    if (!existing || !other?.described) return [];
    const id = existing.columnNames['id'] ?? 'id';
    const referred = other.described.columns.get(id);
    const reason = other.described.isView
      ? 'is a view'
      : referred && dialect.existing.whyNotReferred(toExistingName(existing.table), key.type, referred);
    const place = other.described.isView ? existing.table : `${existing.table}.${id}`;
    return reason ? [`${name}.${column.name}: ${place} ${reason}, so no table of ours can refer to it`] : [];
  });
}

/** Returns how a column of ours is used whose values are ids of a type, of a table that is there without us. */
export function toReferring(
  dialect: SqlDialect,
  key: EntityKey['type'] | undefined,
  name: string,
): Pick<SqlTableColumn, 'sql' | 'form'> {
  if (key === undefined || key === 'text') return { sql: name };
  const described = {
    type: dialect.keyTypes[key].toLowerCase(),
    isRequired: false,
    hasDefault: false,
    isComputed: false,
  };
  const { sql = name, ...form } = dialect.existing.toForm({ type: 'text', key }, described, name) ?? {};
  return { sql, ...(Object.keys(form).length > 0 && { form }) };
}

/** Divides the name of a table at its first point. */
export function toExistingName(text: string): ExistingName {
  const [first = '', ...rest] = text.split('.');
  if (rest.length === 0) return { schema: null, table: first, sql: quoteIdentifier(first) };
  const table = rest.join('.');
  return { schema: first, table, sql: `${quoteIdentifier(first)}.${quoteIdentifier(table)}` };
}

/** A declared column, and what it is in the database. */
interface Wanted extends WantedColumn {
  readonly declared: string;
  readonly name: string;
  readonly nullable: boolean;
}

function listWanted(
  { existing, key = { type: 'text' }, columns }: ExistingEntity,
  tableOf: (entity: string) => EntityTable | undefined,
): readonly Wanted[] {
  const nameOf = (declared: string): string => existing.columnNames[declared] ?? toColumnName(declared);
  const keyOf = ({ references }: EntityColumn): EntityKey['type'] | undefined =>
    references && (tableOf(references.entity)?.key?.type ?? 'text');
  return [
    { declared: 'id', name: nameOf('id'), type: 'text', key: key.type, nullable: false },
    ...columns.map((column): Wanted => {
      const { name, type, nullable, decimal } = column;
      const referred = keyOf(column);
      return {
        declared: name,
        name: nameOf(name),
        type,
        nullable,
        ...(decimal && { decimal }),
        ...(referred && { key: referred }),
      };
    }),
  ];
}

function toColumn(dialect: SqlDialect, found: DescribedColumn | undefined, wanted: Wanted): SqlTableColumn {
  const { type, nullable, decimal } = wanted;
  const name = quoteIdentifier(wanted.name);
  const { sql = name, mayBeNull, ...form } = (found && dialect.existing.toForm(wanted, found, name)) ?? {};
  const hasForm = Object.keys(form).length > 0;
  return {
    name,
    sql,
    type,
    nullable: nullable || mayBeNull === true,
    ...(decimal && { decimal }),
    ...(hasForm && { form }),
  };
}

function toUniqueKeys(wanted: readonly Wanted[], described: DescribedTable | null): SqlTable['uniqueKeys'] {
  const declaredOf = new Map(wanted.map(({ name, declared }) => [name, declared]));
  const keys = described?.keys ?? [];
  return new Map(keys.map(({ name, columns }) => [name, columns.flatMap((each) => declaredOf.get(each) ?? [])]));
}

interface Comparison {
  readonly entity: ExistingEntity;
  readonly wanted: readonly Wanted[];
  readonly described: DescribedTable | null;
  readonly dialect: SqlDialect;
}

function findProblems(comparison: Comparison): readonly string[] {
  const { entity, wanted, described } = comparison;
  const { table } = entity.existing;
  if (!described) return [`${entity.name}: there is no table ${table}`];
  const ofColumns = wanted.flatMap((column) => findColumnProblems(comparison, described, column));
  return [
    ...ofColumns,
    ...findVersionProblems(entity, described),
    ...findKeyProblems(entity, wanted, described),
    ...findWriteProblems(entity, wanted, described),
  ];
}

function findColumnProblems(
  { entity, dialect }: Comparison,
  { columns }: DescribedTable,
  wanted: Wanted,
): readonly string[] {
  const { declared, name, nullable, type, key } = wanted;
  const { table, isReadOnly } = entity.existing;
  const place = `${entity.name}.${declared}: ${table}`;
  const found = columns.get(name);
  if (!found) return [`${place} has no column ${name}${didYouMean(name, columns.keys())}`];
  if (!dialect.existing.toForm(wanted, found, quoteIdentifier(name))) {
    return [`${place}.${name} is ${found.type}, which holds no ${key === undefined || key === 'text' ? type : key}`];
  }
  const isTooLoose = !nullable && !found.isRequired && declared !== 'id' && !isReadOnly;
  const isTooStrict = nullable && found.isRequired && !isReadOnly;
  return [
    ...(isTooLoose ? [`${place}.${name} may be null: declare it nullable`] : []),
    ...(isTooStrict ? [`${place}.${name} can't be null: declare it so`] : []),
    ...(found.isComputed && declared !== 'id' && !isReadOnly ? [`${place}.${name} is computed by the database`] : []),
  ];
}

function findVersionProblems({ name, existing }: ExistingEntity, { columns }: DescribedTable): readonly string[] {
  const { table, version } = existing;
  if (version === null) return [];
  const found = columns.get(version);
  if (!found)
    return [`${name}: ${table} has no column ${version} for the version${didYouMean(version, columns.keys())}`];
  return /int/.test(found.type) && found.isRequired
    ? []
    : [`${name}: ${table}.${version} is no integer that is never null, as a version has to be`];
}

function findKeyProblems(
  entity: ExistingEntity,
  wanted: readonly Wanted[],
  described: DescribedTable,
): readonly string[] {
  const { name, existing, key } = entity;
  if (described.isView) return [];
  const nameOf = (declared: string): string => wanted.find((each) => each.declared === declared)?.name ?? declared;
  const isUnique = (columns: readonly string[]): boolean =>
    described.keys.some(
      (each) => each.columns.length === columns.length && columns.every((one) => each.columns.includes(one)),
    );
  const id = described.columns.get(nameOf('id'));
  const isMissing = key?.isGenerated && !existing.isReadOnly && id && !id.hasDefault;
  return [
    ...[['id'], ...uniqueKeys(entity)].flatMap((group) => {
      const columns = group.map(nameOf);
      return isUnique(columns)
        ? []
        : [`${name}.${group.join(', ')}: ${existing.table} (${columns.join(', ')}) is not unique`];
    }),
    ...(isMissing ? [`${name}.id: ${existing.table} generates no ${nameOf('id')}`] : []),
  ];
}

/** Finds what makes every new row impossible. */
function findWriteProblems(
  { name, existing }: ExistingEntity,
  wanted: readonly Wanted[],
  { isView, columns }: DescribedTable,
): readonly string[] {
  if (existing.isReadOnly) return [];
  if (isView) return [`${name}: ${existing.table} is a view: declare it readOnly`];
  const known = new Set([...wanted.map((each) => each.name), existing.version]);
  return [...columns].flatMap(([column, { isRequired, hasDefault, isComputed }]) =>
    known.has(column) || !isRequired || hasDefault || isComputed
      ? []
      : [`${name}: ${existing.table}.${column} is required, but not declared, so that new rows can't have it`],
  );
}
