import type { ErrorCode } from '@x/errors';
import type { JsonSchema, NamedSchemas } from '../schema/json-schema.ts';
import type { Method, Parameter, Reference, SecurityRequirement } from './document.ts';

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
  readonly body?:
    { readonly schema: JsonSchema; readonly isRequired: boolean; readonly mediaType?: string } | undefined;
  readonly responses: readonly RouteResponse[];
  /** The errors it responds with, besides those of every route. */
  readonly errors: readonly ErrorCode[];
}

/** The successful response of a route. */
export interface RouteResponse {
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

/** The errors of every route that writes or takes a body. */
export const writeErrors: readonly ErrorCode[] = [
  'CSRF_FAILED',
  'REQUEST_TIMEOUT',
  'PAYLOAD_TOO_LARGE',
  'UNSUPPORTED_MEDIA_TYPE',
  'INVALID_JSON',
  'INVALID_QUERY',
  'VALIDATION_FAILED',
];

/** Writes the parameters of a path as OpenAPI does: `/notes/{id}` for `/notes/:id`. */
export function toPathTemplate(path: string): string {
  return path.replaceAll(/:(\w+)/g, '{$1}');
}

/** The header that makes a write conditional. */
export const ifMatch: Parameter = {
  name: 'If-Match',
  in: 'header',
  description: 'One or more `ETag`s, or `*`: nothing is done unless one of them is that of the record.',
  schema: { type: 'string' },
  example: '"1"',
};

/** The header that makes a response conditional. */
export const ifNoneMatch: Parameter = {
  name: 'If-None-Match',
  in: 'header',
  description: 'One or more `ETag`s: if one of them is current, the response is 304.',
  schema: { type: 'string' },
  example: '"1"',
};

const csrf = { csrf: [] } as const;

/**
 * Lists the ways to authenticate.
 *
 * @param prefix - the prefix of the names of the cookies
 */
export function toSecuritySchemes(prefix: string): Readonly<Record<string, object>> {
  return {
    session: {
      type: 'apiKey',
      in: 'cookie',
      name: `${prefix}.sid`,
      description: 'The JWT of a session, as sign-in and refresh set it. It is valid for a minute by default.',
    },
    bearer: {
      type: 'http',
      scheme: 'bearer',
      bearerFormat: 'JWT',
      description: `The same JWT in \`Authorization\`, if no \`${prefix}.sid\` is sent.`,
    },
    refresh: {
      type: 'apiKey',
      in: 'cookie',
      name: `${prefix}.ref`,
      description: 'The refresh token of a session, valid for one refresh.',
    },
    challenge: {
      type: 'apiKey',
      in: 'cookie',
      name: `${prefix}.mfa`,
      description: 'The challenge of a sign-in that requires the second factor.',
    },
    csrf: {
      type: 'apiKey',
      in: 'header',
      name: 'X-APP-Request',
      description:
        'Always `1`. `Origin` (or `Referer`) must be an origin of the app as well; browsers send that by themselves.',
    },
  };
}

/** The security of routes that only read. */
export const readSecurity: Readonly<Record<'anyone' | 'visitor' | 'user', readonly SecurityRequirement[]>> = {
  anyone: [],
  visitor: [{}, { session: [] }, { bearer: [] }],
  user: [{ session: [] }, { bearer: [] }],
};

/** The security of routes that write and accept a bearer token instead of the proof of the page. */
export const writeSecurity: Readonly<Record<'visitor' | 'user', readonly SecurityRequirement[]>> = {
  visitor: [csrf, { session: [], ...csrf }, { bearer: [] }],
  user: [{ session: [], ...csrf }, { bearer: [] }],
};

/** The security of routes that only pages of the app may call. */
export const pageSecurity: Readonly<
  Record<'anyone' | 'user' | 'owner' | 'refresh' | 'challenge', readonly SecurityRequirement[]>
> = {
  anyone: [csrf],
  user: [
    { session: [], ...csrf },
    { bearer: [], ...csrf },
  ],
  owner: [
    { session: [], refresh: [], ...csrf },
    { bearer: [], refresh: [], ...csrf },
  ],
  refresh: [{ refresh: [], ...csrf }],
  challenge: [{ challenge: [], ...csrf }],
};

/** The parameters that routes share. */
export const sharedParameters: Readonly<Record<string, Parameter>> = {
  AppRequest: {
    name: 'X-APP-Request',
    in: 'header',
    required: true,
    description: 'Shows that a page of the app sent the request.',
    schema: { type: 'string', enum: ['1'] },
    example: '1',
  },
  AppRequestUnlessBearer: {
    name: 'X-APP-Request',
    in: 'header',
    description:
      'Shows that a page of the app sent the request. Not needed with a bearer token and without cookies of the app.',
    schema: { type: 'string', enum: ['1'] },
    example: '1',
  },
};

/** Returns the parameters that prove which page sent the request, if any of the ways to authenticate needs them. */
export function proofParameters(security: readonly SecurityRequirement[]): readonly Reference[] {
  const proving = security.filter((requirement) => 'csrf' in requirement);
  if (proving.length === 0) return [];
  const name = proving.length === security.length ? 'AppRequest' : 'AppRequestUnlessBearer';
  return [{ $ref: `#/components/parameters/${name}` }];
}

/** The id of a record in a path. */
export const idParameter: Parameter = {
  name: 'id',
  in: 'path',
  required: true,
  description: 'The id of a record.',
  schema: { type: 'string', format: 'uuid' },
};
