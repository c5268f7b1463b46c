import type { AuthDescription, AuthRoute } from '@x/auth';
import type { ErrorCode } from '@x/errors';
import type { Parameter, SecurityRequirement } from './document/document.ts';
import {
  type HeaderName,
  ifNoneMatch,
  pageSecurity,
  readSecurity,
  type Route,
  type RouteGroup,
  type RouteResponse,
  toPathTemplate,
  writeErrors,
  writeSecurity,
} from './document/route.ts';
import { type JsonSchema, type NamedSchemas, toJsonSchema } from './schema/json-schema.ts';

const tag = 'auth';

/** Describes the routes of auth. */
export function describeAuthRoutes({ basePath, cookiePrefix, routes, schemas }: AuthDescription): RouteGroup {
  const known = new Map(Object.entries(schemas).map(([name, schema]) => [schema, name]));
  const lifted: Record<string, JsonSchema> = {};
  const convert: Convert = (schema, io, prefix) => {
    const converted = toJsonSchema(schema, { io, known, prefix });
    Object.assign(lifted, converted.schemas);
    return converted.schema;
  };
  const named = Object.entries(schemas).map(([name, schema]) => {
    const converted = toJsonSchema(schema, { io: 'output', prefix: name });
    Object.assign(lifted, converted.schemas);
    return [name, converted.schema] as const;
  });
  return {
    tags: [{ name: tag, description: 'Accounts, sessions and second factors.' }],
    routes: routes.map((route) => toRoute(route, { basePath, cookiePrefix }, convert)),
    schemas: { ...(Object.fromEntries(named) satisfies NamedSchemas), ...lifted },
  };
}

type Convert = (
  schema: NonNullable<AuthRoute['input']>['schema'],
  io: 'input' | 'output',
  prefix: string,
) => JsonSchema;

function toRoute(
  route: AuthRoute,
  { basePath, cookiePrefix }: Pick<AuthDescription, 'basePath' | 'cookiePrefix'>,
  convert: Convert,
): Route {
  const { name, method, path, summary, description, input, response } = route;
  const prefix = `Auth${name[0]?.toUpperCase() ?? ''}${name.slice(1)}`;
  return {
    operationId: `auth.${name}`,
    tag,
    method,
    path: `${basePath}${toPathTemplate(path)}`,
    summary,
    description,
    security: toSecurity(route),
    parameters: toParameters(route, (schema) => convert(schema, 'input', prefix)),
    body: input && {
      schema: convert(input.schema, 'input', `${prefix}Input`),
      isRequired: !input.isOptional,
      ...(input.encoding === 'form' && { mediaType: 'application/x-www-form-urlencoded' }),
    },
    responses: toResponses(response, cookiePrefix, (schema) => convert(schema, 'output', `${prefix}Result`)),
    errors: toErrors(route),
  };
}

function toSecurity({ csrf, caller }: AuthRoute): readonly SecurityRequirement[] {
  if (caller === 'refresh-token') return pageSecurity.refresh;
  if (caller === 'challenge') return pageSecurity.challenge;
  if (caller === 'session-owner') return pageSecurity.owner;
  if (csrf === 'none') return readSecurity[caller];
  if (csrf === 'required') return pageSecurity[caller === 'user' ? 'user' : 'anyone'];
  return writeSecurity[caller === 'user' ? 'user' : 'visitor'];
}

function toErrors({ csrf, caller, input, errors = [] }: AuthRoute): readonly ErrorCode[] {
  return [
    ...errors,
    ...(caller === 'user' || caller === 'session-owner' ? (['UNAUTHENTICATED'] as const) : []),
    ...(caller === 'session-owner' ? (['SESSION_EXPIRED'] as const) : []),
    'INVALID_QUERY',
    ...(csrf === 'none' ? [] : writeErrors),
    ...(csrf === 'none' && input ? readErrors : []),
  ];
}

/** The errors of a body that a page of any site may send. */
const readErrors: readonly ErrorCode[] = writeErrors.filter((code) => code !== 'CSRF_FAILED');

function toParameters(
  { parameters = {}, query = {}, response }: AuthRoute,
  convert: (schema: NonNullable<AuthRoute['parameters']>[string]) => JsonSchema,
): readonly Parameter[] {
  const inPath = Object.entries(parameters).map(([name, schema]): Parameter => ({
    name,
    in: 'path',
    required: true,
    schema: convert(schema),
  }));
  const inQuery = Object.entries(query).map(([name, schema]): Parameter => {
    const { description, ...rest } = convert(schema);
    return { name, in: 'query', ...(typeof description === 'string' && { description }), schema: rest };
  });
  return [...inPath, ...inQuery, ...(response.isConditional ? [ifNoneMatch] : [])];
}

function toResponses(
  response: AuthRoute['response'],
  cookiePrefix: string,
  convert: (schema: never) => JsonSchema,
): readonly RouteResponse[] {
  const { status, description, schema, page, isConditional } = response;
  const cookies = response.cookies?.map((part) => `${cookiePrefix}.${part}`);
  const headers: HeaderName[] = [
    ...cacheHeaders,
    ...(status === 302 || status === 303 ? (['Location'] as const) : []),
    ...(isConditional ? (['ETag'] as const) : []),
  ];
  const content = schema && { 'application/json': convert(schema as never) };
  const main = { status, description, content, headers, cookies };
  return [
    ...(page === undefined ? [] : [{ status: 200, description: page, content: pageContent, headers: cacheHeaders }]),
    main,
    ...(isConditional ? [{ status: 304, description: 'Unchanged.', headers }] : []),
  ];
}

const cacheHeaders: readonly HeaderName[] = ['Cache-Control'];

const pageContent: NonNullable<RouteResponse['content']> = { 'text/html': { type: 'string' } };
