import type { Auth } from '@x/auth';
import { bearerExemption, createRequestCaller } from '@x/auth/hono';
import type { Entities } from '@x/entity';
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
import { Hono, type MiddlewareHandler, type NotFoundHandler } from 'hono';
import { cors } from 'hono/cors';
import { methodNotAllowed } from 'hono/method-not-allowed';
import { CachingRouter } from './caching-router.ts';

/** What all routes of a server share. */
interface AppOptions {
  readonly config: Auth['context']['config'];
  readonly logger: Logger;
  /** Says whether the stores are available. */
  readonly isReady: () => Promise<boolean>;
}

/** Creates the app that all routes are added to, with the one error shape, 404, 405, CORS and health. */
export function createApp({ config, logger, isReady }: AppOptions): Hono {
  const app = new Hono({ router: new CachingRouter() });
  app.onError(errorHandler(logger));
  app.notFound(notFoundOrNotAllowed(app));
  if (config.trustedOrigins.length > 0) app.use('/api/*', crossOrigin(config.trustedOrigins));

  app.get('/healthz', (c) => renderJson(c, { status: 'ok' }));
  app.get('/readyz', async (c) => ((await isReady()) ? renderJson(c, { status: 'ok' }) : renderError(c, notReady())));
  return app;
}

/**
 * Looks for the path under other methods only if no route has answered, so that other requests need not wait for it.
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

function notReady(): CodedError {
  return new CodedError('SERVICE_UNAVAILABLE', 'The service is not ready.', { retryAfter: 1 });
}

/** What the routes of entities work with. */
interface EntityRoutesOptions {
  readonly auth: Auth;
  readonly entities: Entities;
  readonly bodyLimit: number;
}

/** Adds the routes of entities, with the callers and the guards of auth. */
export function addRoutesOfEntities(app: Hono, { auth, entities, bodyLimit }: EntityRoutesOptions): void {
  const policy = createCsrfPolicy(auth.context.config);
  addEntityRoutes(app, entities, {
    callerOf: createRequestCaller(auth),
    guards: [requireBodyWithin(bodyLimit), csrf(policy, bearerExemption(auth))],
    bodyLimit,
  });
}
