import { didYouMean } from '@x/errors';
import type { ExistingTable } from '@x/store';
import { type Field, field } from './field.ts';
import type { Absent, ChosenId, Model } from './model.ts';

/** Where the columns of an existing table are, by the names of fields; null for a moment that it does not have. */
export type ColumnNames = Readonly<Record<string, string | null>>;

/** The part of a declaration that is about a table which is in the database without us. */
export interface ExistingDeclaration<Columns extends ColumnNames, Id extends Field> {
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

/** The id of records whose declaration says nothing of it. */
export type MadeId = Field<string, { readonly generated: true }>;

/** The id of records whose declaration says nothing of it. */
export const madeId: Field = field.uuid({ generated: true });

/** Names the moments that records do not have. */
export type AbsentIn<Columns> = Absent<
  { [Name in keyof Columns & string]: Columns[Name] extends null ? Name : never }[keyof Columns & string]
>;

/** Says whether callers choose ids. */
export type ChosenIn<Id extends Field> = Id['options'] extends { readonly generated: true | 'database' }
  ? unknown
  : ChosenId;

type AnyDeclaration = ExistingDeclaration<ColumnNames, Field>;

/** Returns the field of ids, which are texts, however they are stored. */
export function toIdField({ type, key, options }: Field): Field {
  if (type === 'integer' || type === 'text') return { type: 'uuid', key: type, options };
  return { type, ...(key && { key }), options };
}

/** Returns where the records of a declaration are, if that is an existing table; null if not. */
export function toExistingTable({ table, columns = {}, version, readOnly }: AnyDeclaration): ExistingTable | null {
  if (table === undefined) return null;
  const names = Object.entries(columns).filter((entry): entry is [string, string] => entry[1] !== null);
  return {
    table,
    columnNames: Object.fromEntries(names),
    version: version || null,
    isReadOnly: readOnly ?? false,
  };
}

/** Lists what is wrong with the declaration of an existing table, or needs one. */
export function findExistingProblems(declaration: AnyDeclaration, model: Model): readonly string[] {
  if (!model.existing) {
    const { managed, columns, id, version, readOnly } = declaration;
    const given = Object.entries({ managed, columns, id, version, readOnly });
    return given.flatMap(([option, value]) =>
      value === undefined ? [] : [`${option} needs table, the name of an existing one`],
    );
  }
  const { table = '', managed, id } = declaration;
  const idTypes: readonly string[] = ['uuid', 'integer', 'text'];
  return [
    ...(managed === false ? [] : ['table needs managed: false: it is never changed']),
    ...(table.split('.').includes('') ? ['table is no name of a table'] : []),
    ...findColumnProblems(declaration, model),
    ...(idTypes.includes(id?.type ?? 'uuid') ? [] : ['id is a uuid, an integer or a text']),
    ...findChangeProblems(model),
  ];
}

const moments: readonly string[] = ['createdAt', 'updatedAt'];

function findColumnProblems({ columns = {} }: AnyDeclaration, { allFields }: Model): readonly string[] {
  const known = new Set([...allFields.keys(), ...moments]);
  return Object.entries(columns).flatMap(([name, column]) => {
    if (!known.has(name)) return [`columns.${name} is not a field${didYouMean(name, known)}`];
    return column === null && !moments.includes(name)
      ? [`columns.${name}: only createdAt and updatedAt may be missing`]
      : [];
  });
}

function findChangeProblems({ fields, renamedFrom }: Model): readonly string[] {
  const changed = Object.entries(fields).filter(
    ([, { options }]) => options.renamedFrom ?? options.backfill ?? options.convert,
  );
  return [
    ...(renamedFrom === null ? [] : ['renamedFrom: the table is never changed']),
    ...changed.map(([name]) => `${name}: renamedFrom, backfill and convert change no existing table`),
  ];
}
