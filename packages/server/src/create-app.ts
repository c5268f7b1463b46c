import type { Auth } from '@x/auth';
import { addAuthRoutes, bearerExemption, createRequestCaller } from '@x/auth/hono';
import type { Entities, Entity, Service } from '@x/entity';
import { addEntityRoutes } from '@x/entity/hono';
import { CodedError, type Logger } from '@x/errors';
import {
  createCsrfPolicy,
  csrf,
  errorHandler,
  handleNotFound,
  renderError,
  renderJson,
  renderMethodNotAllowed,
  requireBodyWithin,
} from '@x/http';
import type { DocumentInfo } from '@x/openapi';
import type { Stores } from '@x/store';
import { Hono, type MiddlewareHandler, type NotFoundHandler } from 'hono';
import { cors } from 'hono/cors';
import { methodNotAllowed } from 'hono/method-not-allowed';
import { CachingRouter } from './caching-router.ts';
import { addOpenApiRoutes } from './openapi-routes.ts';

/** What the routes of a server work with. */
export interface AppOptions {
  readonly auth: Auth;
  readonly entities: Entities;
  readonly stores: Stores;
  readonly logger: Logger;
  readonly bodyLimit: number;
  /** What the OpenAPI document describes besides auth; null if none is served. */
  readonly openapi: {
    readonly entities: readonly Entity[];
    readonly services: readonly Service[];
    readonly info: Partial<DocumentInfo>;
  } | null;
}

/** Creates the app with all routes, the one error shape, 404, 405, CORS and health checks. */
export function createApp({ auth, entities, stores, logger, bodyLimit, openapi }: AppOptions): Hono {
  const app = new Hono({ router: new CachingRouter() });
  app.onError(errorHandler(logger));
  app.notFound(notFoundOrNotAllowed(app));
  if (auth.http.trustedOrigins.length > 0) app.use('/api/*', crossOrigin(auth.http.trustedOrigins));

  addHealthRoutes(app, stores);
  addAuthRoutes(app.basePath('/api/auth'), auth, { bodyLimit });
  addEntityRoutes(app.basePath('/api'), entities, {
    callerOf: createRequestCaller(auth),
    guards: [requireBodyWithin(bodyLimit), csrf(createCsrfPolicy(auth.http), bearerExemption(auth))],
    bodyLimit,
  });
  if (openapi) addOpenApiRoutes(app.basePath('/api'), { auth, ...openapi });
  return app;
}

/**
 * Looks for the path under other methods only if no route has responded, so that other requests need not wait for it.
 */
function notFoundOrNotAllowed(app: Hono): NotFoundHandler {
  const refuseMethod = methodNotAllowed({ app, onMethodNotAllowed: renderMethodNotAllowed });
  return async (c) => {
    await refuseMethod(c, async () => {
      c.res = await handleNotFound(c);
    });
    return c.res;
  };
}

function crossOrigin(trustedOrigins: readonly string[]): MiddlewareHandler {
  return cors({
    origin: [...trustedOrigins],
    credentials: true,
    allowHeaders: ['Content-Type', 'X-APP-Request', 'If-Match', 'Authorization'],
    exposeHeaders: ['ETag', 'Retry-After', 'X-Request-Id', 'Location'],
  });
}

function addHealthRoutes(app: Hono, stores: Stores): void {
  app.get('/healthz', (c) => renderJson(c, { status: 'ok' }));
  app.get('/readyz', async (c) =>
    (await isReady(stores)) ? renderJson(c, { status: 'ok' }) : renderError(c, notReady()),
  );
}

async function isReady(stores: Stores): Promise<boolean> {
  try {
    await stores.ping();
    return true;
  } catch {
    return false;
  }
}

function notReady(): CodedError {
  return new CodedError('SERVICE_UNAVAILABLE', 'The service is not ready.', { retryAfter: 1 });
}
