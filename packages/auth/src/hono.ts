import { type Awaitable, CodedError, ConfigurationError, type Logger } from '@x/errors';
import {
  createClientAddress,
  csrf,
  defaultBodyLimit,
  errorHandler,
  hasBody,
  matchesEntityTag,
  readForm,
  readJson,
  readNothing,
  readOptionalJson,
  readParameters,
  refuseHead,
  renderError,
  renderJson,
  requireBodyWithin,
  requirePlainParameters,
  responseHeaders,
} from '@x/http';
import { type Context, type Handler, Hono, type MiddlewareHandler } from 'hono';
import { z } from 'zod';
import type { Auth } from './create-auth.ts';
import type { AuthDependencies } from './describe-auth.ts';
import { csrfPolicyOf } from './guard-checks.ts';
import { csrfExemption } from './hono-session.ts';
import type {
  AuthOutcome,
  AuthRequest,
  AuthRoute,
  JsonOutcome,
  PageOutcome,
  RedirectOutcome,
  RefusedOutcome,
} from './request/route.ts';
import { requirePrincipal } from './principal/principal.ts';
import { requireRefreshToken } from './session/require-refresh-token.ts';

export {
  createApiRequest,
  createRequestCaller,
  csrfExemption,
  requirePrincipal,
  requireRole,
  requireSession,
  session,
} from './hono-session.ts';
export type { PrincipalEnv, RequiredSessionEnv, SessionEnv } from './hono-session.ts';

/** Settings of the routes. */
export interface AuthRouteOptions {
  /** The most bytes that a request body may have. Default 262,144. */
  readonly bodyLimit?: number;
}

/**
 * Creates the auth routes. Mount them at the `basePath` of the settings (default `/api/auth`), which their cookies are
 * bound to. Anywhere else, every request is answered with `INTERNAL_ERROR`, which names both paths: a Hono app does not
 * know at the start where it is mounted.
 *
 * @example
 * ```ts
 * const app = new Hono().route('/api/auth', createAuthRoutes(auth));
 * ```
 */
export function createAuthRoutes(auth: Auth, options: AuthRouteOptions = {}): Hono {
  const app = new Hono();
  app.onError(errorHandler(auth.http.logger));
  app.use(responseHeaders({ 'Cache-Control': 'no-store' }), requireMountedAt(auth.http.basePath));
  addAuthRoutes(app, auth, options);
  return app;
}

/** Browsers would not return cookies that are bound to another path, so no user would stay signed in. */
function requireMountedAt(basePath: string): MiddlewareHandler {
  return async function checkMount(c, next) {
    if (!c.req.path.startsWith(`${basePath}/`)) {
      throw new CodedError(
        'INTERNAL_ERROR',
        `The auth routes were reached at ${c.req.path}: ${whereToMount(basePath)}`,
      );
    }
    await next();
  };
}

/**
 * Adds the auth routes to an app whose `onError` renders coded errors, and whose responses all say `no-store`. Routes
 * with an error handler and headers of their own, as {@link createAuthRoutes} creates them, would pay for them on every
 * request.
 *
 * @throws ConfigurationError if the app's own base path leads elsewhere than the `basePath` of the settings
 */
export function addAuthRoutes(app: Hono, auth: Auth, options: AuthRouteOptions = {}): void {
  const { bodyLimit = defaultBodyLimit } = options;
  const policy = csrfPolicyOf(auth);
  const withinLimit = requireBodyWithin(bodyLimit);
  const guards: Readonly<Record<AuthRoute['csrf'], readonly MiddlewareHandler[]>> = {
    none: [],
    required: [withinLimit, csrf(policy)],
    'unless-exempt': [withinLimit, csrf(policy, csrfExemption(auth))],
  };
  const deps = { auth, bodyLimit, clientAddress: createClientAddress(auth.http.trustProxy) };
  const methodsOf = methodsByPath(auth.routes);
  for (const route of auth.routes) {
    for (const { path, parameters } of toPaths(route)) {
      const head = route.hasEffects ? [refuseHead(methodsOf.get(path))] : [];
      app.on(route.method, [path], ...head, ...guards[route.csrf], createHandler(route, deps, parameters));
      refusePathElsewhere(app.routes.at(-1)?.path ?? '', path, auth.http.basePath);
    }
  }
}

/** An app that will be mounted in another one knows only the end of its path. */
function refusePathElsewhere(full: string, path: string, basePath: string): void {
  if (`${basePath}${path}`.endsWith(full)) return;
  const place = full.slice(0, -path.length);
  throw new ConfigurationError([`The auth routes would be at ${place}: ${whereToMount(basePath)}`]);
}

function whereToMount(basePath: string): string {
  return `mount them at '${basePath}', or set basePath to where they are.`;
}

/** The values that a path was written out for, by parameter. */
type FixedParameters = AuthRequest['parameters'];

/**
 * A parameter with an enum gets a path for each value, so that other values are unknown paths: they are 404 for every
 * method, before any check.
 */
function toPaths({ path, parameters = {} }: AuthRoute): readonly { path: string; parameters: FixedParameters }[] {
  for (const [name, schema] of Object.entries(parameters)) {
    if (!(schema instanceof z.ZodEnum)) continue;
    return schema.options.map((value) => ({
      path: path.replace(`:${name}`, String(value)),
      parameters: { [name]: String(value) },
    }));
  }
  return [{ path, parameters: {} }];
}

/** Lists the methods of each path, with HEAD where it is not refused. */
function methodsByPath(routes: Auth['routes']): ReadonlyMap<string, readonly string[]> {
  const methods = new Map<string, readonly string[]>();
  for (const route of routes) {
    const own = route.method === 'get' && !route.hasEffects ? ['GET', 'HEAD'] : [route.method.toUpperCase()];
    for (const { path } of toPaths(route)) methods.set(path, [...(methods.get(path) ?? []), ...own]);
  }
  return methods;
}

/** The dependencies of all handlers. */
interface HandlerDependencies {
  readonly auth: Auth;
  readonly bodyLimit: number;
  readonly clientAddress: (c: Context) => string | null;
}

const noQuery: AuthRequest['query'] = Object.freeze({});

function createHandler(route: AuthRoute<AuthDependencies>, deps: HandlerDependencies, fixed: FixedParameters): Handler {
  const { auth, clientAddress } = deps;
  // Plain reads do not need the address. Others need it before anything is awaited: a closed socket has none.
  const isPlainRead = route.csrf === 'none' && route.response.status === 200;
  const run = (c: Context, input?: unknown): ReturnType<typeof route.run> =>
    route.run(auth.dependencies, {
      headers: c.req.raw.headers,
      ipAddress: isPlainRead ? null : clientAddress(c),
      parameters: route.parameters ? { ...c.req.param(), ...fixed } : fixed,
      query: route.query ? Object.fromEntries(readParameters(c)) : noQuery,
      input,
    });
  const render = (c: Context, outcome: AuthOutcome): Awaitable<Response> => renderOutcome(c, outcome, auth.http.logger);
  if (route.csrf !== 'none' || route.input) {
    return async (c) => {
      const input = await readInput(c, route, deps);
      return refuseParameters(c, route, auth) ?? render(c, await run(c, input));
    };
  }
  return (c) => {
    const refused = refuseParameters(c, route, auth);
    if (refused !== null) return refused;
    const outcome = run(c);
    return outcome instanceof Promise ? outcome.then((settled) => render(c, settled)) : render(c, outcome);
  };
}

/**
 * Returns null, or rejects if a parameter could reach a prototype. A caller without a session gets that error before
 * any error of the query.
 */
function refuseParameters(c: Context, { caller }: AuthRoute, auth: Auth): Promise<never> | null {
  try {
    requirePlainParameters(c);
    return null;
  } catch (error) {
    return requireCaller(auth, caller, c.req.raw.headers).then(() => {
      throw error;
    });
  }
}

/**
 * Reads the body that a route takes. A body that the route does not take is read only if the caller has a session,
 * where the route requires one.
 *
 * @throws CodedError `UNSUPPORTED_MEDIA_TYPE`, `PAYLOAD_TOO_LARGE`, `INVALID_JSON`, `VALIDATION_FAILED`;
 * `UNAUTHENTICATED`, `SESSION_EXPIRED`
 */
async function readInput(
  c: Context,
  { input, caller }: AuthRoute,
  { auth, bodyLimit }: HandlerDependencies,
): Promise<unknown> {
  if (input?.encoding === 'form') return readForm(c, maxFormBytes);
  if (input !== undefined) return input.isOptional ? readOptionalJson(c, bodyLimit) : readJson(c, bodyLimit);
  if (!hasBody(c)) return undefined;
  await requireCaller(auth, caller, c.req.raw.headers);
  return readNothing(c, bodyLimit);
}

/** The fields of a form are passed on in a URL, so a form must not be longer than one. */
const maxFormBytes = 8 * 1024;

/** The operation requires the same once the input is read, but a caller without a session gets that error first. */
async function requireCaller(
  { dependencies: { sessions } }: Auth,
  caller: AuthRoute['caller'],
  headers: Headers,
): Promise<void> {
  if (caller === 'user') requirePrincipal(await sessions.authenticator.authenticate(headers));
  if (caller === 'session-owner') await requireRefreshToken(sessions, { headers, ipAddress: null });
}

function renderOutcome(c: Context, outcome: AuthOutcome, logger: Logger): Awaitable<Response> {
  if ('body' in outcome) return renderBody(c, outcome);
  if ('location' in outcome) return redirect(outcome);
  if ('page' in outcome) return renderPage(outcome);
  return renderRefusal(c, outcome, logger);
}

function renderBody(c: Context, { body, status = 200, cookies = [], headers = {}, etag }: JsonOutcome): Response {
  if (etag === undefined) return renderJson(c, body, { status, cookies, headers });
  const tagged = { ...headers, ETag: `"${etag}"` };
  if (matchesEntityTag(c.req.header('if-none-match'), tagged.ETag)) return c.body(null, 304, tagged);
  return renderJson(c, body, { status, cookies, headers: tagged });
}

/** The app adds its own headers. */
function redirect({ location, status = 302, cookies }: RedirectOutcome): Response {
  const headers = new Headers({ Location: location });
  for (const cookie of cookies) headers.append('Set-Cookie', cookie);
  return new Response(null, { status, headers });
}

/** The URL of a page may contain a secret, so it must not leave as a referrer. */
function renderPage({ page }: PageOutcome): Response {
  const headers = {
    'Content-Type': 'text/html; charset=utf-8',
    'Content-Security-Policy': "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
    'Referrer-Policy': 'no-referrer',
  };
  return new Response(page, { headers });
}

/** A refusal is expected; a fault is logged like one that was thrown. */
async function renderRefusal(c: Context, { error, cookies }: RefusedOutcome, logger: Logger): Promise<Response> {
  if (error instanceof CodedError && error.status < 500) return renderError(c, error, { cookies });
  const response = await errorHandler(logger)(error instanceof Error ? error : new Error(String(error)), c);
  for (const cookie of cookies) response.headers.append('Set-Cookie', cookie);
  return response;
}
