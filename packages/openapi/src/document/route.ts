import type { ErrorCode } from '@x/errors';
import type { JsonSchema, NamedSchemas } from '../schema/json-schema.ts';
import type { Method, Parameter, SecurityRequirement } from './document.ts';

/** A route of any kind, before it becomes an operation of the document. */
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
  /** The errors it responds with, besides those of every route. */
  readonly errors: readonly ErrorCode[];
}

/** The successful answer of a route. */
export interface RouteAnswer {
  readonly status: number;
  readonly description: string;
  /** Absent if there is no body. */
  readonly content?: Readonly<Record<string, JsonSchema | null>> | undefined;
  /** The names of headers other than `X-Request-Id`. */
  readonly headers?: readonly HeaderName[];
  /** The cookies that it sets or clears. */
  readonly cookies?: readonly string[] | undefined;
}

/** The headers of responses. */
export type HeaderName =
  'X-Request-Id' | 'ETag' | 'Location' | 'Retry-After' | 'Allow' | 'Set-Cookie' | 'Cache-Control';

/** Routes of one kind, and the schemas that they refer to. */
export interface RouteGroup {
  readonly tags: readonly { readonly name: string; readonly description: string }[];
  readonly routes: readonly Route[];
  readonly schemas: NamedSchemas;
}

/** The errors about bodies, for routes that write or take one. */
export const bodyErrors: readonly ErrorCode[] = [
  'CSRF_FAILED',
  'PAYLOAD_TOO_LARGE',
  'UNSUPPORTED_MEDIA_TYPE',
  'INVALID_JSON',
];
