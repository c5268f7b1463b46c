import { aggregateTypes, type Entity } from '@x/entity';
import { arrayOf, type JsonSchema, type NamedSchemas, objectOf, schemaRef } from '../schema/json-schema.ts';
import { comparableFields, readableFields } from './query.ts';
import { toPlainSchema, toSchemaName } from './record-schemas.ts';

/** Builds the schemas of an aggregate query, and of its groups. */
export function aggregateSchemas(entity: Entity): NamedSchemas {
  const { name } = entity;
  const fields = comparableFields(entity);
  const groupBy = { ...arrayOf({ type: 'string', enum: fields.map(([field]) => field) }), maxItems: 3 };
  const functions = Object.entries(aggregateTypes).flatMap(([called, types]): JsonSchema[] => {
    const accepted = readableFields(entity).filter(([, { type }]) => types.has(type));
    if (accepted.length === 0) return [];
    const names: JsonSchema = { type: 'string', enum: accepted.map(([field]) => field) };
    const operand = called === 'count' ? { anyOf: [names, everyRecord] } : names;
    return [objectOf({ [called]: operand }, [called])];
  });
  const measures = {
    type: 'object',
    additionalProperties: { anyOf: functions },
    minProperties: 1,
    maxProperties: 10,
    description: 'What to compute of each group, by names other than `key`.',
    examples: [{ total: { count: true } }],
  };
  const cells = fields.map(
    ([field, declared]) => [field, { anyOf: [toPlainSchema(declared), { type: 'null' }] }] as const,
  );
  const group = {
    type: 'object',
    properties: { key: objectOf(Object.fromEntries(cells), []) },
    required: ['key'],
    additionalProperties: { type: ['number', 'string', 'boolean', 'null'] },
    description: 'The values that the records share, and what was computed.',
  };
  return {
    [toSchemaName(name, 'Aggregate')]: objectOf({ where: schemaRef(toSchemaName(name, 'Where')), groupBy, measures }, [
      'measures',
    ]),
    [toSchemaName(name, 'Groups')]: objectOf({ groups: { ...arrayOf(group), maxItems: 1000 } }),
  };
}

const everyRecord: JsonSchema = { type: 'boolean', enum: [true] };
