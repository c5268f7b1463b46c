import { ConfigurationError, didYouMean, findUnknownOptions, isAsyncSchema } from '@x/errors';
import { type ExistingTable, findIndexConditionProblem, isStorableText, parseIndexPart } from '@x/store';
import { type AnyOptions, type Field, field } from './field.ts';
import type { Absent, ChosenId, Fields, Model, PartialFields, Relation, Relations } from './model.ts';
import { toValueSchema } from './value-schema.ts';

/** Where the columns of an existing table are, by the names of fields; null for a moment that it does not have. */
type ColumnNames = Readonly<Record<string, string | null>>;

/** The part of a declaration that is about a table which is in the database without us. */
interface ExistingDeclaration<Columns extends ColumnNames, Id extends Field> {
  /**
   * The name of a table or view that is in the database already, after that of its schema if it has one:
   * `legacy.customers`. It is compared with the declaration at each start, and never changed.
   */
  readonly table?: string;
  /** Says that we do not manage the table. */
  readonly managed?: false;
  /**
   * The names of columns, by those of fields; `createdAt: null` and `updatedAt: null` if there are none, so that records
   * do not have them either. Default: in snake case, `owner_id`.
   */
  readonly columns?: Columns;
  /**
   * The primary key: `field.integer({ generated: 'database' })`, or `field.text()` for one that callers choose. Default:
   * a uuid that the app makes. Ids are texts in records, whatever they are in the database.
   */
  readonly id?: Id;
  /**
   * An integer column that is raised with each change. Default, and false: there is none, and the version of a record is
   * a digest of its fields.
   */
  readonly version?: false | string;
  /** Whether records are only read, such as those of a view. Default: false. */
  readonly readOnly?: boolean;
}

/** The declaration that `defineModel` takes. */
export interface ModelDeclaration<
  F extends Fields,
  R extends Relations,
  Parent extends keyof F & string,
  Columns extends ColumnNames = ColumnNames,
  Id extends Field = Field,
> extends ExistingDeclaration<Columns, Id> {
  /** The fields, in addition to `id`, `createdAt` and `updatedAt`, which every record has. */
  readonly fields: F;
  /** Related records that a caller can include. */
  readonly relations?: R;
  /**
   * Groups of fields that lists are filtered or sorted by together, `createdAt:desc` for what is sorted down. `id`,
   * references and unique fields always have an index.
   */
  readonly indexes?: readonly (readonly string[])[];
  /**
   * Groups of fields whose values no two records have together, such as a slug within an organization; any number may
   * have null in one of them. Each has an index.
   */
  readonly unique?: readonly (readonly string[])[];
  /**
   * Indexes of those records alone that satisfy a condition of `@x/store/where`, such as `{ fields: ['slug'], where:
   * isNull('archivedAt'), unique: true }`: no two of these have the same values.
   */
  readonly partialIndexes?: readonly PartialFields[];
  /**
   * The reference to the record that this one belongs to. A change of it moves the record.
   *
   * Of several references, at least one is set, and the first that is set is the parent: `['parentId', 'workspaceId']`
   * for folders that are in folders, or else directly in a workspace.
   */
  readonly parent?: Parent | readonly Parent[];
  /** The previous name of the entity: its records are kept under the new one. */
  readonly renamedFrom?: string;
  /**
   * Whether each change of a record is logged: which records, by whom, and which fields, but no values. Default: false,
   * since the log takes a row for each change.
   */
  readonly audit?: boolean;
}

/**
 * Defines the data of an entity. From one declaration come the types of its records and inputs, their validation, the
 * query language, and the table.
 *
 * @throws ConfigurationError with every problem of the declaration, unknown options included
 * @example
 * ```ts
 * const notes = defineModel('notes', {
 *   fields: {
 *     ownerId: field.text({ serverValue: ({ userId }) => userId }),
 *     title: field.text(),
 *     pinned: field.boolean({ default: false }),
 *   },
 *   indexes: [['ownerId', 'createdAt']],
 * });
 * type Note = RecordOf<typeof notes>;
 * ```
 */
export function defineModel<
  const Name extends string,
  const F extends Fields,
  const R extends Relations = {},
  const Parent extends keyof F & string = never,
  const Columns extends ColumnNames = {},
  const Id extends Field = MadeId,
>(
  name: Name,
  declaration: ModelDeclaration<F, R, Parent, Columns, Id>,
): Model<Name, F, R> & AbsentIn<Columns> & ChosenIn<Id> {
  const { fields, relations = {}, indexes = [], unique = [] } = declaration;
  const { partialIndexes = [], parent, renamedFrom = null, audit = false } = declaration;
  const { table, managed, id = madeId, version = false, readOnly = false } = declaration;
  const columns: ColumnNames = declaration.columns ?? {};
  const base = Object.entries(moments).filter(([member]) => columns[member] !== null);
  const allFields = new Map<string, Field>([['id', toIdField(id)], ...Object.entries(fields), ...base]);
  const declared = { fields, relations, indexes, unique, partialIndexes, renamedFrom, audit };
  const parents = parent === undefined ? [] : typeof parent === 'string' ? [parent] : parent;
  const existing = table === undefined ? null : toExistingTable(table, { columns, version, readOnly });
  const model: Model = { name, ...declared, parents, existing, allFields };
  const known = { ...declared, parent, table, managed, columns, id, version, readOnly };
  const problems = [
    ...findUnknownOptions(declaration, known, name),
    ...findModelProblems(model),
    ...withPlace(name, existingProblems(declaration, model)),
  ];
  if (problems.length > 0) throw new ConfigurationError(problems);
  return freeze(model) as Model<Name, F, R> & AbsentIn<Columns> & ChosenIn<Id>;
}

/** The id of records whose declaration says nothing of it. */
type MadeId = Field<string, { readonly generated: true }>;

const madeId: Field = field.uuid({ generated: true });

/** Names the moments that records do not have. */
type AbsentIn<Columns> = Absent<
  { [Name in keyof Columns & string]: Columns[Name] extends null ? Name : never }[keyof Columns & string]
>;

/** Says whether callers choose ids. */
type ChosenIn<Id extends Field> = Id['options'] extends { readonly generated: true | 'database' } ? unknown : ChosenId;

/** An id is a text, however it is stored. */
function toIdField({ type, key, options }: Field): Field {
  return type === 'integer' || type === 'text'
    ? { type: 'uuid', key: type, options }
    : { type, ...(key && { key }), options };
}

function toExistingTable(
  table: string,
  {
    columns,
    version,
    readOnly,
  }: { readonly columns: ColumnNames; readonly version: false | string; readonly readOnly: boolean },
): ExistingTable {
  const names = Object.entries(columns).filter((entry): entry is [string, string] => entry[1] !== null);
  return {
    table,
    columnNames: Object.fromEntries(names),
    version: version === false ? null : version,
    isReadOnly: readOnly,
  };
}

/** Lists what is wrong with the declaration of an existing table, or needs one. */
function existingProblems(
  declaration: ExistingDeclaration<ColumnNames, Field>,
  { existing, allFields, fields, renamedFrom }: Model,
): readonly string[] {
  const { table, managed, columns = {}, id, ...others } = declaration;
  if (!existing) {
    const needing = Object.entries({
      managed,
      columns: declaration.columns,
      id,
      version: others.version,
      readOnly: others.readOnly,
    });
    return needing.flatMap(([option, value]) =>
      value === undefined ? [] : [`${option} needs table, the name of an existing one`],
    );
  }
  const known = new Set([...allFields.keys(), ...Object.keys(moments)]);
  const changed = Object.entries(fields).filter(
    ([, { options }]) => options.renamedFrom ?? options.backfill ?? options.convert,
  );
  return [
    ...(managed === false ? [] : ['table needs managed: false: it is never changed']),
    ...(table === '' || table?.split('.').includes('') ? ['table is no name of a table'] : []),
    ...Object.entries(columns).flatMap(([name, column]) => {
      if (!known.has(name)) return [`columns.${name} is not a field${didYouMean(name, known)}`];
      return column === null && !(name in moments)
        ? [`columns.${name}: only createdAt and updatedAt may be missing`]
        : [];
    }),
    ...(['uuid', 'integer', 'text'].includes(id?.type ?? 'uuid') ? [] : ['id is a uuid, an integer or a text']),
    ...(renamedFrom === null ? [] : ['renamedFrom: the table is never changed']),
    ...changed.map(([name]) => `${name}: renamedFrom, backfill and convert change no existing table`),
  ];
}

const moments: Fields = {
  createdAt: field.timestamp({ default: 'now', readOnly: true }),
  updatedAt: field.timestamp({ default: 'now', readOnly: true }),
};

function freeze(model: Model): Model {
  for (const each of Object.values(model.fields)) Object.freeze(Object.freeze(each).options);
  for (const each of Object.values(model.relations)) Object.freeze(each);
  for (const each of [...model.indexes, ...model.unique, ...model.partialIndexes]) Object.freeze(each);
  for (const part of [model.fields, model.relations, model.indexes, model.unique, model.partialIndexes, model.parents])
    Object.freeze(part);
  return Object.freeze(model);
}

/** The names of entities. Both patterns keep the identifiers built from names within Postgres' limit of 63 bytes. */
const entityPattern = /^[a-z][a-z0-9-]{0,39}$/;

/** The names of fields and relations. */
const memberPattern = /^[a-z][A-Za-z0-9]{0,39}$/;

/**
 * The fields of every record, names with a special meaning for JavaScript objects, and the condition of a bulk item.
 */
const reservedNames: ReadonlySet<string> = new Set([
  'id',
  'createdAt',
  'updatedAt',
  'then',
  'prototype',
  'ifMatch',
  'includeMeta',
]);

/** Lists the problems of a single model, one sentence each. */
function findModelProblems(model: Model): readonly string[] {
  const { name, fields, relations, indexes, unique, partialIndexes } = model;
  return [
    ...(entityPattern.test(name) ? [] : [`${name}: the name of an entity must match ${entityPattern}`]),
    ...Object.entries(fields).flatMap(([member, field]) =>
      withPlace(`${name}.${member}`, fieldProblems(member, field)),
    ),
    ...Object.entries(relations).flatMap(([member, relation]) =>
      withPlace(`${name}.${member}`, relationProblems(model, member, relation)),
    ),
    ...indexes.flatMap((index) =>
      withPlace(`${name}, index [${index.join(', ')}]`, indexProblems(model, index.map(toIndexField))),
    ),
    ...unique.flatMap((group) => withPlace(`${name}, unique [${group.join(', ')}]`, indexProblems(model, group))),
    ...partialIndexes.flatMap((index) => {
      const place = `${name}, partial index [${index.fields.join(', ')}]`;
      return [
        ...findUnknownOptions(index, { fields: true, where: true, unique: true }, `${name}.partialIndexes`),
        ...withPlace(place, partialProblems(model, index)),
      ];
    }),
    ...withPlace(name, parentProblems(model)),
  ];
}

function withPlace(place: string, problems: readonly string[]): readonly string[] {
  return problems.map((problem) => `${place}: ${problem}`);
}

function nameProblems(name: string): readonly string[] {
  if (!memberPattern.test(name)) return [`the name must match ${memberPattern}`];
  return reservedNames.has(name) || name in Object.prototype ? ['the name is reserved'] : [];
}

/** Columns that every table of Postgres or SQLite has, and that no other column can be called. */
const systemColumns: ReadonlySet<string> = new Set([
  ...['tableoid', 'oid', 'ctid', 'xmin', 'xmax', 'cmin', 'cmax'],
  'rowid',
]);

/**
 * The longest name of a column in Postgres; each capital is written as two characters there, and a number may follow.
 */
const maxColumnLength = 60;

function columnProblems(name: string): readonly string[] {
  if (systemColumns.has(name)) return ['the name is that of a column which databases have themselves'];
  const length = name.replaceAll(/[A-Z]/g, '_$&').length;
  return memberPattern.test(name) && length > maxColumnLength
    ? [
        `the name is too long: with one more for each capital, it has ${length} characters, and at most ${maxColumnLength}`,
      ]
    : [];
}

function fieldProblems(name: string, field: Field): readonly string[] {
  const { options } = field;
  const made = ['default', 'generated', 'serverValue'].filter((key) => options[key as keyof AnyOptions] !== undefined);
  return [
    ...nameProblems(name),
    ...columnProblems(name),
    ...enumProblems(field),
    ...decimalProblems(field),
    ...(made.length > 1 ? [`has ${made.join(' and ')}; only one of them can set the value`] : []),
    ...(isUnreachable(options, made) ? ['no caller can set it: give it a default, or let it be null'] : []),
    ...(hasAsyncSchema(field) ? ['the schema has to be synchronous: check what takes time in a hook'] : []),
    ...(hasAsyncSchema(field) || hasFittingDefault(field) ? [] : ['the default is not a valid value of the field']),
    ...(options.unique && field.type === 'json' ? ['JSON cannot be unique'] : []),
    ...(isMaxLength(field) ? [] : ['maxLength is a whole number from 1, of a text']),
    ...(options.onDelete && !options.references ? ['onDelete needs references'] : []),
    ...(options.onDelete === 'setNull' && !options.nullable ? ['onDelete: setNull needs nullable'] : []),
    ...(options.references && field.type !== 'uuid' ? ['a reference is a uuid, an integer or a text'] : []),
    ...(options.generated === 'database' ? ['only an id is generated by the database'] : []),
  ];
}

function hasAsyncSchema({ options: { schema } }: Field): boolean {
  return schema !== undefined && isAsyncSchema(schema);
}

function isMaxLength({ type, options: { maxLength } }: Field): boolean {
  return maxLength === undefined || (type === 'text' && Number.isInteger(maxLength) && maxLength >= 1);
}

function enumProblems({ type, values = [] }: Field): readonly string[] {
  if (type !== 'enum') return [];
  if (values.length === 0) return ['has no values'];
  if (new Set(values).size < values.length) return ['has a value twice'];
  return values.every((value) => value !== '' && value.length <= 100 && isStorableText(value))
    ? []
    : ['a value is empty, longer than 100 characters or no text that can be stored'];
}

function decimalProblems({ decimal }: Field): readonly string[] {
  if (!decimal) return [];
  const { precision, scale } = decimal;
  const isWithin = (value: number, least: number, most: number): boolean =>
    Number.isInteger(value) && value >= least && value <= most;
  return [
    ...(isWithin(precision, 1, 15) ? [] : ['the precision is a whole number from 1 to 15']),
    ...(isWithin(scale, 0, precision) ? [] : ['the scale is a whole number from 0 to the precision']),
  ];
}

/** Callers can't write the field, and nothing else sets it. */
function isUnreachable({ hidden, readOnly, nullable }: AnyOptions, made: readonly string[]): boolean {
  return Boolean(hidden || readOnly) && !nullable && made.length === 0;
}

function hasFittingDefault(field: Field): boolean {
  const { default: value } = field.options;
  if (value === undefined || (field.type === 'timestamp' && value === 'now')) return true;
  return toValueSchema(field).safeParse(value).success;
}

function relationProblems({ fields }: Model, name: string, relation: Relation): readonly string[] {
  return [
    ...nameProblems(name),
    ...(Object.hasOwn(fields, name) ? ['a field has this name'] : []),
    ...(relation.type === 'many' || isReference(fields[relation.field])
      ? []
      : [`${relation.field} is not a reference${didYouMean(relation.field, referencesOf(fields))}`]),
  ];
}

function partialProblems(model: Model, { fields, where }: PartialFields): readonly string[] {
  const comparable = [...model.allFields].filter(([, { type }]) => type !== 'json').map(([name]) => name);
  const problem = findIndexConditionProblem(where, new Set(comparable));
  return [...indexProblems(model, fields.map(toIndexField)), ...(problem === null ? [] : [problem])];
}

/** Returns the field of a part of an index. */
function toIndexField(part: string): string {
  return parseIndexPart(part).column;
}

function indexProblems({ allFields }: Model, index: readonly string[]): readonly string[] {
  const unknown = index.filter((name) => !allFields.has(name));
  const json = index.filter((name) => allFields.get(name)?.type === 'json');
  return [
    ...(index.length === 0 ? ['has no fields'] : []),
    ...(new Set(index).size < index.length ? ['has a field twice'] : []),
    ...unknown.map((name) => `${name} is not a field${didYouMean(name, allFields.keys())}`),
    ...json.map((name) => `${name} is JSON, which has no order`),
  ];
}

function parentProblems({ fields, parents }: Model): readonly string[] {
  const isRepeated = new Set(parents).size < parents.length;
  return [
    ...(isRepeated ? ['has a parent twice'] : []),
    ...parents.flatMap((parent) => {
      if (fields[parent]?.options.onDelete === 'setNull') {
        return [`the parent ${parent} can't become null: its onDelete is cascade or restrict`];
      }
      if (isReference(fields[parent])) return [];
      return [`the parent ${parent} is not a reference${didYouMean(parent, referencesOf(fields))}`];
    }),
    ...parents
      .slice(0, -1)
      .filter((parent) => fields[parent] && !fields[parent].options.nullable)
      .map((parent) => `the parent ${parent} is always set, so no later one counts: let it be null, or name it last`),
  ];
}

function referencesOf(fields: Fields): readonly string[] {
  return Object.keys(fields).filter((name) => isReference(fields[name]));
}

function isReference(field: Field | undefined): boolean {
  return field?.options.references !== undefined;
}
