import { CodedError } from '@x/errors';

/** The pages that may send writes. */
export interface CsrfPolicy {
  /** The app's own origin, normalized; null in development without a `baseUrl`. */
  readonly ownOrigin: string | null;
  /** Further origins, normalized; only these may be cross-site. */
  readonly trustedOrigins: ReadonlySet<string>;
  /**
   * In production, `localhost` and `127.0.0.1` on the port of the request do not count as own, and an error does not
   * say why a request is refused.
   */
  readonly production: boolean;
  readonly evidence: CsrfEvidence;
}

/**
 * What shows, besides its origin, that a page of the app meant to send a write, as a form of another site can't: the
 * `header` `X-APP-Request: 1`; with `fetch-metadata`, that or `Sec-Fetch-Site: same-origin`, which every browser sends
 * over https; `none` where a framework has checks of its own.
 */
export type CsrfEvidence = 'header' | 'fetch-metadata' | 'none';

/** The settings that a policy follows from. */
export interface CsrfOptions {
  readonly baseUrl?: string | undefined;
  /** They must be normalized already. */
  readonly trustedOrigins: readonly string[];
  readonly production: boolean;
  /** Default `header`. */
  readonly evidence?: CsrfEvidence | undefined;
}

/** Builds the policy of a configuration. */
export function createCsrfPolicy(options: CsrfOptions): CsrfPolicy {
  return {
    ownOrigin: options.baseUrl === undefined ? null : originOf(options.baseUrl),
    trustedOrigins: new Set(options.trustedOrigins),
    production: options.production,
    evidence: options.evidence ?? 'header',
  };
}

/** The headers of a request about the page that sent it. */
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
  if (!hasEvidence(request, policy)) return false;
  const origin = statedOrigin(request, policy);
  if (origin === null) return false;
  const isTrusted = policy.trustedOrigins.has(origin);
  // `Referer` is weaker evidence than `Origin`, so it does not prove that a cross-site request comes from a trusted
  // page.
  if (request.secFetchSite === 'cross-site') return isTrusted && request.origin !== undefined;
  return isTrusted || origin === policy.ownOrigin || (!policy.production && isLoopback(origin, request.port));
}

/**
 * Reads from the headers of a request which page sent it.
 *
 * @param port - the port that the request came to
 */
export function requestOrigin(headers: Headers, port: string): RequestOrigin {
  return {
    csrfHeader: headers.get('x-app-request') ?? undefined,
    origin: headers.get('origin') ?? undefined,
    referer: headers.get('referer') ?? undefined,
    secFetchSite: headers.get('sec-fetch-site') ?? undefined,
    port,
  };
}

/** The error of a request that no page of the app sent. Outside production, it says what the request lacks. */
export function csrfFailed(request: RequestOrigin, policy: CsrfPolicy): CodedError {
  const message = 'The request was not sent by a page of this application.';
  return new CodedError('CSRF_FAILED', policy.production ? message : `${message} ${explain(request, policy)}`);
}

/** Names everything that {@link passesCsrfCheck} misses. */
function explain(request: RequestOrigin, policy: CsrfPolicy): string {
  const lacks: string[] = [];
  if (!hasEvidence(request, policy)) {
    const orMetadata = policy.evidence === 'fetch-metadata' ? ', or Sec-Fetch-Site: same-origin' : '';
    lacks.push(`It needs the header X-APP-Request: 1${orMetadata}.`);
  }
  if (!passesCsrfCheck(request, { ...policy, evidence: 'none' })) lacks.push(explainOrigin(request));
  return lacks.join(' ');
}

function explainOrigin({ origin, referer, secFetchSite }: RequestOrigin): string {
  if (origin === undefined && referer === undefined) return 'It needs an Origin or a Referer.';
  const stated = origin === undefined ? `Referer ${originOf(referer ?? '')}` : `Origin ${origin}`;
  const known = secFetchSite === 'cross-site' ? 'one of the trustedOrigins' : 'that of baseUrl or a trusted one';
  return `Its ${stated} is not ${known}.`;
}

/**
 * Says whether a request has a cookie whose name starts with a prefix and a dot, as those of this library do.
 *
 * When in doubt it says yes: a name in quotes or after a comma counts, and so does one inside a quoted value, because a
 * parser that ignores quotes would find it.
 *
 * @param prefix - default `app`
 */
export function sendsAppCookie(headers: Headers, prefix = 'app'): boolean {
  const parts = headers.get('cookie')?.split(/[;,]/) ?? [];
  return parts.some((part) => part.replace(/^[\s"]+/, '').startsWith(`${prefix}.`));
}

function hasEvidence({ csrfHeader, secFetchSite }: RequestOrigin, { evidence }: CsrfPolicy): boolean {
  if (evidence === 'none' || csrfHeader === '1') return true;
  return evidence === 'fetch-metadata' && secFetchSite === 'same-origin';
}

/** Most requests state the own origin, which can be recognized without parsing. */
function statedOrigin({ origin, referer }: RequestOrigin, { ownOrigin }: CsrfPolicy): string | null {
  if (origin !== undefined) return origin === ownOrigin ? origin : parseOrigin(origin);
  return referer === undefined ? null : originOf(referer);
}

function isLoopback(origin: string, port: string): boolean {
  return [`http://localhost:${port}`, `http://127.0.0.1:${port}`].some((own) => originOf(own) === origin);
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
