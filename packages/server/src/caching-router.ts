import { METHOD_NAME_ALL, type Result, type Router } from 'hono/router';
import { RegExpRouter } from 'hono/router/reg-exp-router';
import { SmartRouter } from 'hono/router/smart-router';
import { TrieRouter } from 'hono/router/trie-router';

/**
 * Routes like Hono, and caches what it found for paths without parameters, which never changes. Hono falls back to its
 * slower router for all routes if one of them is like `/:id/share` next to `/query`, as those of entities are.
 */
export class CachingRouter<T> implements Router<T> {
  readonly name = 'CachingRouter';
  readonly #router = new SmartRouter<T>({ routers: [new RegExpRouter(), new TrieRouter()] });
  /** By path and method; only those of routes, so that callers can't fill the memory. */
  readonly #found = new Map<string, Map<string, Result<T>>>();
  readonly #methods = new Set<string>();

  add(method: string, path: string, handler: T): void {
    this.#router.add(method, path, handler);
    if (method !== METHOD_NAME_ALL) this.#methods.add(method);
    if (!/[:*]/.test(path)) this.#found.set(path, new Map());
  }

  match(method: string, path: string): Result<T> {
    const byMethod = this.#found.get(path);
    const known = byMethod?.get(method);
    if (known) return known;
    const result = this.#router.match(method, path);
    if (this.#methods.has(method)) byMethod?.set(method, result);
    return result;
  }
}
