import { type Entity, type Field, toMaxTextLength } from '@x/entity';
import { arrayOf, type JsonSchema, type NamedSchemas, objectOf, schemaRef } from '../schema/json-schema.ts';
import { orNull, toCellSchema } from './field-schema.ts';
import type { Relations } from './relations.ts';
import { toSchemaName } from './schema-name.ts';

/** What records may contain besides their fields. */
export interface RecordTerms {
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
  return {
    AccessCheck: accessCheck,
    [toSchemaName(name, 'Record')]: objectOf(cells, shown),
    [toSchemaName(name, 'Selected')]: {
      ...objectOf({ ...cells, ...related, ...accessOf(entity, entitlements) }, []),
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
        [toSchemaName(name, 'BulkUpdate')]: objectOf({ ...changes, id: cellOf(entity, 'id') }, ['id']),
      }),
  };
}

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
  description: 'Whether an entitlement is held, and if not, why.',
};

/** The `__access` of a record, if it can have one. */
function accessOf({ recordAccess }: Entity, entitlements: readonly string[]): NamedSchemas {
  const names = new Set([...recordAccess, ...entitlements]);
  if (names.size === 0) return {};
  const checks = [...names].map((name) => [name, schemaRef('AccessCheck')] as const);
  const description = 'What `access` asks for, and what always comes with a record.';
  return { __access: { ...objectOf(Object.fromEntries(checks), recordAccess), description } };
}

const ignored: JsonSchema = {
  readOnly: true,
  description: 'Ignored, so that a record that was read can be sent back.',
};

function cellOf({ model }: Entity, name: string): JsonSchema {
  const field = model.allFields.get(name);
  if (!field) throw new TypeError(`${model.name} has no field ${name}.`);
  return toCellSchema(field, toMaxTextLength(model, name));
}

/** The value of a field in a record, optional if the caller may not read it. */
function shownCell(entity: Entity, name: string): JsonSchema {
  const cell = cellOf(entity, name);
  return entity.fieldRules.read.has(name) ? withNote(cell, 'Left out where the caller may not read it.') : cell;
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
  if (!field || isClosed(field)) return ignored;
  const plain = cellOf(entity, name);
  const cell = fieldRules.write.has(name) ? withNote(plain, 'Refused from callers who may not choose it.') : plain;
  if (field.options.serverValue) {
    return { ...orNull(cell), readOnly: true, description: 'Set by the server; may be sent back unchanged.' };
  }
  if (isUpdate)
    return name === model.parent ? { ...cell, description: 'Set on creation; may be sent back unchanged.' } : cell;
  const { default: fallback } = field.options;
  const isWritten = ['string', 'number', 'boolean'].includes(typeof fallback) && fallback !== 'now';
  return isWritten ? { ...cell, default: fallback } : cell;
}

function toRelatedSchema({ entity, type }: Relations[number]): JsonSchema {
  const record = schemaRef(toSchemaName(entity, 'Selected'));
  const description = 'Where `include` asks for it.';
  if (type === 'many') return { ...arrayOf(record), maxItems: 100, description };
  return { anyOf: [record, { type: 'null' }], description };
}
