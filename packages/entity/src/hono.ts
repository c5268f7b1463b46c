import { anonymous, type RuleCaller } from '@x/access';
import { type Awaitable, type CodedError, validationFailed } from '@x/errors';
import {
  type BodyLine,
  defaultBodyLimit,
  matchesEntityTag,
  readJson,
  readLines,
  readNothing,
  readParameters,
  renderJson,
  requestPath,
  requireLines,
  requireNoParameters,
  requireUtf8Parameters,
  type ResponseHeaders,
} from '@x/http';
import type { Context, Handler, Hono, MiddlewareHandler } from 'hono';
import type { ContentfulStatusCode } from 'hono/utils/http-status';
import { authorizeCaller } from './authorization/open-authorization.ts';
import { openCall, type Call } from './call/call.ts';
import type { Entities } from './create-entities.ts';
import {
  type Endpoint,
  type EndpointRequest,
  type EndpointResponse,
  endpointsOf,
  endpointsOfService,
} from './http/endpoints.ts';
import { whileCurrent } from './http/while-current.ts';
import { toQueryObject } from './query/parse-list-query.ts';
import { parseIfMatch } from './record/mutate.ts';

/** The parts of the surrounding app that the routes need. */
export interface EntityRouteOptions {
  /** Returns who sent a request; null for an anonymous caller. */
  readonly callerOf: (c: Context) => Awaitable<RuleCaller | null>;
  /**
   * Begins to watch who sent a request that may take longer than their credential is valid, and returns a check, which
   * throws a `CodedError` once they are no longer who they were. It is called once a minute. Default: none.
   */
  readonly watchCaller?: (c: Context) => Awaitable<() => Awaitable<void>>;
  /** Middleware that runs before every route that writes: a body limit and CSRF protection. */
  readonly guards: readonly [MiddlewareHandler, MiddlewareHandler];
  /** The most bytes that a request body may have, or a line of an import. Default 262,144. */
  readonly bodyLimit?: number;
}

/**
 * Adds the routes of entities and services to an app at `/api`. The app's `onError` must render coded errors, and its
 * responses below these paths must say `Cache-Control: private, no-store`. An operation without a rule has no route.
 *
 * @example
 * ```ts
 * addEntityRoutes(app.basePath('/api'), entities, { callerOf, guards });
 * ```
 */
export function addEntityRoutes(app: Hono, { context }: Entities, options: EntityRouteOptions): void {
  const { callerOf, guards, watchCaller, bodyLimit = defaultBodyLimit } = options;
  const [, csrf] = guards;
  const { clock } = context.stores;
  const linesOf = (c: Context): AsyncIterable<BodyLine> => {
    const lines = readLines(c, bodyLimit);
    return watchCaller ? whileCurrent({ lines, watch: () => watchCaller(c), clock }) : lines;
  };
  const openRequest = async (c: Context): Promise<Call> =>
    openCall(context, { type: 'caller', caller: (await callerOf(c)) ?? anonymous });
  const endpoints = [
    ...[...context.entities.values()].flatMap(endpointsOf),
    ...[...context.services.values()].flatMap(endpointsOfService),
  ];
  for (const endpoint of endpoints.toSorted(byPlace)) {
    const handler = toHandler(endpoint, { openRequest, linesOf, bodyLimit });
    if (endpoint.method === 'GET') app.get(endpoint.path, handler);
    // Each line has the limit of a body, and there may be any number of them.
    else if (endpoint.reads === 'lines') app.on(endpoint.method, endpoint.path, csrf, handler);
    else app.on(endpoint.method, endpoint.path, ...guards, handler);
  }
}

/** A path with an id also fits those without one that are as long, which are looked at first. */
function byPlace(a: Endpoint, b: Endpoint): number {
  return Number(a.path.includes('/:id')) - Number(b.path.includes('/:id'));
}

/** How requests are read. */
interface Reading {
  readonly openRequest: (c: Context) => Promise<Call>;
  readonly linesOf: (c: Context) => AsyncIterable<BodyLine>;
  readonly bodyLimit: number;
}

/** A JSON body is read before the caller is; one that should not be there, only once the rule has not refused them. */
function toHandler(endpoint: Endpoint, { openRequest, linesOf, bodyLimit }: Reading): Handler {
  const { reads, rule, method } = endpoint;
  return async (c) => {
    const body = reads === 'json' ? await readJson(c, bodyLimit) : undefined;
    if (reads === 'lines') requireLines(c);
    const call = await openRequest(c);
    if (reads === 'nothing' && method !== 'GET') {
      authorizeCaller(call, rule);
      await readNothing(c, bodyLimit);
    }
    return render(
      c,
      endpoint,
      await endpoint.run(
        call,
        readRequest(c, endpoint, { call, body, lines: reads === 'lines' ? linesOf(c) : noLines }),
      ),
    );
  };
}

const noLines = (async function* (): AsyncGenerator<BodyLine, void> {})();

/**
 * Reads all of a request but its body. Only callers whom the rule does not refuse are told about errors in it.
 *
 * @throws CodedError `UNAUTHENTICATED`, `FORBIDDEN`; `INVALID_QUERY`, `VALIDATION_FAILED`
 */
function readRequest(
  c: Context,
  endpoint: Endpoint,
  { call, body, lines }: { readonly call: Call; readonly body: unknown; readonly lines: AsyncIterable<BodyLine> },
): EndpointRequest {
  try {
    requireHeededConditions(c, endpoint);
    return {
      id: c.req.param('id') ?? '',
      input: readInput(c, endpoint) ?? body,
      query: endpoint.readsAccess ? readQuery(c) : noQuery,
      lines,
      ifMatch: endpoint.readsIfMatch ? parseIfMatch(c.req.header('if-match')) : null,
    };
  } catch (error) {
    authorizeCaller(call, endpoint.rule);
    throw error;
  }
}

/**
 * Makes sure that a write does not ignore a condition: a client that sends one wants the write only if it holds.
 *
 * @throws CodedError `VALIDATION_FAILED`
 * @see RFC 9110 section 13.1
 */
function requireHeededConditions(
  c: Context,
  { method, readsIfMatch }: Pick<Endpoint, 'method' | 'readsIfMatch'>,
): void {
  if (method === 'GET') return;
  if (c.req.header('if-none-match') !== undefined) throw unheededCondition('If-None-Match');
  if (!readsIfMatch && c.req.header('if-match') !== undefined) throw unheededCondition('If-Match');
}

function unheededCondition(header: string): CodedError {
  return validationFailed([{ path: [header], code: 'unrecognized_keys', message: 'This route does not take it.' }]);
}

function render(c: Context, endpoint: Endpoint, response: EndpointResponse | Response): Response {
  if (response instanceof Response) return response;
  if (response.body === undefined) return c.body(null, 204);
  const headers = toHeaders(c, endpoint, response);
  if (response.isDeterminedByVersion && matchesEntityTag(c.req.header('if-none-match'), headers['ETag'] ?? '')) {
    return c.body(null, 304, headers);
  }
  const status = response.createdId === undefined ? endpoint.success.status : 201;
  return renderJson(c, response.body, { status: status as ContentfulStatusCode, headers });
}

function toHeaders(
  c: Context,
  { owner, path }: Pick<Endpoint, 'owner' | 'path'>,
  { version, createdId }: EndpointResponse,
): ResponseHeaders {
  if (version === undefined) return noHeaders;
  const headers = { ETag: `"${version}"` };
  if (createdId === undefined) return headers;
  const collection = requestPath(c.req.url).slice(0, `/${owner}`.length - path.length || undefined);
  return { ...headers, Location: `${collection}/${createdId}` };
}

const noHeaders: ResponseHeaders = Object.freeze({});

/**
 * Reads the input that the URL of a request has; undefined for an endpoint that does not take any from there.
 *
 * @throws CodedError `INVALID_QUERY`
 */
function readInput(
  c: Context,
  { reads, readsAccess }: Pick<Endpoint, 'reads' | 'readsAccess'>,
): Readonly<Record<string, unknown>> | undefined {
  requireUtf8Parameters(c);
  if (reads === 'query') return readQuery(c);
  if (reads === 'parameters' || reads === 'lines') return readValues(c);
  if (!readsAccess) requireNoParameters(c);
  return undefined;
}

/** The values are strings, or arrays if a name is repeated. */
function readValues(c: Context): Readonly<Record<string, unknown>> {
  return Object.fromEntries(
    [...readParameters(c)].map(([name, [value, ...more]]) => [name, more.length > 0 ? [value, ...more] : value]),
  );
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
