import { ifNoneMatch, readSecurity, type Route, type RouteGroup, type RouteResponse } from './document/route.ts';
import { type JsonSchema, objectOf } from './schema/json-schema.ts';

const status: JsonSchema = { type: 'string', enum: ['ok'] };

const count: JsonSchema = { type: 'integer', minimum: 0 };

/** The members of `InFlight` of the server. */
const inFlight: JsonSchema = {
  ...objectOf({ atWork: count, waiting: count, oldestMs: count, connections: count }),
  description: 'For callers with the role `admin`: the requests in flight, and the open connections.',
};

const tag = 'server';

/** The routes of every server. */
export const serverRoutes: RouteGroup = {
  tags: [{ name: tag, description: 'The server itself.' }],
  schemas: {},
  routes: [
    toRoute(
      { name: 'isUp', path: '/healthz', summary: 'Check whether the process is up' },
      json('The process is up.', objectOf({ status })),
    ),
    toRoute(
      { name: 'isReady', path: '/readyz', summary: 'Check whether the database can be reached' },
      json('The database can be reached.', objectOf({ status, inFlight }, ['status'])),
    ),
    conditional(
      { name: 'getDocument', path: '/api/openapi.json', summary: 'Get this document' },
      json('The document.', { type: 'object' }),
    ),
    conditional(
      { name: 'browse', path: '/api/docs', summary: 'Browse this document' },
      { status: 200, description: 'An HTML page.', content: { 'text/html': { type: 'string' } } },
    ),
  ],
};

function json(description: string, schema: JsonSchema): RouteResponse {
  return { status: 200, description, content: { 'application/json': schema } };
}

/** A route with an `ETag`, which responds with 304 to clients that already have the content. */
function conditional(terms: Terms, response: RouteResponse): Route {
  const headers = ['ETag', 'Cache-Control'] as const;
  const unchanged = { status: 304, description: 'Unchanged.', headers };
  return { ...toRoute(terms, { ...response, headers }, unchanged), parameters: [ifNoneMatch] };
}

interface Terms {
  readonly name: string;
  readonly path: string;
  readonly summary: string;
}

function toRoute({ name, path, summary }: Terms, ...responses: readonly RouteResponse[]): Route {
  return {
    operationId: `server.${name}`,
    tag,
    method: 'get',
    path,
    summary,
    security: readSecurity.anyone,
    responses,
    errors: [],
  };
}
