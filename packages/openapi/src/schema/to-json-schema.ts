import { z } from 'zod';
import { type JsonSchema, type NamedSchemas, schemaRef } from './json-schema.ts';

/** The options for converting a zod schema. */
export interface ConversionOptions {
  /** `input`: what is sent, before transformations; `output`: what is returned. */
  readonly io: 'input' | 'output';
  /** Schemas that are already in the document, with their names there. */
  readonly known?: ReadonlyMap<z.core.$ZodType, string>;
  /** The prefix for the names of schemas that refer to themselves. */
  readonly prefix: string;
}

/** A converted schema, and the schemas it refers to. */
export interface Conversion {
  readonly schema: JsonSchema;
  readonly schemas: NamedSchemas;
}

/** Converts a zod schema. What JSON Schema can't express, such as a check by a function, is left out. */
export function toJsonSchema(schema: z.core.$ZodType, { io, known, prefix }: ConversionOptions): Conversion {
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
  const rename = (value: unknown): unknown => renamed(value, prefix);
  const lifted = Object.entries($defs).map(([name, each]) => [`${prefix}${name}`, rename(each) as JsonSchema]);
  return { schema: rename(prefixItems?.[0] ?? {}) as JsonSchema, schemas: Object.fromEntries(lifted) };
}

const moment: JsonSchema = { type: 'string', format: 'date-time' };

function replaceBy(target: Record<string, unknown>, schema: JsonSchema): void {
  for (const key of Object.keys(target)) delete target[key];
  Object.assign(target, schema);
}

const ownDefinition = '#/$defs/';

/** Points references to where the definitions are placed. */
function renamed(value: unknown, prefix: string): unknown {
  if (Array.isArray(value)) return value.map((item) => renamed(item, prefix));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, member]) => [
      key,
      key === '$ref' && typeof member === 'string' && member.startsWith(ownDefinition)
        ? schemaRef(`${prefix}${member.slice(ownDefinition.length)}`)['$ref']
        : renamed(member, prefix),
    ]),
  );
}
