import { parseIpAddress } from '@x/http/address';

/** What a verb needs to know of the request that it serves. */
export interface RequestContext {
  readonly headers: Headers;
  /** The client's address as the server sees it, in canonical form; null where there is none. */
  readonly ipAddress: string | null;
}

/** How a caller of `auth.api` names the request that it acts for: its headers, with the address where it is known. */
export type ApiRequest = Headers | { readonly headers: Headers; readonly ipAddress?: string | null };

/** Converts what a caller of `auth.api` passed; nothing means a call on nobody's behalf. */
export function toRequestContext(request: ApiRequest = new Headers()): RequestContext {
  if (isHeaders(request)) return { headers: request, ipAddress: null };
  const { headers, ipAddress } = request;
  return { headers, ipAddress: ipAddress ? parseIpAddress(ipAddress) : null };
}

/** Returns the request's user agent, fit to be stored: at most 512 characters, none of them a control character. */
export function userAgentOf({ headers }: RequestContext): string | null {
  const userAgent = headers
    .get('user-agent')
    ?.replace(/\p{Cc}/gu, '')
    .slice(0, 512)
    .toWellFormed();
  return userAgent || null;
}

/** Headers of another implementation are no instance of ours. */
function isHeaders(request: ApiRequest): request is Headers {
  return 'get' in request && typeof request.get === 'function';
}
