import type { AccessModel, EntitlementName } from '@x/access';
import {
  type Principal,
  type Auth,
  type AuthOptions,
  createAuth,
  describeAuth,
  type NoFields,
  type UserFields,
} from '@x/auth';
import { createRequestCaller } from '@x/auth/hono';
import { createEntities, type Entities, type Entity, type Service, toEntityTables } from '@x/entity';
import {
  type Awaitable,
  ConfigurationError,
  findUnknownOptions,
  type Logger,
  type LoggerOption,
  toLogger,
} from '@x/errors';
import { createClientAddress, defaultBodyLimit, requestPath } from '@x/http';
import { networkOf } from '@x/http/address';
import type { DocumentInfo } from '@x/openapi';
import type { ChangeFeed, EntityTable, EventRecord, MigrateOptions, Stores } from '@x/store';
import { none } from '@x/store/where';
import { createMemoryStores } from '@x/store-memory';
import type { Hono } from 'hono';
import { Admission } from './admission/admission.ts';
import { createApp } from './wiring/create-app.ts';
import { handleRequests, type RequestHandler } from './http/handle-requests.ts';
import { Live } from './live/live.ts';
import { livePath } from './live/routes.ts';
import { healthPaths, isHealthCheck } from './http/health-routes.ts';
import { createMaintenance } from './maintenance/maintenance.ts';
import { openApiPaths } from './http/openapi-routes.ts';
import { createServes } from './http/served-paths.ts';
import { metricsPath, type ServerMetrics } from './http/server-metrics.ts';
import { findUnprovable, joinOrganizations, type ServerOrganizations } from './wiring/organizations.ts';
import { type AccessSetup, createServerAccess, type ServerAccess, toAccessSetPort } from './wiring/server-access.ts';

/** The options of `createServer`. */
export interface ServerOptions<
  Model extends AccessModel = AccessModel,
  Fields extends UserFields = NoFields,
  Declared extends readonly Entity[] = readonly Entity[],
> {
  /**
   * The stores, or a function that opens them with what the server needs of them. Stores that the app has opened itself
   * need the tables of its entities: `toEntityTables` of their models. Default: in memory.
   */
  readonly database?: Stores | ((needs: StoreNeeds) => Stores);
  readonly auth: Omit<AuthOptions<Fields>, 'stores' | 'logger' | 'accessSet'>;
  /**
   * The access definition, and how to find the tenant of a resource. Default: those of `organizations`; without them,
   * there are no entitlements.
   */
  readonly access?: AccessSetup<Model>;
  /** Each entity is served at `/api/<name>`. */
  readonly entities?: Declared;
  /**
   * The tenants of the app, as `createOrganizations` of `@x/organizations` returns them. They bring an entity, find the
   * organization of a resource, and are the tenancy of auth. A hook of `auth` runs before that of organizations.
   */
  readonly organizations?: ServerOrganizations<Model>;
  /** Each action is served at `/api/<name>/<action>`, by default for `POST`. */
  readonly services?: readonly Service[];
  /**
   * Whether `GET /api/live` notifies clients of changes. Stores that the app has opened itself need `changes: true`.
   * Default: no.
   */
  readonly live?: boolean;
  /**
   * For example a pino logger. Default: the console, which gets lines of every level but `debug`, and stacks except in
   * production. `false` logs nothing.
   */
  readonly logger?: LoggerOption;
  /** The most bytes that a request body may have, or a line of an import. Default 262,144. */
  readonly bodyLimit?: number;
  /**
   * Whether the requests of one client have a concurrency limit. `false` where a proxy does this. Default: yes.
   */
  readonly admission?: boolean;
  /**
   * The title, version and so on of the OpenAPI document at `/api/openapi.json`, which `/api/docs` shows. `false`
   * serves neither.
   */
  readonly openapi?: Partial<DocumentInfo> | false;
  /**
   * What `createMetrics` of `@x/server/metrics` returns. `GET /metrics` then has the metrics as Prometheus reads them,
   * for anybody who asks: let a proxy refuse this path. Default: nothing is measured.
   */
  readonly metrics?: ServerMetrics;
}

/** What a server needs of the stores that are opened for it. */
export interface StoreNeeds {
  /** The tables of all entities, those of organizations among them. */
  readonly entities: readonly EntityTable[];
  /** Whether the feed of changes has to be kept. */
  readonly changes: boolean;
}

/** An application server. Call `initialize` before it takes requests. */
export interface Server<
  Model extends AccessModel = AccessModel,
  Fields extends UserFields = NoFields,
  Declared extends readonly Entity[] = readonly Entity[],
> {
  readonly auth: Auth<Fields>;
  /** Creates access contexts for callers; null without an access definition. */
  readonly access: AccessModel extends Model ? ServerAccess<Model> | null : ServerAccess<Model>;
  readonly stores: Stores;
  /** The feed of changes, for webhooks, a search index, or a cache. */
  readonly changes: ChangeFeed;
  /** The streams that this process serves; null without `live`. */
  readonly live: StreamsOfServer | null;
  /** The operations on entities, for the app's own code. */
  readonly entities: Entities<Declared, EntitlementName<Model>>;
  /** The Hono app; add your own routes before the first request. */
  readonly app: Hono;
  /** Handles one request. This is the whole server, for Node, Bun, Deno, workers, or another framework. */
  readonly fetch: (request: Request, env?: object) => Promise<Response>;
  /** Like {@link fetch}, but without a promise if the response is available synchronously. */
  readonly respond: RequestHandler;
  /**
   * Says whether a request is for this server, by its URL or its path, so that an app can handle the others: those at
   * and below the auth routes, an entity, a service, the document, the stream and a health check, and those of routes
   * that you added to {@link app}.
   */
  readonly serves: (url: string) => boolean;
  /** Limits how many requests of one client run at the same time, and knows which are in flight. */
  readonly admission: AdmissionOfServer;
  /**
   * Creates or migrates the tables, and from then on deletes expired rows every ten minutes. A clock that
   * follows the database server is synchronized with it now and every minute. Idempotent, and safe in many
   * processes at once. Logs the steps that wait for `allowContract`, which is for the time when no earlier version runs
   * any more.
   */
  initialize(migration?: MigrateOptions): Promise<void>;
  /**
   * Stops what listens by `listen`, refuses new requests with 503, gives requests and hooks in progress up to 10 s to
   * finish, and closes the stores. Idempotent.
   */
  close(): Promise<void>;
}

/** The part of the live streams that listeners use. */
interface StreamsOfServer {
  /** Ends all streams, and makes their clients reconnect a little later. No other stream is opened. */
  stop(): void;
}

/** An admission without private fields, whose types would differ between two copies of this package. */
type AdmissionOfServer = Pick<Admission, keyof Admission>;

/**
 * Wires stores, auth and routes into one server.
 *
 * @throws ConfigurationError with every problem of the settings or keys, unknown options included
 * @example
 * ```ts
 * const server = await createServer({ auth: { production: false, session: { strategy: 'jwt' } } });
 * await server.initialize();
 * const response = await server.fetch(new Request('http://localhost/healthz'));
 * ```
 */
export function createServer<
  Model extends AccessModel,
  const Fields extends UserFields = NoFields,
  const Declared extends readonly Entity[] = readonly Entity[],
>(options: ServerOptions<Model, Fields, Declared>): Promise<Server<Model, Fields, Declared>>;
export async function createServer(options: ServerOptions): Promise<Server> {
  const { organizations, bodyLimit = defaultBodyLimit, metrics } = options;
  const logger = toLogger(options.logger, options.auth.production);
  const declared = listEntities(options);
  const services = listServices(options);
  const { openapi: info = {} } = options;
  const stores = openStores(declared, options);
  const orgResolver = options.access?.orgResolver ?? organizations?.orgResolver;
  const { definition } = options.access ?? organizations ?? {};
  const access = definition
    ? createServerAccess({ definition, orgResolver, stores, callerOf: (c) => callerOf(c), logger })
    : null;
  const auth = await createCheckedAuth(findProblems(options, stores), {
    ...joinOrganizations(
      options.auth,
      organizations?.connect({ stores, entities: () => entities, logger, userFields: options.auth.userFields }),
    ),
    ...(access && { accessSet: toAccessSetPort(access) }),
    onEvent: loggedEvents(logger, metrics, options.auth.onEvent),
    stores,
    logger,
  });
  const callerOf = createRequestCaller(auth);
  const entities = createEntities({ entities: declared, services, stores, access, logger });
  const openapi = info === false ? null : { entities: declared, services, info };
  const admission = createAdmission(auth, options, bodyLimit);
  const live = options.live
    ? new Live({ stores, auth, entities, accessSet: access && toAccessSetPort(access), logger })
    : null;
  const app = createApp({ auth, entities, stores, admission, logger, bodyLimit, live, metrics, openapi });

  const names = [...declared, ...services].map(({ name }) => name);
  const respond = handleRequests(app, {
    baseUrl: auth.http.baseUrl,
    authPath: auth.http.basePath,
    entities: names,
    admission,
    logger,
    metrics,
  });

  const maintenance = createMaintenance({ auth, organizations, stores, logger });
  const drain = async (): Promise<void> => {
    live?.stop();
    await admission.drain();
    await Promise.all([auth.drain(), organizations?.drain()]);
  };
  const close = async (): Promise<void> => {
    if (admission.isListening) await admission.stopListeners();
    await atMost(Promise.all([drain(), maintenance.stop()]), graceMs);
    await stores.close();
  };
  let closed: Promise<void> | undefined;
  return {
    auth,
    access,
    stores,
    changes: stores.changes,
    live,
    entities,
    app,
    admission,
    respond,
    serves: createServes(app, [auth.http.basePath, ...pathsOfServer(options), ...names.map((name) => `/api/${name}`)]),
    fetch: async (request, env) => respond(request, env),
    async initialize(migration) {
      const { taken, waiting, notices } = await stores.migrate(migration);
      for (const { title, kind } of taken) logger.info({}, `migration: "${title}" is done (${kind})`);
      for (const { title } of waiting) logger.warn({}, `migration: "${title}" waits for allowContract`);
      for (const notice of notices) logger.warn({}, `migration: ${notice}`);
      await assertTables(stores, declared);
      await maintenance.start();
    },
    close: () => (closed ??= close()),
  };
}

/** Lists the entities of the app, after the entity of organizations. */
function listEntities({ organizations, entities = [] }: Pick<ServerOptions, 'organizations' | 'entities'>) {
  return organizations && !entities.includes(organizations.entity) ? [organizations.entity, ...entities] : entities;
}

/** Lists the services of the app, after the services of organizations. */
function listServices({ organizations, services = [] }: Pick<ServerOptions, 'organizations' | 'services'>) {
  const own = organizations?.services ?? [];
  return [...own.filter((service) => !services.includes(service)), ...services];
}

/** The settings of auth that the server provides. */
const ownedByServer = ['stores', 'logger', 'accessSet'] as const;

function findProblems(options: ServerOptions, stores: Stores): readonly string[] {
  const { database, auth, access, entities, organizations, services, live, openapi } = options;
  const { logger, bodyLimit, admission, metrics } = options;
  const own = { database, auth, access, entities, organizations, services, live, openapi };
  const info = openapi || undefined;
  const given = ownedByServer.filter((name) => Object.hasOwn(auth, name));
  return [
    ...findUnknownOptions(options, { ...own, logger, bodyLimit, admission, metrics }),
    ...findUnknownOptions(access, { definition: true, orgResolver: true }, 'access'),
    ...findUnknownOptions(info, { title: true, version: true, description: true, license: true }, 'openapi'),
    ...given.map((name) => `auth.${name}: is given by the server, which has an option for it.`),
    ...findTakenNames(options),
    ...findUnprovable(organizations, auth),
    ...(live && !stores.changes.isKept
      ? ['live: the database keeps no feed of changes; open its stores with `changes: true`.']
      : []),
  ];
}

/** Finds entities, services and an auth path whose paths the server already uses for other routes. */
function findTakenNames(options: ServerOptions): readonly string[] {
  const { auth, openapi } = options;
  const entities = listEntities(options);
  const services = listServices(options);
  const { basePath, routes } = describeAuth({ basePath: auth.basePath });
  const ofAuth = new Set(routes.map(({ path }) => /^\/api\/([^/]+)/.exec(`${basePath}${path}`)?.[1]));
  const elsewhere = 'give it another one, or auth another basePath.';
  return [
    ...pathsOfServer(options).flatMap((path) =>
      `${basePath}/`.startsWith(`${path}/`) ? [`auth.basePath: the server has ${path}; choose another one.`] : [],
    ),
    ...(options.live && [...entities, ...services].some(({ name }) => name === 'live')
      ? ['live: the stream of notices has this name; give it another one, or set live to false.']
      : []),
    ...[...entities, ...services].flatMap(({ name }) =>
      ofAuth.has(name) ? [`${name}: the routes of auth have this name; ${elsewhere}`] : [],
    ),
    ...(openapi !== false && entities.some(({ name }) => name === 'docs')
      ? ['docs: the page of the OpenAPI document has this name; give it another one, or set openapi to false.']
      : []),
  ];
}

/** Lists the paths that belong neither to auth nor to a declaration of the app. */
function pathsOfServer(options: Pick<ServerOptions, 'openapi' | 'live' | 'metrics'>): readonly string[] {
  const { openapi, live, metrics } = options;
  return [
    ...healthPaths,
    ...(metrics ? [metricsPath] : []),
    ...(openapi === false ? [] : openApiPaths),
    ...(live ? [livePath] : []),
  ];
}

/** Creates the auth, and reports the problems of its settings together with those of the other options. */
async function createCheckedAuth(problems: readonly string[], settings: AuthOptions): Promise<Auth> {
  try {
    const auth = await createAuth(settings);
    if (problems.length === 0) return auth;
  } catch (error) {
    if (!(error instanceof ConfigurationError)) throw error;
    throw new ConfigurationError([...problems, ...error.problems]);
  }
  throw new ConfigurationError(problems);
}

/** Creates the admission. A request counts for the user of its credential, and for its network. */
function createAdmission(
  auth: Auth,
  { admission: isLimited = true, metrics }: Pick<ServerOptions, 'admission' | 'metrics'>,
  bodyLimit: number,
): Admission {
  const callerOf = createRequestCaller(auth);
  const clientAddress = createClientAddress(auth.http.trustProxy);
  return new Admission({
    bodyLimit,
    isExempt({ url }) {
      const path = requestPath(url);
      return !isLimited || isHealthCheck(path) || (metrics !== undefined && path === metricsPath);
    },
    callerOf(request) {
      const caller = callerOf({ req: { raw: request } });
      // If a credential of the app fails, its request counts for the network, and the route reports the failure.
      return caller instanceof Promise ? caller.then(toUserId, () => null) : toUserId(caller);
    },
    networkOf(request, env) {
      const address = clientAddress({ req: { raw: request }, env });
      return address === null ? 'unknown' : networkOf(address);
    },
  });
}

function toUserId(caller: Principal | null): string | null {
  return caller && caller.userId;
}

/** How long requests and listeners in progress may take once the server closes. */
const graceMs = 10_000;

async function atMost(work: Promise<unknown>, milliseconds: number): Promise<void> {
  const over = Promise.withResolvers<void>();
  const timer = setTimeout(over.resolve, milliseconds);
  await Promise.race([work, over.promise]);
  clearTimeout(timer);
}

function openStores(
  entities: readonly Entity[],
  {
    database = createMemoryStores,
    organizations,
    live = false,
  }: Pick<ServerOptions, 'database' | 'organizations' | 'live'>,
): Stores {
  if (typeof database !== 'function') return database;
  const models = new Set([...entities.map(({ model }) => model), ...(organizations?.models ?? [])]);
  return database({ entities: toEntityTables([...models]), changes: live });
}

/** @throws TypeError if the stores were opened without the table of an entity, rather than at the first request */
async function assertTables(stores: Stores, entities: readonly Entity[]): Promise<void> {
  for (const { name } of entities) await stores.entities.count(name, none);
}

/** Returns a listener that logs and counts every security event before it calls the app's listener. */
function loggedEvents(
  logger: Logger,
  metrics: ServerMetrics | undefined,
  listener: AuthOptions['onEvent'],
): (event: EventRecord) => Awaitable<void> {
  return (event) => {
    const { type, at, userId, tenantId, sessionId, ipAddress } = event;
    logger.info({ event: type, at, userId, tenantId, sessionId, ipAddress }, 'security event');
    metrics?.noteEvent(type);
    return listener?.(event);
  };
}
