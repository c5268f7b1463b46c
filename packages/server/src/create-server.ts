import type { AccessModel } from '@x/access';
import { type Auth, type AuthOptions, createAuth } from '@x/auth';
import { addAuthRoutes, createRequestCaller } from '@x/auth/hono';
import { createEntities, type Entities, type Entity, type Service, toEntityTables } from '@x/entity';
import { CodedError, type Logger, silentLogger } from '@x/errors';
import { defaultBodyLimit } from '@x/http';
import type { DocumentInfo } from '@x/openapi';
import type { EventRecord, Stores } from '@x/store';
import { createMemoryStores } from '@x/store-memory';
import type { Hono } from 'hono';
import { addRoutesOfEntities } from './add-entity-routes.ts';
import { answerBare } from './bare-answers.ts';
import { createApp } from './create-app.ts';
import { type Answer, frameRequests } from './frame-requests.ts';
import { createHeadersOfPath } from './headers-of-path.ts';
import { addOpenApiRoutes } from './openapi/add-openapi-routes.ts';
import { createRequestGate } from './request-gate.ts';
import { type AccessSetup, createServerAccess, type ServerAccess } from './create-server-access.ts';
import { toAccessSetPort } from './to-access-set-port.ts';
import { createUpkeep } from './upkeep.ts';

/** What `createServer` takes. */
export interface ServerOptions<Model extends AccessModel = AccessModel> {
  /** The stores of the one database that everything lives in. Default: in memory, gone with the process. */
  readonly database?: Stores;
  readonly auth: Omit<AuthOptions, 'stores' | 'logger' | 'accessSet'>;
  /** Who may do what. Default: there are no entitlements. */
  readonly access?: AccessSetup<Model>;
  /** Each becomes the routes below `/api/<name>`. A `database` is opened with their tables: `toEntityTables` of their models. */
  readonly entities?: readonly Entity[];
  /** Each becomes the routes `POST /api/<name>/<action>`. */
  readonly services?: readonly Service[];
  /** A pino logger fits. Default: nothing is logged. */
  readonly logger?: Logger;
  /** Bytes that a request body may have. Default 262 144. */
  readonly bodyLimit?: number;
  /**
   * What the OpenAPI document at `/api/openapi.json` says of the app; `/api/docs` shows it. Default: a title and a version.
   * `false`: neither is served.
   */
  readonly openapi?: Partial<DocumentInfo> | false;
}

/** An application server. `initialize` it before it takes requests. */
export interface Server<Model extends AccessModel = AccessModel> {
  readonly auth: Auth;
  /** Opens the access of callers; null where `access` was not set up. */
  readonly access: ServerAccess<Model> | null;
  readonly stores: Stores;
  /** The entities, for the app's own code. */
  readonly entities: Entities;
  /** The routes; an app adds its own before the first request. */
  readonly app: Hono;
  /** Answers one request: the whole server for Node, Bun, Deno, workers, or another framework. */
  readonly fetch: (request: Request, env?: object) => Promise<Response>;
  /** Does what {@link fetch} does, and spares a promise where the answer is there at once. */
  readonly answer: Answer;
  /**
   * Brings the database to the current schema, and from then on deletes what has had its time, every ten minutes. Where
   * the stores go by a clock of `createDatabaseClock`, it is synchronized with the database now and every minute.
   * Idempotent, and safe in many processes at once.
   */
  initialize(): Promise<void>;
  /**
   * Refuses new requests with 503, finishes what is under way for 10 s at most, listeners included, and closes the
   * stores. Idempotent.
   */
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
export async function createServer<Model extends AccessModel>(options: ServerOptions<Model>): Promise<Server<Model>> {
  const { entities: declared = [], services = [], logger = silentLogger, bodyLimit = defaultBodyLimit } = options;
  const { database: stores = memoryStores(declared), openapi: info = {} } = options;
  const onEvent = loggedEvents(logger, options.auth.onEvent);
  const access = options.access
    ? createServerAccess({ ...options.access, stores, callerOf: (c) => callerOf(c), logger })
    : null;
  const entities = createEntities({ entities: declared, services, stores, access, logger });
  const port = access && { accessSet: toAccessSetPort(access) };
  const auth = await createAuth({ ...options.auth, ...port, onEvent, stores, logger });
  const callerOf = createRequestCaller(auth);
  const app = createApp({ config: auth.context.config, logger, isReady: () => isReady(stores) });
  addAuthRoutes(app.basePath('/api/auth'), auth, { bodyLimit });
  addRoutesOfEntities(app.basePath('/api'), { auth, entities, bodyLimit });
  if (info !== false) addOpenApiRoutes(app.basePath('/api'), { auth, entities: declared, services, info });

  const upkeep = createUpkeep({ auth, stores, logger });
  const headersOf = createHeadersOfPath({
    baseUrl: auth.context.config.baseUrl,
    entities: [...declared, ...services].map(({ name }) => name),
  });
  const framed = frameRequests(app, { headersOf, logger });
  const gate = createRequestGate();
  const answer: Answer = (request, env) => gate.enter(() => framed(request, env)) ?? answerBare(stopping());
  const finish = async (): Promise<void> => {
    await gate.close();
    await auth.drain();
  };
  const close = async (): Promise<void> => {
    await atMost(Promise.all([finish(), upkeep.stop()]), graceMs);
    await stores.close();
  };
  let closed: Promise<void> | undefined;
  return {
    auth,
    access,
    stores,
    entities,
    app,
    answer,
    fetch: async (request, env) => answer(request, env),
    async initialize() {
      await stores.migrate();
      await assertTables(stores, declared);
      await upkeep.start();
    },
    close: () => (closed ??= close()),
  };
}

/** How long requests and listeners that are under way may take once the server closes. */
const graceMs = 10_000;

async function atMost(work: Promise<unknown>, milliseconds: number): Promise<void> {
  const over = Promise.withResolvers<void>();
  const timer = setTimeout(over.resolve, milliseconds);
  await Promise.race([work, over.promise]);
  clearTimeout(timer);
}

function memoryStores(entities: readonly Entity[]): Stores {
  const tables = toEntityTables(entities.map(({ model }) => model));
  return createMemoryStores({ entities: tables });
}

/** @throws TypeError where the stores were opened without the table of an entity: better now than at the first request */
async function assertTables(stores: Stores, entities: readonly Entity[]): Promise<void> {
  for (const { name } of entities) await stores.entities.count(name, { type: 'constant', value: false });
}

function stopping(): CodedError {
  return new CodedError('SERVICE_UNAVAILABLE', 'The service is stopping.', { retryAfter: 1 });
}

/** Writes every security event to the log, too, where operators look first. */
function loggedEvents(logger: Logger, listener: AuthOptions['onEvent']): (event: EventRecord) => void | Promise<void> {
  return (event) => {
    const { type, at, userId, tenantId, sessionId, ipAddress } = event;
    logger.info({ event: type, at, userId, tenantId, sessionId, ipAddress }, 'security event');
    return listener?.(event);
  };
}

async function isReady(stores: Stores): Promise<boolean> {
  try {
    await stores.ping();
    return true;
  } catch {
    return false;
  }
}
