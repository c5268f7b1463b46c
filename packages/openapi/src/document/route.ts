import type { ErrorCode } from '@x/errors';
import type { JsonSchema, NamedSchemas } from '../schema/json-schema.ts';
import type { Method, Parameter, SecurityRequirement } from './document.ts';

/** A route as all kinds of them are described, before it becomes an operation of the document. */
export interface Route {
  readonly operationId: string;
  readonly tag: string;
  readonly method: Method;
  /** The whole path; parameters are written `{id}`. */
  readonly path: string;
  readonly summary: string;
  readonly description?: string | undefined;
  readonly security: readonly SecurityRequirement[];
  readonly parameters?: readonly Parameter[];
  readonly body?: { readonly schema: JsonSchema; readonly isRequired: boolean } | undefined;
  readonly answers: readonly RouteAnswer[];
  /** What it refuses with, beside what every route may. */
  readonly errors: readonly ErrorCode[];
}

/** An answer of a route when all is well. */
export interface RouteAnswer {
  readonly status: number;
  readonly description: string;
  /** Absent: there is no body. */
  readonly content?: Readonly<Record<string, JsonSchema | null>> | undefined;
  /** Names of headers beside `X-Request-Id`. */
  readonly headers?: readonly HeaderName[];
  /** The cookies that it sets or clears. */
  readonly cookies?: readonly string[] | undefined;
}

/** The headers of answers. */
export type HeaderName =
  'X-Request-Id' | 'ETag' | 'Location' | 'Retry-After' | 'Allow' | 'Set-Cookie' | 'Cache-Control';

/** Routes of one kind, and the schemas that they refer to. */
export interface RouteGroup {
  readonly tags: readonly { readonly name: string; readonly description: string }[];
  readonly routes: readonly Route[];
  readonly schemas: NamedSchemas;
}

/** What any route that takes no body but writes, or takes one, refuses a body with. */
export const bodyErrors: readonly ErrorCode[] = [
  'CSRF_FAILED',
  'PAYLOAD_TOO_LARGE',
  'UNSUPPORTED_MEDIA_TYPE',
  'INVALID_JSON',
];
