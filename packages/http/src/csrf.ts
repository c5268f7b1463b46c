import { type Awaitable, CodedError, type OptionNames, refuseUnknownOptions } from '@x/errors';
import type { Context, MiddlewareHandler } from 'hono';

/** The pages that may send writes. */
export interface CsrfPolicy {
  /** The app's own origin, normalized; null in development without a `baseUrl`. */
  readonly ownOrigin: string | null;
  /** Further origins, normalized; only these may be cross-site. */
  readonly trustedOrigins: ReadonlySet<string>;
  /** Whether `localhost` and `127.0.0.1` count as own, on the port of the request. Never in production. */
  readonly allowLoopback: boolean;
}

/** The settings that a policy follows from. */
export interface CsrfOptions {
  readonly baseUrl?: string | undefined;
  /** They must be normalized already. */
  readonly trustedOrigins: readonly string[];
  readonly production: boolean;
}

const optionNames: OptionNames<CsrfOptions> = { baseUrl: true, trustedOrigins: true, production: true };

const policyNames: OptionNames<CsrfPolicy> = { ownOrigin: true, trustedOrigins: true, allowLoopback: true };

/**
 * Builds the policy of a configuration.
 *
 * @throws ConfigurationError naming every unknown option
 */
export function createCsrfPolicy(options: CsrfOptions): CsrfPolicy {
  refuseUnknownOptions(options, optionNames);
  return {
    ownOrigin: options.baseUrl === undefined ? null : originOf(options.baseUrl),
    trustedOrigins: new Set(options.trustedOrigins),
    allowLoopback: !options.production,
  };
}

/** What a request says about the page that sent it. */
export interface RequestOrigin {
  readonly csrfHeader: string | undefined;
  readonly origin: string | undefined;
  readonly referer: string | undefined;
  readonly secFetchSite: string | undefined;
  /** The port of the request. */
  readonly port: string;
}

/** Decides whether a write was sent by a page of the app. */
export function passesCsrfCheck(request: RequestOrigin, policy: CsrfPolicy): boolean {
  if (request.csrfHeader !== '1') return false;
  const origin = statedOrigin(request, policy);
  if (origin === null) return false;
  const isTrusted = policy.trustedOrigins.has(origin);
  // `Referer` is weaker evidence than `Origin`, so it does not prove that a cross-site request comes from a trusted
  // page.
  if (request.secFetchSite === 'cross-site') return isTrusted && request.origin !== undefined;
  return isTrusted || origin === policy.ownOrigin || (policy.allowLoopback && isLoopback(origin, request.port));
}

/**
 * Refuses requests that no page of the app sent, with `CSRF_FAILED`.
 *
 * @param isExempt - only called for a request that would be refused; true lets it pass. It must be certain that no
 * browser attached the credentials on its own: for example, a verified bearer token and none of our cookies
 * @throws ConfigurationError naming every unknown member of the policy
 */
export function csrf(
  policy: CsrfPolicy,
  isExempt: (c: Context) => Awaitable<boolean> = () => false,
): MiddlewareHandler {
  refuseUnknownOptions(policy, policyNames);
  return async function checkCsrf(c, next) {
    if (!passesCsrfCheck(requestOrigin(c), policy) && !(await isExempt(c))) {
      throw new CodedError('CSRF_FAILED', 'The request was not sent by a page of this application.');
    }
    await next();
  };
}

/**
 * Says whether a request has any cookie whose name starts with `app.`, the prefix of all cookies of this library.
 *
 * When in doubt it says yes: a name in quotes or after a comma counts, and so does one inside a quoted value, because a
 * parser that ignores quotes would find it.
 */
export function sendsAppCookie(headers: Headers): boolean {
  const cookies = headers.get('cookie');
  return cookies !== null && appCookie.test(cookies);
}

const appCookie = /(?:^|[;,])[\s"]*app\./;

/** Most requests state the own origin, which can be recognized without parsing. */
function statedOrigin({ origin, referer }: RequestOrigin, { ownOrigin }: CsrfPolicy): string | null {
  if (origin !== undefined) return origin === ownOrigin ? origin : parseOrigin(origin);
  return referer === undefined ? null : originOf(referer);
}

function isLoopback(origin: string, port: string): boolean {
  return [`http://localhost:${port}`, `http://127.0.0.1:${port}`].some((own) => originOf(own) === origin);
}

function requestOrigin(c: Context): RequestOrigin {
  return {
    csrfHeader: c.req.header('x-app-request'),
    origin: c.req.header('origin'),
    referer: c.req.header('referer'),
    secFetchSite: c.req.header('sec-fetch-site'),
    port: portOf(c),
  };
}

function portOf(c: Context<{ Bindings: { incoming?: { socket?: { localPort?: number } } } }>): string {
  const localPort = c.env?.incoming?.socket?.localPort;
  return localPort === undefined ? new URL(c.req.url).port || '80' : String(localPort);
}

/**
 * Parses an `Origin` header, or a configured origin, to its normalized form (RFC 6454 section 6.2): lower-case scheme
 * and host, no default port. Null for anything else, including the `null` origin.
 */
function parseOrigin(text: string): string | null {
  return originSyntax.test(text) ? originOf(text) : null;
}

/** Returns the origin of an absolute URL, such as a `Referer`; null for anything else. */
function originOf(url: string): string | null {
  if (!URL.canParse(url)) return null;
  const { origin } = new URL(url);
  return origin === 'null' ? null : origin;
}

// As browsers send it: an ASCII host, and nothing that a URL parser would decode, map, trim or drop.
const originSyntax = /^https?:\/\/([\w.-]+|\[[\da-f:.]+\])(:[1-9]\d{0,4})?$/i;
