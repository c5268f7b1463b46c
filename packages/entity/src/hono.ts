import { anonymous, type RuleCaller } from '@x/access';
import { type Awaitable, CodedError, isPrototypeKey, type OptionNames, refuseUnknownOptions } from '@x/errors';
import {
  defaultBodyLimit,
  readJson,
  readNothing,
  renderCompressible,
  renderJson,
  requestPath,
  type ResponseHeaders,
} from '@x/http';
import type { Context, Handler, Hono, MiddlewareHandler } from 'hono';
import type { ContentfulStatusCode } from 'hono/utils/http-status';
import type { Entities } from './create-entities.ts';
import { type Endpoint, type EndpointResponse, endpointsOf, endpointsOfService } from './http/endpoints.ts';
import type { IfMatch } from './operation/mutate.ts';
import { openScope, type Scope } from './operation/scope.ts';
import { toQueryObject } from './query/parse-list-query.ts';

/** What the routes need from the app around them. */
export interface EntityRouteOptions {
  /** Returns who sent a request; null for an anonymous caller. */
  readonly callerOf: (c: Context) => Awaitable<RuleCaller | null>;
  /** Middleware that runs before every route that writes: a body limit and CSRF protection. */
  readonly guards: readonly [MiddlewareHandler, MiddlewareHandler];
  /** The most bytes that a request body may have. Default 262,144. */
  readonly bodyLimit?: number;
}

const optionNames: OptionNames<EntityRouteOptions> = { callerOf: true, guards: true, bodyLimit: true };

/**
 * Adds the routes of entities and services to an app at `/api`. The app's `onError` must render coded errors, and its
 * responses below these paths must say `Cache-Control: private, no-store`. An operation without a rule has no route.
 *
 * @throws ConfigurationError naming every unknown option
 * @example
 * ```ts
 * addEntityRoutes(app.basePath('/api'), entities, { callerOf, guards });
 * ```
 */
export function addEntityRoutes(app: Hono, { context }: Entities, options: EntityRouteOptions): void {
  refuseUnknownOptions(options, optionNames);
  const { callerOf, guards, bodyLimit = defaultBodyLimit } = options;
  const open = (caller: RuleCaller | null): Scope =>
    openScope(context, { type: 'caller', caller: caller ?? anonymous });
  const openRequest = (c: Context): Awaitable<Scope> => {
    const caller = callerOf(c);
    return caller instanceof Promise ? caller.then(open) : open(caller);
  };
  const endpoints = [
    ...[...context.entities.values()].flatMap(endpointsOf),
    ...[...context.services.values()].flatMap(endpointsOfService),
  ];
  for (const endpoint of endpoints) {
    const handler = toHandler(endpoint, openRequest, bodyLimit);
    if (endpoint.method === 'GET') app.get(endpoint.path, handler);
    else app.on(endpoint.method, endpoint.path, ...guards, handler);
  }
}

/** The body is read before the caller is, and the query after. */
function toHandler(endpoint: Endpoint, openRequest: (c: Context) => Awaitable<Scope>, bodyLimit: number): Handler {
  const { reads, readsIfMatch } = endpoint;
  return async (c) => {
    const body = reads === 'query' ? undefined : await readInput(c, endpoint, bodyLimit);
    const opened = openRequest(c);
    const scope = opened instanceof Promise ? await opened : opened;
    const response = await endpoint.run(scope, {
      id: c.req.param('id') ?? '',
      input: reads === 'query' ? readQuery(c) : body,
      ifMatch: readsIfMatch ? parseIfMatch(c.req.header('if-match')) : null,
    });
    if (response instanceof Response) return response;
    if (response.body === undefined) return c.body(null, 204);
    const render = endpoint.isCompressible ? renderCompressible : renderJson;
    return render(c, response.body, {
      status: endpoint.success.status as ContentfulStatusCode,
      headers: toHeaders(c, response),
    });
  };
}

function toHeaders(c: Context, { version, createdId }: EndpointResponse): ResponseHeaders {
  if (version === undefined) return noHeaders;
  const headers = { ETag: `"${version}"` };
  return createdId === undefined ? headers : { ...headers, Location: `${requestPath(c.req.url)}/${createdId}` };
}

const noHeaders: ResponseHeaders = Object.freeze({});

/**
 * Reads what a request sends to an endpoint that does not take the query language.
 *
 * @throws CodedError as `readJson`, `INVALID_QUERY`
 */
async function readInput(c: Context, { reads, method }: Endpoint, bodyLimit: number): Promise<unknown> {
  if (reads === 'json') return readJson(c, bodyLimit);
  if (reads === 'parameters') return readParameters(c);
  if (method !== 'GET') return readNothing(c, bodyLimit);
  if (Object.keys(c.req.queries()).length > 0) {
    throw new CodedError('INVALID_QUERY', 'This route takes no parameters.');
  }
  return undefined;
}

/** The values are strings, or arrays if a name is repeated. */
function readParameters(c: Context): Readonly<Record<string, unknown>> {
  const entries = Object.entries(c.req.queries()).filter(([name]) => !isPrototypeKey(name));
  return Object.fromEntries(entries.map(([name, values]) => [name, values.length > 1 ? values : values[0]]));
}

/**
 * Reads the query of a request's URL to its JSON form.
 *
 * @throws CodedError `INVALID_QUERY`
 */
function readQuery(c: Context): Readonly<Record<string, unknown>> {
  const start = c.req.url.indexOf('?');
  return start < 0 ? noQuery : toQueryObject(new URLSearchParams(c.req.url.slice(start)));
}

const noQuery = Object.freeze({});

const strongTag = /^"(\d{1,15})"$/;

/**
 * Parses `If-Match` to the versions that it names. An `ETag` that is not ours matches no record.
 *
 * @see RFC 9110 section 13.1.1
 */
function parseIfMatch(header: string | undefined): IfMatch {
  if (header === undefined || header.trim() === '*') return null;
  return header.split(',').flatMap((tag) => {
    const version = strongTag.exec(tag.trim())?.[1];
    return version === undefined ? [] : [Number(version)];
  });
}
