import type { CurrentSession, UserFields } from '@x/auth';
import { errorResponse, type GuardOptions } from '@x/auth/guards';
import { CodedError, unauthenticated } from '@x/errors';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { type NodeServer, targetOf, toNodeHandler } from './node-handler.ts';
import { type AuthOfServer, getOwnSession, toGuarded } from './page-session.ts';

type FastifyRequest = { readonly raw: IncomingMessage };

/** The part of a Fastify reply that the adapter uses. */
interface FastifyReply {
  readonly raw: ServerResponse;
  hijack(): unknown;
  code(status: number): unknown;
  header(name: string, value: string): unknown;
  headers(values: Readonly<Record<string, string>>): unknown;
  send(payload: unknown): unknown;
}

/** A request for which Fastify has looked for a route. */
interface RoutedRequest extends FastifyRequest {
  readonly is404: boolean;
  readonly routeOptions: { readonly url?: string | undefined };
}

/** The part of a Fastify app that the plugin uses. */
interface FastifyApp {
  addHook(name: 'onRequest', serve: (request: RoutedRequest, reply: FastifyReply, done: () => void) => void): unknown;
}

/**
 * Creates the plugin that serves the requests for the server, unless the app has a route for them, which may be
 * registered before or after it. A route whose first two segments have a parameter or `*` leaves them to the server.
 * Register the plugin at the root of the app.
 *
 * @example
 * ```ts
 * await app.register(toFastifyPlugin(server));
 * ```
 */
export function toFastifyPlugin(server: NodeServer): (app: FastifyApp) => Promise<void> {
  const handle = toNodeHandler(server);
  async function plugin(app: FastifyApp): Promise<void> {
    // Before Fastify reads a body, which the server reads itself.
    app.addHook('onRequest', (request, reply, done) => {
      const hasRoute = !request.is404 && isOwn(request.routeOptions.url ?? '');
      if (hasRoute || !server.serves(targetOf(request.raw))) {
        done();
        return;
      }
      reply.hijack();
      handle(request.raw, reply.raw);
    });
  }
  // Fastify's mark for a plugin whose hooks are those of the app that registers it.
  return Object.assign(plugin, { [Symbol.for('skip-override')]: true });
}

/** Says whether a route is the app's own even if it matches a path of the server: it names its first two segments. */
function isOwn(pattern: string): boolean {
  return !/[:*(]/.test(pattern.split('/', 3).join('/'));
}

/**
 * Responds to the errors of {@link sessionOf}, {@link requireSession} and access contexts in the one error shape, and
 * leaves others to Fastify.
 *
 * @example
 * ```ts
 * app.setErrorHandler(errorHandler);
 * ```
 */
export function errorHandler(error: unknown, _request: unknown, reply: FastifyReply): void {
  if (!(error instanceof CodedError)) throw error;
  const { status, headers } = errorResponse(error);
  reply.code(status);
  reply.headers(Object.fromEntries(headers));
  reply.send({ error: error.toBody() });
}

/**
 * Returns the session of a request, and sets the cookies of its reply; null for a visitor. A write has to come from a
 * page of the app.
 *
 * @throws CodedError `CSRF_FAILED`, `RATE_LIMITED`, `SERVICE_UNAVAILABLE`, which {@link errorHandler} responds with
 */
export async function sessionOf<Fields extends UserFields>(
  server: AuthOfServer<Fields>,
  request: FastifyRequest,
  reply: FastifyReply,
  options?: GuardOptions,
): Promise<CurrentSession<Fields> | null> {
  const { session, setCookie } = await getOwnSession(server, toGuarded(request.raw), options);
  for (const cookie of setCookie) reply.header('Set-Cookie', cookie);
  return session;
}

/**
 * Returns the session of a request like {@link sessionOf}; refuses a visitor.
 *
 * @throws CodedError `CSRF_FAILED`, `UNAUTHENTICATED`, `RATE_LIMITED`, `SERVICE_UNAVAILABLE`, which
 * {@link errorHandler} responds with
 */
export async function requireSession<Fields extends UserFields>(
  server: AuthOfServer<Fields>,
  request: FastifyRequest,
  reply: FastifyReply,
  options?: GuardOptions,
): Promise<CurrentSession<Fields>> {
  const session = await sessionOf(server, request, reply, options);
  if (session === null) throw unauthenticated();
  return session;
}
