import type { Field, FieldType } from '@x/entity';
import type { JsonSchema } from '../schema/json-schema.ts';
import { toJsonSchema } from '../schema/to-json-schema.ts';

/** The schema of each field type, except enums and null. */
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

/** Builds the schema of a field's value from its type alone, without null. */
export function toPlainSchema({ type, values }: Field): JsonSchema {
  return type === 'enum' ? { ...typeSchemas.enum, enum: values } : typeSchemas[type];
}

/** Builds the schema of a field's value in a record. */
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

/** The constraints that the app adds to the type, as far as JSON Schema can express them. */
function ownTerms({ type, options }: Field): JsonSchema {
  if (!options.schema || type === 'timestamp') return {};
  const { schema, schemas } = toJsonSchema(options.schema, { io: 'input', prefix: '' });
  return Object.keys(schemas).length > 0 ? {} : schema;
}

/** Adds null to the values that a schema allows. */
export function orNull(schema: JsonSchema): JsonSchema {
  const { type, enum: values } = schema;
  if (type === undefined) return { anyOf: [schema, { type: 'null' }] };
  return {
    ...schema,
    type: [...[type].flat(), 'null'],
    ...(Array.isArray(values) && { enum: [...(values as readonly unknown[]), null] }),
  };
}
