import { type JsonSchema, type NamedSchemas, referredName } from './json-schema.ts';

/**
 * Builds an example for a schema: the schema's own example, or else the simplest value. Undefined if only its author
 * could give one, as for a pattern.
 */
export function sampleOf(schema: JsonSchema, schemas: NamedSchemas, depth = 0): unknown {
  if (depth > maxDepth) return undefined;
  const name = referredName(schema);
  if (name !== undefined) return sampleOf(schemas[name] ?? {}, schemas, depth + 1);
  const given = givenSample(schema);
  if (given !== undefined) return given;
  const [alternative] = (schema['anyOf'] ?? []) as readonly JsonSchema[];
  if (alternative) return sampleOf(alternative, schemas, depth + 1);
  const [type] = [schema['type']].flat();
  if (type === 'object') return sampleObject(schema, schemas, depth);
  if (type === 'array') return sampleArray(schema, schemas, depth);
  return typeof type === 'string' ? sampleScalar(type, schema) : undefined;
}

const maxDepth = 8;

function givenSample({ examples, example, default: fallback, const: only, enum: values }: JsonSchema): unknown {
  const [first] = Array.isArray(examples) ? (examples as readonly unknown[]) : [example];
  const [firstValue] = Array.isArray(values) ? (values as readonly unknown[]) : [];
  return first ?? only ?? fallback ?? firstValue;
}

function sampleObject(schema: JsonSchema, schemas: NamedSchemas, depth: number): unknown {
  const properties = (schema['properties'] ?? {}) as NamedSchemas;
  const required = requiredOf(schema);
  const members: [string, unknown][] = [];
  for (const [name, property] of Object.entries(properties)) {
    if (!required.has(name) && (property['readOnly'] || depth > 1 || schema['maxProperties'] !== undefined)) continue;
    const value = sampleOf(property, schemas, depth + 1);
    if (value !== undefined) members.push([name, value]);
    else if (required.has(name)) return undefined;
  }
  const alternatives = (schema['oneOf'] ?? []) as readonly JsonSchema[];
  const excluded = new Set(alternatives.slice(1).flatMap((each) => [...requiredOf(each)]));
  return Object.fromEntries(members.filter(([name]) => !excluded.has(name)));
}

function requiredOf({ required }: JsonSchema): ReadonlySet<string> {
  return new Set(Array.isArray(required) ? (required as readonly string[]) : []);
}

function sampleArray({ items, minItems, maxItems }: JsonSchema, schemas: NamedSchemas, depth: number): unknown {
  if (maxItems === 0) return [];
  const item = sampleOf((items ?? {}) as JsonSchema, schemas, depth + 1);
  if (item === undefined) return typeof minItems === 'number' && minItems > 0 ? undefined : [];
  return Array.from({ length: Math.max(1, Number(minItems ?? 1)) }, () => item);
}

function sampleScalar(type: string, { format, pattern, minLength, minimum, maximum }: JsonSchema): unknown {
  if (type === 'boolean') return true;
  if (type === 'null') return null;
  if (type === 'integer' || type === 'number') {
    return Math.min(Math.max(1, Number(minimum ?? 1)), Number(maximum ?? Infinity));
  }
  if (typeof format === 'string' && format in formats) return formats[format];
  if (pattern !== undefined) return undefined;
  const text = 'text';
  return text.padEnd(Number(minLength ?? 0), text);
}

const formats: Readonly<Record<string, string>> = {
  uuid: '3f2b6c1e-8d4a-4f7b-9c5d-2e1a0b9c8d7f',
  'date-time': '2026-01-01T12:00:00.000Z',
  date: '2026-01-01',
  email: 'ada@example.com',
  uri: 'https://example.com/',
};
