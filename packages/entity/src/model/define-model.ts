import { ConfigurationError } from '@x/errors';
import { type Field, field } from './field.ts';
import { findModelProblems } from './find-model-problems.ts';
import type { Fields, Model, Relations } from './model.ts';

/** The declaration that `defineModel` takes. */
export interface ModelDeclaration<F extends Fields, R extends Relations, Parent extends keyof F & string> {
  /** The fields, in addition to `id`, `createdAt` and `updatedAt`, which every record has. */
  readonly fields: F;
  /** Related records that a caller can include. */
  readonly relations?: R;
  /**
   * Groups of fields that lists are filtered or sorted by together. `id`, references and unique fields always have an
   * index.
   */
  readonly indexes?: readonly (readonly string[])[];
  /** The reference to the record that this one belongs to. It can only be set on create. */
  readonly parent?: Parent;
}

/**
 * Defines the data of an entity. From one declaration come the types of its records and inputs, their validation, the
 * query language, and the table.
 *
 * @throws ConfigurationError with every problem of the declaration
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
>(
  name: Name,
  declaration: ModelDeclaration<F, R, Parent>,
): Model<Name, F, R> & { readonly parent: [Parent] extends [never] ? null : Parent } {
  const { fields, relations = {}, indexes = [], parent = null } = declaration;
  const allFields = new Map<string, Field>([['id', id], ...Object.entries(fields), ...Object.entries(moments)]);
  const model: Model = { name, fields, relations, indexes, parent, allFields };
  const problems = findModelProblems(model);
  if (problems.length > 0) throw new ConfigurationError(problems);
  return freeze(model) as ReturnType<typeof defineModel<Name, F, R, Parent>>;
}

const id: Field = field.uuid({ generated: true });

const moments: Fields = {
  createdAt: field.timestamp({ default: 'now', readOnly: true }),
  updatedAt: field.timestamp({ default: 'now', readOnly: true }),
};

function freeze(model: Model): Model {
  for (const each of Object.values(model.fields)) Object.freeze(Object.freeze(each).options);
  for (const each of Object.values(model.relations)) Object.freeze(each);
  for (const each of model.indexes) Object.freeze(each);
  for (const part of [model.fields, model.relations, model.indexes]) Object.freeze(part);
  return Object.freeze(model);
}
