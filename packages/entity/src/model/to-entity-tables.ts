import { ConfigurationError, didYouMean } from '@x/errors';
import type { ColumnType, EntityColumn, EntityKey, EntityTable, EntityValue } from '@x/store';
import { type Field, type FieldType, toSourceName } from './field.ts';
import { type JoinedRelation, type Model, referencesTo, type Relation } from './model.ts';

/**
 * Converts the models of an app to the tables that its stores are opened with. References between models are checked
 * here, where all models are known.
 *
 * @throws ConfigurationError with every problem
 * @example
 * ```ts
 * const stores = createMemoryStores({ clock, entities: toEntityTables([notes.model, tasks.model]) });
 * ```
 */
export function toEntityTables(models: readonly Model[]): readonly EntityTable[] {
  const byName = new Map(models.map((model) => [model.name, model]));
  const problems = [...findDuplicates(models), ...models.flatMap((model) => findProblems(model, byName))];
  if (problems.length > 0) throw new ConfigurationError(problems);
  return models.map(toEntityTable);
}

function findDuplicates(models: readonly Model[]): readonly string[] {
  const seen = new Set<string>();
  return models.flatMap(({ name }) => {
    if (seen.has(name)) return [`${name}: two entities have this name`];
    seen.add(name);
    return [];
  });
}

function findProblems(model: Model, models: ReadonlyMap<string, Model>): readonly string[] {
  const { fields, relations } = model;
  const references = Object.entries(fields).flatMap(([member, field]) =>
    findReferenceProblems(model, member, field, models),
  );
  const others = Object.entries(relations).flatMap(([member, relation]) =>
    findRelationProblems(model, relation, models).map((problem) => `${model.name}.${member}: ${problem}`),
  );
  return [...references, ...others];
}

function findRelationProblems(
  { name }: Model,
  relation: Relation,
  models: ReadonlyMap<string, Model>,
): readonly string[] {
  if (relation.type === 'one') return [];
  const { entity } = relation;
  const other = models.get(entity);
  if (!other) return [`there is no entity ${entity}${didYouMean(entity, models.keys())}`];
  if ('through' in relation) return findJoinProblems(name, relation, models);
  const back = referencesTo(name, other);
  return back.includes(relation.field)
    ? []
    : [`${entity}.${relation.field} is not a reference to ${name}${didYouMean(relation.field, back)}`];
}

/** Says why an entity does not join two others: its records refer to one of each by exactly one field. */
function findJoinProblems(
  name: string,
  { entity, through }: JoinedRelation,
  models: ReadonlyMap<string, Model>,
): readonly string[] {
  const join = models.get(through);
  if (!join) return [`there is no entity ${through}${didYouMean(through, models.keys())}`];
  if (name === entity)
    return [`${through} can't join ${name} with itself: nothing says which of its references is which`];
  return [name, entity].flatMap((side) => {
    const [first, ...more] = referencesTo(side, join);
    if (first === undefined) return [`${through} has no reference to ${side}`];
    return more.length === 0 ? [] : [`${through} has several references to ${side}: ${[first, ...more].join(', ')}`];
  });
}

function findReferenceProblems(
  { name }: Model,
  member: string,
  field: Field,
  models: ReadonlyMap<string, Model>,
): readonly string[] {
  const { references } = field.options;
  if (references === undefined) return [];
  const place = `${name}.${member}`;
  const referred = models.get(references);
  if (!referred) return [`${place}: there is no entity ${references}${didYouMean(references, models.keys())}`];
  const wanted = toKey(referred.allFields.get('id')).type;
  return wanted === toKey(field).type
    ? []
    : [`${place}: ids of ${references} are field.${wanted}(), and so is what refers to them`];
}

function toEntityTable(model: Model): EntityTable {
  const { name, allFields, indexes, unique, partialIndexes, renamedFrom, audit, existing } = model;
  const columns = [...allFields]
    .filter(([member]) => member !== 'id')
    .map(([member, field]) => toColumn(member, field));
  const partial = partialIndexes.map(({ fields, ...others }) => ({ columns: fields, ...others }));
  return {
    name,
    columns,
    indexes,
    unique,
    ...(partial.length > 0 && { partialIndexes: partial }),
    ...(renamedFrom !== null && { renamedFrom }),
    ...(audit && { audit }),
    ...(existing && { existing, key: toKey(allFields.get('id')) }),
  };
}

/** Says how the ids that a field holds are stored. */
function toKey(field: Field | undefined): EntityKey {
  return { type: field?.key ?? 'uuid', isGenerated: field?.options.generated === 'database' };
}

function toColumn(name: string, { type, options, decimal, values }: Field): EntityColumn {
  const { nullable = false, unique, references, onDelete = 'restrict', renamedFrom, replacedValues, convert } = options;
  const value = options.default as Exclude<EntityValue, null> | undefined;
  const backfillFrom = toSourceName(options.backfill);
  const backfill = (backfillFrom === null ? options.backfill : undefined) as Exclude<EntityValue, null> | undefined;
  return {
    name,
    type: columnTypes[type],
    nullable,
    ...(decimal && { decimal }),
    ...(value !== undefined && { default: value }),
    ...(unique && { unique }),
    ...(references !== undefined && { references: { entity: references, onDelete } }),
    ...(renamedFrom !== undefined && { renamedFrom }),
    ...(backfill !== undefined && { backfill }),
    ...(backfillFrom !== null && { backfillFrom }),
    ...(values && { values }),
    ...(replacedValues && { replacedValues }),
    ...(convert && { convert: (old) => convert(old) as EntityValue }),
  };
}

const columnTypes: Readonly<Record<FieldType, ColumnType>> = {
  uuid: 'text',
  text: 'text',
  integer: 'integer',
  number: 'number',
  decimal: 'decimal',
  boolean: 'boolean',
  timestamp: 'timestamp',
  date: 'date',
  json: 'json',
  enum: 'text',
};
