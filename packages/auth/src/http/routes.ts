import {
  answerHeaders,
  createCsrfPolicy,
  defaultBodyLimit,
  errorHandler,
  requireBodyWithin,
  requireOwnPage,
} from '@x/http';
import { Hono } from 'hono';
import type { Auth } from '../create-auth.ts';
import { getJwksRoute } from './get-jwks.ts';
import { getSessionRoute } from './get-session.ts';
import { signInRoute } from './sign-in.ts';
import { signOutRoute } from './sign-out.ts';
import { signUpRoute } from './sign-up.ts';

/** Settings of the routes that are not of the auth itself. */
export interface AuthRouteOptions {
  /** Bytes that a request body may have. Default 262 144. */
  readonly bodyLimit?: number;
}

/**
 * Creates the auth routes, to be mounted at `/api/auth`, where the cookies expect them.
 *
 * @example
 * ```ts
 * const app = new Hono().route('/api/auth', createAuthRoutes(auth));
 * ```
 */
export function createAuthRoutes({ context: auth }: Auth, options: AuthRouteOptions = {}): Hono {
  const { bodyLimit = defaultBodyLimit } = options;
  const app = new Hono();
  const guards = [requireBodyWithin(bodyLimit), requireOwnPage(createCsrfPolicy(auth.config))] as const;

  app.onError(errorHandler(auth.logger));
  app.use(answerHeaders({ 'Cache-Control': 'no-store' }));
  app.post('/signup', ...guards, signUpRoute(auth, bodyLimit));
  app.post('/signin', ...guards, signInRoute(auth, bodyLimit));
  app.post('/signout', ...guards, signOutRoute(auth, bodyLimit));
  app.get('/session', getSessionRoute(auth));
  app.get('/.well-known/jwks.json', getJwksRoute(auth));
  return app;
}
