import type { StandardSchema } from '@x/errors';
import { z } from 'zod';

/** A JSON Schema of draft 2020-12, the dialect of OpenAPI 3.1, as plain data. */
export interface JsonSchema {
  readonly [keyword: string]: unknown;
}

/** Schemas by their names in the document. */
export type NamedSchemas = Readonly<Record<string, JsonSchema>>;

/** Refers to a schema of the document by its name. */
export function schemaRef(name: string): JsonSchema {
  return { $ref: `${schemaPrefix}${name}` };
}

/** Returns the name in a reference to a schema of the document; undefined for any other schema. */
export function referredName({ $ref }: JsonSchema): string | undefined {
  return typeof $ref === 'string' && $ref.startsWith(schemaPrefix) ? $ref.slice(schemaPrefix.length) : undefined;
}

const schemaPrefix = '#/components/schemas/';

/** Builds the schema of an object with these members and no others. */
export function objectOf(properties: NamedSchemas, required: readonly string[] = Object.keys(properties)): JsonSchema {
  return {
    type: 'object',
    ...(required.length > 0 && { required }),
    properties,
    additionalProperties: false,
  };
}

/** Builds the schema of a list. */
export function arrayOf(items: JsonSchema): JsonSchema {
  return { type: 'array', items };
}

/** The options for converting a zod schema. */
interface ConversionOptions {
  /** `input`: the value that is sent, before transformations; `output`: the value that is returned. */
  readonly io: 'input' | 'output';
  /** Schemas that are already in the document, with their names there. */
  readonly known?: ReadonlyMap<z.core.$ZodType, string>;
  /** The prefix for the names of schemas that refer to themselves. */
  readonly prefix: string;
}

/** A converted schema, and the schemas it refers to. */
interface Conversion {
  readonly schema: JsonSchema;
  readonly schemas: NamedSchemas;
}

/**
 * Converts a schema of zod, or of another library that implements Standard JSON Schema; one that does not allows
 * anything. Constraints that JSON Schema can't express, such as a check by a function, are left out.
 */
export function toJsonSchema(schema: z.core.$ZodType | StandardSchema, options: ConversionOptions): Conversion {
  if ('_zod' in schema) return convertZod(schema, options);
  return { schema: schema['~standard'].jsonSchema?.[options.io]({ target: 'draft-2020-12' }) ?? {}, schemas: {} };
}

function convertZod(schema: z.core.$ZodType, { io, known, prefix }: ConversionOptions): Conversion {
  // Wrapped in another schema, so that one that refers to itself gets a name, too.
  const converted = z.toJSONSchema(z.tuple([schema as z.ZodType]), {
    target: 'draft-2020-12',
    io,
    unrepresentable: 'any',
    override: (context) => {
      const name = known?.get(context.zodSchema);
      if (name !== undefined) replaceBy(context.jsonSchema, schemaRef(name));
      else if (context.zodSchema._zod.def.type === 'date') replaceBy(context.jsonSchema, moment);
      // Its format says the same.
      if (context.jsonSchema.format === 'date-time') delete context.jsonSchema.pattern;
    },
  });
  const { prefixItems, $defs = {} } = converted as {
    readonly prefixItems?: readonly JsonSchema[];
    readonly $defs?: NamedSchemas;
  };
  const lift = (schema: JsonSchema): JsonSchema => mapReferences(schema, (reference) => toLifted(reference, prefix));
  const lifted = Object.entries($defs).map(([name, each]) => [`${prefix}${name}`, lift(each)]);
  return { schema: lift(prefixItems?.[0] ?? {}), schemas: Object.fromEntries(lifted) };
}

const moment: JsonSchema = { type: 'string', format: 'date-time' };

function replaceBy(target: Record<string, unknown>, schema: JsonSchema): void {
  for (const key of Object.keys(target)) delete target[key];
  Object.assign(target, schema);
}

const ownDefinition = '#/$defs/';

/** Points a reference to where the definitions are placed. */
function toLifted(reference: string, prefix: string): string {
  if (!reference.startsWith(ownDefinition)) return reference;
  return `${schemaPrefix}${prefix}${reference.slice(ownDefinition.length)}`;
}

/** Copies plain data, with other references in it. */
export function mapReferences<T>(value: T, map: (reference: string) => string): T {
  return copyWith(value, map) as T;
}

function copyWith(value: unknown, map: (reference: string) => string): unknown {
  if (Array.isArray(value)) return value.map((item: unknown) => copyWith(item, map));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, member]) => [
      key,
      key === '$ref' && typeof member === 'string' ? map(member) : copyWith(member, map),
    ]),
  );
}
