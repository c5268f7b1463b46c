import { ConfigurationError, didYouMean, findUnknownOptions, isAsyncSchema } from '@x/errors';
import { isStorableText, parseIndexPart } from '@x/store';
import {
  type AbsentIn,
  type ChosenIn,
  type ColumnNames,
  type ExistingDeclaration,
  findExistingProblems,
  type MadeId,
  madeId,
  toExistingTable,
  toIdField,
} from './existing-table.ts';
import { type AnyOptions, type Field, field, toSourceName } from './field.ts';
import { type ConditionalIndex, parseIndexCondition } from './index-condition.ts';
import type { Fields, Model, PartialFields, Relation, Relations } from './model.ts';
import { toValueSchema } from './value-schema.ts';

/** The fields of an index of all records, or of some. */
type IndexDeclaration<F extends Fields> = readonly string[] | ConditionalIndex<F>;

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
   * Groups of fields that lists are filtered or sorted by together, `createdAt:desc` for what is sorted down. With a
   * condition, the index is of those records alone that satisfy it: `{ fields: ['level'], where: { state: 'open' } }`.
   * `id`, references and unique fields always have an index.
   */
  readonly indexes?: readonly IndexDeclaration<NoInfer<F>>[];
  /**
   * Groups of fields whose values no two records have together, such as a slug within an organization; any number may
   * have null in one of them. With a condition, no two records that satisfy it: `{ fields: ['slug'], where: {
   * archivedAt: null } }`. Each has an index.
   */
  readonly unique?: readonly IndexDeclaration<NoInfer<F>>[];
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
  const { fields, relations = {}, parent, renamedFrom = null, audit = false } = declaration;
  const { table, managed, columns, id = madeId, version, readOnly } = declaration;
  const base = Object.entries(moments).filter(([member]) => (columns as ColumnNames | undefined)?.[member] !== null);
  const allFields = new Map<string, Field>([['id', toIdField(id)], ...Object.entries(fields), ...base]);
  const indexes = divideIndexes(name, allFields, { kind: 'index', declared: declaration.indexes ?? [] });
  const unique = divideIndexes(name, allFields, { kind: 'unique', declared: declaration.unique ?? [] });
  const declared = { fields, relations, indexes: indexes.ofAll, unique: unique.ofAll, renamedFrom, audit };
  const parents = parent === undefined ? [] : typeof parent === 'string' ? [parent] : parent;
  const partialIndexes = [...indexes.ofSome, ...unique.ofSome];
  const model: Model = {
    name,
    ...declared,
    partialIndexes,
    parents,
    existing: toExistingTable(declaration),
    allFields,
  };
  const known = { ...declared, parent, table, managed, columns, id, version, readOnly };
  const problems = [
    ...findUnknownOptions(declaration, known, name),
    ...findModelProblems(model),
    ...indexes.problems,
    ...unique.problems,
    ...withPlace(name, findExistingProblems(declaration, model)),
  ];
  if (problems.length > 0) throw new ConfigurationError(problems);
  return freeze(model) as Model<Name, F, R> & AbsentIn<Columns> & ChosenIn<Id>;
}

/** Indexes of all records, those of some, and why some of these can't be. */
interface DividedIndexes {
  readonly ofAll: readonly (readonly string[])[];
  readonly ofSome: readonly PartialFields[];
  readonly problems: readonly string[];
}

function divideIndexes(
  name: string,
  allFields: ReadonlyMap<string, Field>,
  { kind, declared }: { readonly kind: 'index' | 'unique'; readonly declared: readonly IndexDeclaration<Fields>[] },
): DividedIndexes {
  const conditional = declared.filter((each): each is ConditionalIndex => !isList(each));
  const parsed = conditional.map(({ fields, where, ...others }) => {
    const condition = parseIndexCondition(allFields, where);
    const problems = [...indexProblems({ allFields }, fields.map(toIndexField)), ...condition.problems];
    const place = `${name}.${kind === 'index' ? 'indexes' : 'unique'}`;
    return {
      index: { fields, where: condition.where, unique: kind === 'unique' },
      problems: [
        ...findUnknownOptions({ fields, where, ...others }, { fields: true, where: true }, place),
        ...withPlace(`${name}, ${kind} [${fields.join(', ')}] of some records`, problems),
      ],
    };
  });
  return {
    ofAll: declared.filter(isList),
    ofSome: parsed.map(({ index }) => index),
    problems: parsed.flatMap(({ problems }) => problems),
  };
}

function isList(declared: IndexDeclaration<Fields>): declared is readonly string[] {
  return Array.isArray(declared);
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
  const { name, fields, relations, indexes, unique } = model;
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
    ...sourceProblems(name, options),
    ...(options.generated === 'database' ? ['only an id is generated by the database'] : []),
  ];
}

function sourceProblems(name: string, { backfill, convert }: AnyOptions): readonly string[] {
  const source = toSourceName(backfill);
  if (source === null) return [];
  return [
    ...(source === name ? ['backfill: takes its values from itself'] : []),
    ...(convert ? ['has backfill: from(…) and convert; values of another field are not converted'] : []),
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

/** Returns the field of a part of an index. */
function toIndexField(part: string): string {
  return parseIndexPart(part).column;
}

function indexProblems({ allFields }: Pick<Model, 'allFields'>, index: readonly string[]): readonly string[] {
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
