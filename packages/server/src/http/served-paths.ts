import type { Hono } from 'hono';
import { inspectRoutes } from 'hono/dev';
import { METHOD_NAME_ALL } from 'hono/router';
import { TrieRouter } from 'hono/router/trie-router';
import { getPath } from 'hono/utils/url';

/**
 * Creates the function that says whether a request is for this server, for the apps of others that it is a part of: its
 * path is one of `paths` or below it, or that of a route of `app`, for whichever method. Middleware has no path of its
 * own. The routes are read at the first call.
 */
export function createServes(app: Hono, paths: readonly string[]): (url: string) => boolean {
  let router: TrieRouter<true> | undefined;
  return (url) => {
    const path = toRouterPath(url);
    if (path === null) return false;
    if (paths.some((own) => path === own || path.startsWith(`${own}/`))) return true;
    router ??= routerOf(app);
    return router.match(METHOD_NAME_ALL, path)[0].length > 0;
  };
}

/**
 * Returns the path by which the app finds its route: without `..`, and decoded. Null for `*`, and for no URL at all.
 */
function toRouterPath(url: string): string | null {
  const parsed = URL.parse(url.startsWith('/') ? `http://localhost${url}` : url);
  return parsed && getPath(new Request(`http://localhost${parsed.pathname}`));
}

function routerOf(app: Hono): TrieRouter<true> {
  const router = new TrieRouter<true>();
  for (const { method, path, isMiddleware } of inspectRoutes(app)) {
    if (method !== METHOD_NAME_ALL || !isMiddleware) router.add(METHOD_NAME_ALL, path, true);
  }
  return router;
}
