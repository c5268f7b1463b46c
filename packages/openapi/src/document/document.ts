import type { JsonSchema, NamedSchemas } from '../schema/json-schema.ts';

/** An OpenAPI 3.1 document, as far as this package uses the format. */
export interface OpenApiDocument {
  readonly openapi: '3.1.1';
  readonly info: DocumentInfo;
  readonly servers: readonly { readonly url: string; readonly description?: string }[];
  readonly tags: readonly { readonly name: string; readonly description: string }[];
  readonly paths: Readonly<Record<string, Readonly<Partial<Record<Method, Operation>>>>>;
  readonly components: {
    readonly schemas: NamedSchemas;
    readonly responses: Readonly<Record<string, ResponseObject>>;
    readonly parameters: Readonly<Record<string, Parameter>>;
    readonly headers: Readonly<Record<string, Header>>;
    readonly securitySchemes: Readonly<Record<string, object>>;
  };
}

/** Information about the API. */
export interface DocumentInfo {
  readonly title: string;
  readonly version: string;
  readonly description?: string;
  readonly license?: { readonly name: string; readonly identifier?: string; readonly url?: string };
}

/** The methods that routes have. */
export type Method = 'get' | 'post' | 'put' | 'patch' | 'delete';

/** One operation of a path. */
export interface Operation {
  readonly operationId: string;
  readonly tags: readonly string[];
  readonly summary: string;
  readonly description?: string;
  readonly security: readonly SecurityRequirement[];
  readonly parameters?: readonly (Parameter | Reference)[];
  readonly requestBody?: { readonly required: boolean; readonly content: Content };
  readonly responses: Readonly<Record<string, ResponseObject | Reference>>;
}

/** Credentials that are needed together. In a list of requirements, any one is enough. */
export type SecurityRequirement = Readonly<Record<string, readonly never[]>>;

/** Refers to a component; a description replaces the component's own. */
export interface Reference {
  readonly $ref: string;
  readonly description?: string;
}

/** A parameter of an operation. */
export interface Parameter {
  readonly name: string;
  readonly in: 'path' | 'query' | 'header';
  readonly description?: string;
  readonly required?: boolean;
  /** `form`: with `explode`, a list is one parameter for each item; without, one string with commas. */
  readonly style?: 'form';
  readonly explode?: boolean;
  readonly schema: JsonSchema;
  readonly example?: unknown;
}

/** A header of a response. */
export interface Header {
  readonly description: string;
  readonly schema: JsonSchema;
}

/** A response of an operation. */
export interface ResponseObject {
  readonly description: string;
  readonly headers: Readonly<Record<string, Reference>>;
  readonly content?: Content;
}

/** Bodies by their media type. */
export type Content = Readonly<Record<string, Body>>;

interface Body {
  readonly schema?: JsonSchema;
  readonly example?: unknown;
  readonly examples?: Readonly<Record<string, { readonly value: unknown }>>;
}
