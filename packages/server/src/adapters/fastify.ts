import type { CurrentSession, UserFields } from '@x/auth';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { healthPaths } from '../http/health-routes.ts';
import { type NodeServer, toNodeHandler } from './node-handler.ts';
import { type AuthOfServer, getOwnSession, toGuarded } from './page-session.ts';

type FastifyRequest = { readonly raw: IncomingMessage };
type FastifyReply = { readonly raw: ServerResponse; hijack(): unknown; header(name: string, value: string): unknown };
type Done = (error: null) => void;

/** The part of a Fastify app that the plugin uses. */
interface FastifyApp {
  removeAllContentTypeParsers(): void;
  addContentTypeParser(
    type: string,
    parse: (request: FastifyRequest, payload: IncomingMessage, done: Done) => void,
  ): void;
  all(path: string, handle: (request: FastifyRequest, reply: FastifyReply) => void): unknown;
}

/**
 * Creates the plugin that serves everything below `/api`, the auth routes wherever they are, and the health checks.
 *
 * @example
 * ```ts
 * await app.register(toFastifyPlugin(server));
 * ```
 */
export function toFastifyPlugin(server: NodeServer): (app: FastifyApp) => Promise<void> {
  const handle = toNodeHandler(server);
  return async function serve(app) {
    // The server reads the bodies itself. The parsers apply to this plugin alone.
    app.removeAllContentTypeParsers();
    app.addContentTypeParser('*', (_request, _payload, done) => done(null));
    const { basePath } = server.auth.http;
    const ofAuth = basePath.startsWith('/api/') ? [] : [`${basePath}/*`];
    for (const path of ['/api/*', ...ofAuth, ...healthPaths]) {
      app.all(path, (request, reply) => {
        reply.hijack();
        handle(request.raw, reply.raw);
      });
    }
  };
}

/**
 * Returns the session of a request, and sets the cookies of its reply; null for a visitor. A write has to come from a
 * page of the app.
 *
 * @throws CodedError `CSRF_FAILED`, `RATE_LIMITED`, `SERVICE_UNAVAILABLE`, which Fastify responds with
 */
export async function sessionOf<Fields extends UserFields>(
  server: AuthOfServer<Fields>,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<CurrentSession<Fields> | null> {
  const { session, setCookie } = await getOwnSession(server, toGuarded(request.raw));
  for (const cookie of setCookie) reply.header('Set-Cookie', cookie);
  return session;
}
