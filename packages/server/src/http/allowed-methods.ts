import { refusesHead } from '@x/http';
import type { Hono } from 'hono';
import { METHOD_NAME_ALL } from 'hono/router';
import { TrieRouter } from 'hono/router/trie-router';

/**
 * Creates a function that lists the methods under which an app has a path, for the `Allow` header of a 405. Middleware,
 * which has a path under all methods, does not count. The routes are read at the first call.
 */
export function createMethodLookup(app: Hono): (path: string) => readonly string[] {
  let router: TrieRouter<readonly string[]> | undefined;
  return (path) => {
    router ??= routerOfMethods(app);
    return [...new Set(router.match(METHOD_NAME_ALL, path)[0].flatMap(([methods]) => methods))];
  };
}

function routerOfMethods({ routes }: Hono): TrieRouter<readonly string[]> {
  const router = new TrieRouter<readonly string[]>();
  const withoutHead = new Set(routes.filter(({ handler }) => refusesHead(handler)).map(({ path }) => path));
  for (const { method, path } of routes) {
    if (method === METHOD_NAME_ALL) continue;
    // Hono answers HEAD wherever there is a GET.
    router.add(METHOD_NAME_ALL, path, method === 'GET' && !withoutHead.has(path) ? ['GET', 'HEAD'] : [method]);
  }
  return router;
}
