import { type Entity, type Field, type FieldType, isMovable, toMaxTextLength } from '@x/entity';
import type { DecimalSize } from '@x/store';
import {
  arrayOf,
  type JsonSchema,
  type NamedSchemas,
  objectOf,
  schemaRef,
  toJsonSchema,
} from '../schema/json-schema.ts';

/** The members that records may have besides their fields. */
interface RecordTerms {
  readonly relations: Relations;
  /** The entitlements that can be checked on a record. */
  readonly entitlements: readonly string[];
}

/** Builds the schemas of an entity's records: complete, as requested, and in pages. */
export function recordSchemas(entity: Entity, { relations, entitlements }: RecordTerms): NamedSchemas {
  const { name, visibleFields, fieldRules } = entity;
  const cells = Object.fromEntries(visibleFields.map((field) => [field, shownCell(entity, field)]));
  const shown = visibleFields.filter((field) => !fieldRules.read.has(field));
  const related = Object.fromEntries(relations.map((relation) => [relation.name, toRelatedSchema(relation)]));
  const access = accessOf(entity, entitlements);
  return {
    AccessCheck: accessCheck,
    RecordId: recordId,
    [toSchemaName(name, 'Record')]: objectOf({ ...cells, ...access }, shown),
    [toSchemaName(name, 'Selected')]: {
      ...objectOf({ ...cells, ...related, ...includeMetaOf(relations), ...access }, []),
      description: 'A record with the fields of `select` (all of them without it) and the relations of `include`.',
    },
    [toSchemaName(name, 'Page')]: objectOf(
      {
        items: arrayOf(schemaRef(toSchemaName(name, 'Selected'))),
        nextCursor: { type: ['string', 'null'], description: 'For `after`; null on the last page.' },
        hasNextPage: { type: 'boolean' },
        total: { type: 'integer', minimum: 0, description: 'Of all pages; only with `count`.' },
      },
      ['items', 'nextCursor', 'hasNextPage'],
    ),
  };
}

/** Builds the schemas of the inputs that create and change a record. */
export function inputSchemas(entity: Entity): NamedSchemas {
  const { name, model } = entity;
  const own = [...model.allFields].filter(([, { options }]) => !options.hidden);
  const created = own.map(([field]) => [field, toInput(entity, field, false)] as const);
  const updated = own.map(([field]) => [field, toInput(entity, field, true)] as const);
  const required = own.filter(([, field]) => isRequired(field)).map(([field]) => field);
  const changes: NamedSchemas = { ...Object.fromEntries(updated), __access: ignored };
  return {
    ...(entity.rules.has('create') && {
      [toSchemaName(name, 'Create')]: objectOf({ ...Object.fromEntries(created), __access: ignored }, required),
    }),
    ...(entity.rules.has('update') && { [toSchemaName(name, 'Update')]: objectOf(changes, []) }),
    ...(entity.rules.has('update') &&
      entity.rules.has('bulk') && {
        [toSchemaName(name, 'BulkItem')]: objectOf({ ...changes, id: cellOf(entity, 'id'), ifMatch: itemIfMatch }, [
          'id',
        ]),
      }),
  };
}

/** The schema of the condition of one bulk item. */
export const itemIfMatch: JsonSchema = {
  type: 'string',
  description: 'What `If-Match` is to a single change. Default: any version.',
  examples: ['"1"'],
};

const recordId: JsonSchema = {
  ...objectOf({ id: { type: 'string' } }),
  description: 'Of a record that the caller may write but not read.',
};

const reason: JsonSchema = { type: 'string', examples: ['role_required'] };

const accessCheck: JsonSchema = {
  ...objectOf(
    {
      allowed: { type: 'boolean' },
      reasons: { ...arrayOf(reason), description: 'All reasons for a denial, the most actionable first.' },
      reason,
      meta: { type: 'object', additionalProperties: true, description: 'What would change a denial.' },
    },
    ['allowed', 'reasons'],
  ),
  description: 'Whether the caller has the entitlement, and if not, why.',
};

/** The `__access` of a record, if it can have one. */
function accessOf({ recordAccess }: Entity, entitlements: readonly string[]): NamedSchemas {
  const names = new Set([...recordAccess, ...entitlements]);
  if (names.size === 0) return {};
  const checks = [...names].map((name) => [name, schemaRef('AccessCheck')] as const);
  const description = 'The entitlements that `access` names, and those that are part of every record that is read.';
  return { __access: { ...objectOf(Object.fromEntries(checks), recordAccess), description } };
}

const ignored: JsonSchema = {
  readOnly: true,
  description: 'Ignored, so that a record that was read can be sent back.',
};

function cellOf({ model }: Entity, name: string): JsonSchema {
  const field = model.allFields.get(name);
  if (!field) throw new TypeError(`${model.name} has no field ${name}: declare it, or correct the name.`);
  return toCellSchema(field, toMaxTextLength(model, name));
}

/** The value of a field in a record, optional if the caller may not read it. */
function shownCell(entity: Entity, name: string): JsonSchema {
  const cell = cellOf(entity, name);
  return entity.fieldRules.read.has(name) ? withNote(cell, 'Left out if the caller may not read it.') : cell;
}

function withNote(schema: JsonSchema, note: string): JsonSchema {
  const { description } = schema;
  return { ...schema, description: typeof description === 'string' ? `${description} ${note}` : note };
}

function isClosed({ options }: Field): boolean {
  return Boolean(options.readOnly || options.generated);
}

function isRequired(field: Field): boolean {
  const { nullable, default: fallback, serverValue } = field.options;
  return !isClosed(field) && !serverValue && !nullable && fallback === undefined;
}

function toInput(entity: Entity, name: string, isUpdate: boolean): JsonSchema {
  const { model, fieldRules } = entity;
  const field = model.allFields.get(name);
  if (!field || isClosed(field) || (isUpdate && name === 'id')) return ignored;
  const plain = cellOf(entity, name);
  const cell = fieldRules.write.has(name) ? withNote(plain, 'Refused if the caller may not write it.') : plain;
  if (field.options.serverValue) {
    return { ...orNull(cell), readOnly: true, description: 'Set by the server; may be sent back unchanged.' };
  }
  if (isUpdate) return model.parents.includes(name) ? withNote(cell, parentNote(entity)) : cell;
  const { default: fallback } = field.options;
  const isWritten = ['string', 'number', 'boolean'].includes(typeof fallback) && fallback !== 'now';
  return isWritten ? { ...cell, default: fallback } : cell;
}

/** Says what a change of the parent does. */
function parentNote(entity: Entity): string {
  return isMovable(entity)
    ? 'A change moves the record, by the rules of deleting it at its old place and creating it at the new one.'
    : 'Set on creation; may be sent back unchanged.';
}

function toRelatedSchema({ entity, type }: Relations[number]): JsonSchema {
  const record = schemaRef(toSchemaName(entity, 'Selected'));
  const description = 'Present if `include` names it.';
  if (type === 'many') return { ...arrayOf(record), maxItems: 100, description };
  return { anyOf: [record, { type: 'null' }], description };
}

/** The `includeMeta` of a record, if it can have one. */
function includeMetaOf(relations: Relations): NamedSchemas {
  const many = relations.filter(({ type }) => type === 'many');
  if (many.length === 0) return {};
  const cut = objectOf({ hasMore: { type: 'boolean', const: true } });
  const description = 'Of which relations there are more records than the 100 that are shown; the others are left out.';
  return { includeMeta: { ...objectOf(Object.fromEntries(many.map(({ name }) => [name, cut])), []), description } };
}

/** The schema of each field type, except enums and null. */
const typeSchemas: Readonly<Record<FieldType, JsonSchema>> = {
  uuid: { type: 'string', format: 'uuid' },
  text: { type: 'string' },
  integer: { type: 'integer', minimum: Number.MIN_SAFE_INTEGER, maximum: Number.MAX_SAFE_INTEGER },
  number: { type: 'number' },
  boolean: { type: 'boolean' },
  decimal: { type: 'string' },
  timestamp: { type: 'string', format: 'date-time' },
  date: { type: 'string', format: 'date' },
  json: { type: ['string', 'number', 'boolean', 'array', 'object'], items: {}, additionalProperties: true },
  enum: { type: 'string' },
};

/** The schemas of ids that are no uuids. */
const keySchemas: Readonly<Record<'integer' | 'text', JsonSchema>> = {
  integer: { type: 'string', pattern: String.raw`^(0|-?[1-9]\d{0,18})$` },
  text: { type: 'string', minLength: 1, maxLength: 600 },
};

/** Builds the schema of the ids of an entity. */
export function toIdSchema({ model }: Entity): JsonSchema {
  const field = model.allFields.get('id');
  return field ? toPlainSchema(field) : { type: 'string' };
}

/** Builds the schema of a field's value from its type alone, without null. */
export function toPlainSchema({ type, values, decimal, key }: Field): JsonSchema {
  if (decimal) return toDecimalSchema(decimal);
  if (key !== undefined) return keySchemas[key];
  return type === 'enum' ? { ...typeSchemas.enum, enum: values } : typeSchemas[type];
}

function toDecimalSchema({ precision, scale }: DecimalSize): JsonSchema {
  const whole = precision > scale ? `\\d{1,${precision - scale}}` : '0';
  const example = scale === 0 ? '1' : `0.${'5'.padEnd(scale, '0')}`;
  return {
    ...typeSchemas.decimal,
    pattern: `^-?${whole}${scale === 0 ? '' : `(\\.\\d{1,${scale}})?`}$`,
    examples: [example],
  };
}

/** Builds the schema of a field's value in a record. */
function toCellSchema(field: Field, maxLength?: number): JsonSchema {
  const { nullable, references } = field.options;
  const schema = {
    ...toPlainSchema(field),
    ...(maxLength !== undefined && { maxLength }),
    ...ownTerms(field),
    ...(references !== undefined && { description: `The id of a record of \`${references}\`.` }),
  };
  return nullable ? orNull(schema) : schema;
}

/** The constraints that the app adds to the type, as far as JSON Schema can express them. */
function ownTerms({ type, options }: Field): JsonSchema {
  if (!options.schema || type === 'timestamp') return {};
  const { schema, schemas } = toJsonSchema(options.schema, { io: 'input', prefix: '' });
  return Object.keys(schemas).length > 0 ? {} : schema;
}

/** Adds null to the values that a schema allows. */
function orNull(schema: JsonSchema): JsonSchema {
  const { type, enum: values } = schema;
  if (type === undefined) return { anyOf: [schema, { type: 'null' }] };
  return {
    ...schema,
    type: [...[type].flat(), 'null'],
    ...(Array.isArray(values) && { enum: [...(values as readonly unknown[]), null] }),
  };
}

/**
 * Builds the name of an entity's schema: `extra-notes` and `Page` become `ExtraNotesPage`. Two entities never share
 * one, because a hyphen that no letter follows becomes an underscore, and no part ends in another.
 */
export function toSchemaName(owner: string, part: string): string {
  const words = owner.replaceAll(/-(.?)/g, (_, next: string) => (/[a-z]/.test(next) ? next.toUpperCase() : `_${next}`));
  return `${words[0]?.toUpperCase() ?? ''}${words.slice(1)}${part}`;
}

/** The relations of an entity that callers may include. */
export type Relations = readonly {
  readonly name: string;
  readonly type: 'many' | 'one';
  /** The entity that it leads to. */
  readonly entity: string;
}[];

/** Finds the relations to records that callers can read. */
export function findRelations({ model }: Entity, entities: readonly Entity[]): Relations {
  const readable = new Set(
    entities.filter(({ rules }) => rules.has('get') || rules.has('list')).map(({ name }) => name),
  );
  return Object.entries(model.relations).flatMap(([name, relation]) => {
    const entity = relation.type === 'many' ? relation.entity : model.fields[relation.field]?.options.references;
    const isReadable = 'through' in relation ? readable.has(relation.through) : true;
    return entity !== undefined && isReadable && readable.has(entity) ? [{ name, type: relation.type, entity }] : [];
  });
}

/** An entity that a `belongsTo` relation leads to, whose fields filters may refer to. */
export interface ReferredTo {
  readonly relation: string;
  /** The field that refers to it. */
  readonly reference: string;
  readonly entity: Entity;
}

/** Finds the entities that callers can read of those that records refer to. */
export function findReferredTo(entity: Entity, entities: readonly Entity[]): readonly ReferredTo[] {
  return findRelations(entity, entities).flatMap(({ name, entity: target }) => {
    const relation = entity.model.relations[name];
    const other = entities.find((each) => each.name === target);
    return relation?.type === 'one' && other ? [{ relation: name, reference: relation.field, entity: other }] : [];
  });
}

/** Lists the paths of relations that a query may include, of one or two steps. */
export function toIncludePaths(entity: Entity, entities: readonly Entity[]): readonly string[] {
  return findRelations(entity, entities).flatMap(({ name, entity: target }) => {
    const related = entities.find((each) => each.name === target);
    const further = related ? findRelations(related, entities) : [];
    return [name, ...further.map((step) => `${name}.${step.name}`)];
  });
}
