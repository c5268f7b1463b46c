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
