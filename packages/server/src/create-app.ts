import type { Auth } from '@x/auth';
import { CodedError, type Logger } from '@x/errors';
import {
  answerHeaders,
  errorHandler,
  handleNotFound,
  renderError,
  renderJson,
  renderMethodNotAllowed,
  requestId,
  requestIdOf,
  requestPath,
  securityHeaders,
  transportSecurity,
} from '@x/http';
import { Hono, type MiddlewareHandler, type NotFoundHandler } from 'hono';
import { cors } from 'hono/cors';
import { methodNotAllowed } from 'hono/method-not-allowed';

/** What the frame of all routes depends on. */
export interface AppOptions {
  readonly config: Auth['context']['config'];
  readonly logger: Logger;
  /** Says whether the stores can serve. */
  readonly isReady: () => Promise<boolean>;
}

/** Creates the frame that every route stands in: request ids, headers, the one error shape, 405, CORS, health. */
export function createApp({ config, logger, isReady }: AppOptions): Hono {
  const app = new Hono();
  app.onError(errorHandler(logger));
  app.notFound(notFoundOrNotAllowed(app));
  app.use(requestId());
  app.use(answerHeaders({ ...securityHeaders, ...(config.baseUrl?.startsWith('https:') && transportSecurity) }));
  app.use(requestLog(logger));
  // A preflight is answered here, before the routes that would say `no-store` themselves.
  if (config.trustedOrigins.length > 0) app.use('/api/*', answerHeaders(noStore), crossOrigin(config.trustedOrigins));

  app.get('/healthz', (c) => renderJson(c, { status: 'ok' }));
  app.get('/readyz', async (c) => ((await isReady()) ? renderJson(c, { status: 'ok' }) : renderError(c, notReady())));
  return app;
}

/** Looks for the path under another method only once there is no answer, so that requests with one don't wait for it. */
function notFoundOrNotAllowed(app: Hono): NotFoundHandler {
  const refuseMethod = methodNotAllowed({ app, onMethodNotAllowed: renderMethodNotAllowed });
  return async (c) => {
    await refuseMethod(c, async () => {
      c.res = await handleNotFound(c);
    });
    return c.res;
  };
}

const noStore = { 'Cache-Control': 'no-store' };

/** Logs each request without its query, headers or body, which may hold secrets. */
function requestLog(logger: Logger): MiddlewareHandler {
  return async function requestLog(c, next) {
    const startedAt = performance.now();
    await next();
    const durationMs = Math.round(performance.now() - startedAt);
    const { method } = c.req;
    logger.debug(
      { requestId: requestIdOf(c), method, path: requestPath(c), status: c.res.status, durationMs },
      'request',
    );
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
