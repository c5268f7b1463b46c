import type { Route, RouteAnswer, RouteGroup } from '../document/route.ts';
import { readSecurity } from '../document/security.ts';
import { type JsonSchema, objectOf } from '../schema/json-schema.ts';

const health: JsonSchema = objectOf({ status: { type: 'string', enum: ['ok'] } });

const tag = 'server';

/** The routes that every server has. */
export const serverRoutes: RouteGroup = {
  tags: [{ name: tag, description: 'The server itself.' }],
  schemas: {},
  routes: [
    toRoute({ name: 'isUp', path: '/healthz', summary: 'Ask whether the process is up' }, json('It is.', health)),
    toRoute(
      { name: 'isReady', path: '/readyz', summary: 'Ask whether the stores can be reached' },
      json('They can.', health),
    ),
    toRoute(
      { name: 'getDocument', path: '/api/openapi.json', summary: 'Get this document' },
      { ...json('The document.', { type: 'object' }), headers: ['ETag', 'Cache-Control'] },
      { status: 304, description: 'Unchanged.', headers: ['ETag', 'Cache-Control'] },
    ),
    toRoute(
      { name: 'browse', path: '/api/docs', summary: 'Browse this document' },
      { status: 200, description: 'A page.', content: { 'text/html': { type: 'string' } }, headers: ['Cache-Control'] },
    ),
  ],
};

function json(description: string, schema: JsonSchema): RouteAnswer {
  return { status: 200, description, content: { 'application/json': schema } };
}

function toRoute(
  { name, path, summary }: { readonly name: string; readonly path: string; readonly summary: string },
  ...answers: readonly RouteAnswer[]
): Route {
  return {
    operationId: `server.${name}`,
    tag,
    method: 'get',
    path,
    summary,
    security: readSecurity.anyone,
    answers,
    errors: [],
  };
}
