import type { CurrentSession, NoFields, UserFields } from '@x/auth';
import { unwrap } from '@x/errors';
import type { Server } from '../create-server.ts';
import type { AuthOfServer } from './page-session.ts';

/** The part of a SvelteKit event that the adapter uses. Declare `session` in `App.Locals`. */
interface Event<Fields extends UserFields> {
  readonly request: Request;
  readonly locals: { session: CurrentSession<Fields> | null };
  getClientAddress(): string;
}

/**
 * Creates the handler of `src/routes/api/[...path]/+server.ts`, for every method.
 *
 * @example
 * ```ts
 * const fallback = toRequestHandler(server);
 * ```
 */
export function toRequestHandler({
  fetch,
}: Pick<Server, 'fetch'>): (event: Pick<Event<NoFields>, 'request' | 'getClientAddress'>) => Promise<Response> {
  return (event) => fetch(event.request, { remoteAddress: event.getClientAddress() });
}

/**
 * Creates the `handle` of `src/hooks.server.ts`: it puts the session into `event.locals`, refreshed if need be.
 * SvelteKit itself refuses forms from elsewhere.
 *
 * @example
 * ```ts
 * const handle = toHandle(server);
 * ```
 */
export function toHandle<Fields extends UserFields>({
  auth,
}: AuthOfServer<Fields>): <E extends Event<Fields>>(input: {
  event: E;
  resolve: (event: E) => Response | Promise<Response>;
}) => Promise<Response> {
  return async function handle({ event, resolve }) {
    const { session, setCookie } = unwrap(await auth.api.getOrRefreshSession(event.request.headers));
    event.locals.session = session;
    const response = await resolve(event);
    for (const cookie of setCookie) response.headers.append('Set-Cookie', cookie);
    return response;
  };
}
