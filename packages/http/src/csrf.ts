import { CodedError } from '@x/errors';
import type { Context, MiddlewareHandler } from 'hono';
import { originOf, parseOrigin } from './origin.ts';

/** Which pages may send requests that write. */
export interface CsrfPolicy {
  /** The own origin, in normal form; null in a development server without one. */
  readonly ownOrigin: string | null;
  /** Further origins, in normal form; only these may be cross-site. */
  readonly trustedOrigins: ReadonlySet<string>;
  /** Whether `localhost` and `127.0.0.1` on the port that the request came to count as own. Never in production. */
  readonly allowLoopback: boolean;
}

/** Builds the policy of a configuration, whose trusted origins are in normal form already. */
export function createCsrfPolicy(options: {
  readonly baseUrl?: string | undefined;
  readonly trustedOrigins: readonly string[];
  readonly production: boolean;
}): CsrfPolicy {
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
  /** The port that the request came to. */
  readonly port: string;
}

/** Decides whether a request that writes was meant by a page of ours. */
export function isSentByOwnPage(request: RequestOrigin, policy: CsrfPolicy): boolean {
  if (request.csrfHeader !== '1') return false;
  const origin = statedOrigin(request, policy);
  if (origin === null) return false;
  const isTrusted = policy.trustedOrigins.has(origin);
  // A referer is a weaker statement than an origin, and no proof that a cross-site request is one of a trusted page.
  if (request.secFetchSite === 'cross-site') return isTrusted && request.origin !== undefined;
  return isTrusted || origin === policy.ownOrigin || (policy.allowLoopback && isLoopback(origin, request.port));
}

/**
 * Refuses a request that no page of ours sent: `CSRF_FAILED`.
 *
 * @param isExempt - asked only about a request that would be refused; true lets it pass. It must be certain that no
 *   browser attached the proof of who calls on its own: a verified bearer token and no cookie of ours is such a case
 */
export function requireOwnPage(
  policy: CsrfPolicy,
  isExempt: (c: Context) => Promise<boolean> | boolean = () => false,
): MiddlewareHandler {
  return async function requireOwnPage(c, next) {
    if (!isSentByOwnPage(requestOrigin(c), policy) && !(await isExempt(c))) {
      throw new CodedError('CSRF_FAILED', 'The request was not sent by a page of this application.');
    }
    await next();
  };
}

/** Most requests state the own origin, which needs no parser to say what it is. */
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
