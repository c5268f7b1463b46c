import { type Auth, type AuthOptions, createAuth } from '@x/auth';
import { createAuthRoutes } from '@x/auth/hono';
import { type Logger, silentLogger } from '@x/errors';
import { defaultBodyLimit } from '@x/http';
import type { Clock, EventRecord, Stores } from '@x/store';
import { createMemoryStores } from '@x/store-memory';
import type { Hono } from 'hono';
import { createApp } from './create-app.ts';

/** What `createServer` takes. */
export interface ServerOptions {
  /** The stores of the one database that everything lives in. Default: in memory, gone with the process. */
  readonly database?: Stores;
  readonly auth: Omit<AuthOptions, 'stores' | 'clock' | 'logger'>;
  /** The clock that the stores were made with. Default: the clock of the process. */
  readonly clock?: Clock;
  /** A pino logger fits. Default: nothing is logged. */
  readonly logger?: Logger;
  /** Bytes that a request body may have. Default 262 144. */
  readonly bodyLimit?: number;
}

/** An application server. `initialize` it before it takes requests. */
export interface Server {
  readonly auth: Auth;
  readonly stores: Stores;
  /** The routes; an app adds its own before the first request. */
  readonly app: Hono;
  /** Answers one request: the whole server for Node, Bun, Deno, workers, or another framework. */
  fetch(request: Request, env?: object): Response | Promise<Response>;
  /** Brings the database to the current schema. Idempotent, and safe in many processes at once. */
  initialize(): Promise<void>;
  /** Reports not ready, finishes what is under way and closes the stores. Idempotent. */
  close(): Promise<void>;
}

/**
 * Wires stores, auth and routes into one server.
 *
 * @throws ConfigurationError with every problem of the settings or keys
 * @example
 * ```ts
 * const server = await createServer({ auth: { production: false, session: { strategy: 'jwt' } } });
 * await server.initialize();
 * const answer = await server.fetch(new Request('http://localhost/healthz'));
 * ```
 */
export async function createServer(options: ServerOptions): Promise<Server> {
  const { clock = { now: () => new Date() }, logger = silentLogger, bodyLimit = defaultBodyLimit } = options;
  const stores = options.database ?? createMemoryStores({ clock });
  const onEvent = loggedEvents(logger, options.auth.onEvent);
  const auth = await createAuth({ ...options.auth, onEvent, stores, clock, logger });
  const state = { closing: false };
  const app = createApp({ config: auth.context.config, logger, isReady: () => isReady(stores, state) });
  app.route('/api/auth', createAuthRoutes(auth, { bodyLimit }));

  return {
    auth,
    stores,
    app,
    fetch: (request, env) => app.fetch(request, env),
    initialize: () => stores.migrate(),
    close: () => {
      state.closing = true;
      return stores.close();
    },
  };
}

/** Writes every security event to the log, too, where operators look first. */
function loggedEvents(logger: Logger, listener: AuthOptions['onEvent']): (event: EventRecord) => void | Promise<void> {
  return (event) => {
    const { type, at, userId, tenantId, sessionId, ipAddress } = event;
    logger.info({ event: type, at, userId, tenantId, sessionId, ipAddress }, 'security event');
    return listener?.(event);
  };
}

async function isReady(stores: Stores, state: { readonly closing: boolean }): Promise<boolean> {
  if (state.closing) return false;
  try {
    await stores.ping();
    return true;
  } catch {
    return false;
  }
}
