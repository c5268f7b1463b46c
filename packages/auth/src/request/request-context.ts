import { parseIpAddress } from '@x/http/address';

/** The parts of a request that a verb needs to know. */
export interface RequestContext {
  readonly headers: Headers;
  /** The client's address as the server sees it, in canonical form; null if it is unknown. */
  readonly ipAddress: string | null;
}

/**
 * The request that a caller of `auth.api` acts for: its headers, with the client's address if it is known. Limits count
 * all calls without one together.
 */
export type ApiRequest = Headers | { readonly headers: Headers; readonly ipAddress?: string | null };

/** Converts the argument of a call of `auth.api`; without one, the call is anonymous. */
export function toRequestContext(request: ApiRequest = new Headers()): RequestContext {
  if (isHeaders(request)) return { headers: request, ipAddress: null };
  const { headers, ipAddress } = request;
  return { headers, ipAddress: ipAddress ? parseIpAddress(ipAddress) : null };
}

/** Returns the request's user agent in storable form: at most 512 characters, without control characters. */
export function userAgentOf({ headers }: RequestContext): string | null {
  const userAgent = headers
    .get('user-agent')
    ?.replace(/\p{Cc}/gu, '')
    .slice(0, 512)
    .toWellFormed();
  return userAgent || null;
}

/** Not `instanceof`: the headers may come from another implementation. */
function isHeaders(request: ApiRequest): request is Headers {
  return 'get' in request && typeof request.get === 'function';
}
