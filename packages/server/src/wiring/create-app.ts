import type { Auth } from '@x/auth';
import { addAuthRoutes, csrfExemption, createRequestCaller } from '@x/auth/hono';
import type { Entities, Entity, Service } from '@x/entity';
import { addEntityRoutes } from '@x/entity/hono';
import type { Logger } from '@x/errors';
import {
  createCsrfPolicy,
  csrf,
  errorHandler,
  handleNotFound,
  renderMethodNotAllowed,
  requireBodyWithin,
} from '@x/http';
import type { DocumentInfo } from '@x/openapi';
import type { Stores } from '@x/store';
import { Hono, type MiddlewareHandler, type NotFoundHandler } from 'hono';
import { cors } from 'hono/cors';
import type { Admission } from '../admission/admission.ts';
import { createMethodLookup } from '../http/allowed-methods.ts';
import { addHealthRoutes } from '../http/health-routes.ts';
import { addMetricsRoute, type ServerMetrics } from '../http/server-metrics.ts';
import type { Live } from '../live/live.ts';
import { addLiveRoutes } from '../live/routes.ts';
import { addOpenApiRoutes } from '../http/openapi-routes.ts';
import { createCallerWatch } from './watch-caller.ts';

/** The dependencies of the routes of a server. */
export interface AppOptions {
  readonly auth: Auth;
  readonly entities: Entities;
  readonly stores: Stores;
  readonly admission: Admission;
  readonly logger: Logger;
  readonly bodyLimit: number;
  /** Null without `live`. */
  readonly live: Live | null;
  readonly metrics: ServerMetrics | undefined;
  /** The parts that the OpenAPI document describes besides auth; null if no document is served. */
  readonly openapi: {
    readonly entities: readonly Entity[];
    readonly services: readonly Service[];
    readonly info: Partial<DocumentInfo>;
  } | null;
}

/** Creates the app with all routes, the one error shape, 404, 405, CORS, health checks and metrics. */
export function createApp(options: AppOptions): Hono {
  const { auth, entities, stores, admission, logger, bodyLimit, live, metrics, openapi } = options;
  const app = new Hono();
  app.onError(errorHandler(logger));
  app.notFound(notFoundOrNotAllowed(app));
  const { baseUrl, basePath, trustedOrigins, production } = auth.http;
  if (trustedOrigins.length > 0) {
    const paths = basePath.startsWith('/api/') ? ['/api/*'] : ['/api/*', `${basePath}/*`];
    for (const path of paths) app.use(path, crossOrigin(trustedOrigins));
  }

  const callerOf = createRequestCaller(auth);
  addHealthRoutes(app, { stores, admission, callerOf });
  if (metrics) addMetricsRoute(app, metrics, admission);
  addAuthRoutes(app.basePath(basePath), auth, { bodyLimit });
  const guards: readonly [MiddlewareHandler, MiddlewareHandler] = [
    requireBodyWithin(bodyLimit),
    csrf(createCsrfPolicy({ baseUrl, trustedOrigins, production }), csrfExemption(auth)),
  ];
  const watchCaller = createCallerWatch({ callerOf, stores });
  addEntityRoutes(app.basePath('/api'), entities, { callerOf, watchCaller, guards, bodyLimit });
  if (live) addLiveRoutes(app.basePath('/api'), { live, callerOf, guards, bodyLimit });
  if (openapi) addOpenApiRoutes(app.basePath('/api'), { auth, live: live !== null, ...openapi });
  return app;
}

/** Looks the path up under other methods only if no route has responded, so that other requests do not pay for it. */
function notFoundOrNotAllowed(app: Hono): NotFoundHandler {
  const methodsOf = createMethodLookup(app);
  return (c) => {
    const methods = methodsOf(c.req.path);
    return methods.length === 0 || methods.includes(c.req.method)
      ? handleNotFound(c)
      : renderMethodNotAllowed(c, methods);
  };
}

function crossOrigin(trustedOrigins: readonly string[]): MiddlewareHandler {
  const allow = cors({
    origin: [...trustedOrigins],
    credentials: true,
    allowHeaders: ['Content-Type', 'X-APP-Request', 'If-Match', 'If-None-Match', 'Authorization'],
    exposeHeaders: ['ETag', 'Retry-After', 'X-Request-Id', 'Location'],
  });
  return async function allowOrigins(c, next) {
    const preflight = await allow(c, next);
    if (c.res.headers.has(refreshHint)) c.header('Access-Control-Expose-Headers', refreshHint, { append: true });
    return preflight;
  };
}

/** Only the responses to a client that starts without a valid JWT have it, so only they expose it. */
const refreshHint = 'X-APP-Refresh';
