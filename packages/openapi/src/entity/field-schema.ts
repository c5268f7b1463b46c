import type { Field, FieldType } from '@x/entity';
import type { JsonSchema } from '../schema/json-schema.ts';
import { toJsonSchema } from '../schema/to-json-schema.ts';

/** What a field of each type may hold, null and enums apart. */
const typeSchemas: Readonly<Record<FieldType, JsonSchema>> = {
  uuid: { type: 'string', format: 'uuid' },
  text: { type: 'string' },
  integer: { type: 'integer', minimum: Number.MIN_SAFE_INTEGER, maximum: Number.MAX_SAFE_INTEGER },
  number: { type: 'number' },
  boolean: { type: 'boolean' },
  timestamp: { type: 'string', format: 'date-time' },
  json: { type: ['string', 'number', 'boolean', 'array', 'object'], items: {}, additionalProperties: true },
  enum: { type: 'string' },
};

/** Builds the schema of what a field may hold, null apart, without what its app asks of it. */
export function toPlainSchema({ type, values }: Field): JsonSchema {
  return type === 'enum' ? { ...typeSchemas.enum, enum: values } : typeSchemas[type];
}

/** Builds the schema of what a record holds in a field. */
export function toCellSchema(field: Field, maxLength?: number): JsonSchema {
  const { nullable, references } = field.options;
  const schema = {
    ...toPlainSchema(field),
    ...(maxLength !== undefined && { maxLength }),
    ...ownTerms(field),
    ...(references !== undefined && { description: `The id of a record of \`${references}\`.` }),
  };
  return nullable ? orNull(schema) : schema;
}

/** What the app asks of a value beyond its type, as far as JSON Schema can say it. */
function ownTerms({ type, options }: Field): JsonSchema {
  if (!options.schema || type === 'timestamp') return {};
  const { schema, schemas } = toJsonSchema(options.schema, { io: 'input', prefix: '' });
  return Object.keys(schemas).length > 0 ? {} : schema;
}

/** Adds null to what a schema of a value allows. */
export function orNull(schema: JsonSchema): JsonSchema {
  const { type, enum: values } = schema;
  if (type === undefined) return { anyOf: [schema, { type: 'null' }] };
  return {
    ...schema,
    type: [...[type].flat(), 'null'],
    ...(Array.isArray(values) && { enum: [...(values as readonly unknown[]), null] }),
  };
}
