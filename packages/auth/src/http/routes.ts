import { responseHeaders, createCsrfPolicy, defaultBodyLimit, errorHandler, requireBodyWithin, csrf } from '@x/http';
import { Hono, type MiddlewareHandler } from 'hono';
import type { Auth } from '../create-auth.ts';
import type { AuthRoute } from '../route/auth-route.ts';
import { providerPath } from '../route/oauth-routes.ts';
import { bearerExemption } from './bearer-exemption.ts';
import { routeHandlers } from './route-handlers.ts';
import { createRouteParts } from './route-parts.ts';

/** Settings of the routes. */
export interface AuthRouteOptions {
  /** The most bytes that a request body may have. Default 262,144. */
  readonly bodyLimit?: number;
}

/**
 * Creates the auth routes. Mount them at `/api/auth`, the path that the cookies are bound to.
 *
 * @example
 * ```ts
 * const app = new Hono().route('/api/auth', createAuthRoutes(auth));
 * ```
 */
export function createAuthRoutes(auth: Auth, options: AuthRouteOptions = {}): Hono {
  const app = new Hono();
  app.onError(errorHandler(auth.context.logger));
  app.use(responseHeaders({ 'Cache-Control': 'no-store' }));
  addAuthRoutes(app, auth, options);
  return app;
}

/**
 * Adds the auth routes to an app that has a frame of its own: its `onError` renders coded errors, and all its answers
 * say `no-store`. Routes with their own frame, as {@link createAuthRoutes} creates them, would pay for it on every
 * request.
 */
export function addAuthRoutes(app: Hono, auth: Auth, options: AuthRouteOptions = {}): void {
  const { bodyLimit = defaultBodyLimit } = options;
  const parts = createRouteParts(auth, bodyLimit);
  const { context } = auth;
  const policy = createCsrfPolicy(context.config);
  const withinLimit = requireBodyWithin(bodyLimit);
  const guards: Readonly<Record<AuthRoute['proof'], readonly MiddlewareHandler[]>> = {
    none: [],
    page: [withinLimit, csrf(policy)],
    'page-or-bearer': [withinLimit, csrf(policy, bearerExemption(context))],
  };
  const providers = context.config.providers.map(({ id }) => id);
  for (const { name, method, path, proof } of auth.routes) {
    for (const { provider, ownPath } of toOwnPaths(path, providers)) {
      app.on(method, [ownPath], ...guards[proof], routeHandlers[name](parts, provider));
    }
  }
}

/** Paths exist only for configured providers, so each gets paths of its own. */
function toOwnPaths(
  path: string,
  providers: readonly string[],
): readonly { readonly provider: string; readonly ownPath: string }[] {
  if (!path.startsWith(providerPath)) return [{ provider: '', ownPath: path }];
  return providers.map((provider) => ({ provider, ownPath: path.replace(':provider', provider) }));
}
