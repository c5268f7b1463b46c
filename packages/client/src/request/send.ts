import type { ErrorBody } from '@x/errors';
import { type ClientResult, failTo, succeed } from './client-result.ts';

/** Options of a request. */
export interface RequestOptions {
  /** Default: `GET`. */
  readonly method?: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** Sent as JSON. */
  readonly body?: unknown;
  /** Query parameters; undefined and null ones are left out. */
  readonly query?: object;
  readonly headers?: Readonly<Record<string, string>>;
  /** Writes only the version with this `etag`; any other is `PRECONDITION_FAILED`. */
  readonly ifMatch?: string | undefined;
  /** Aborts the request, or the wait for it, with `ABORTED`. */
  readonly signal?: AbortSignal | undefined;
}

/** Sends one request, once. Without an answer after `timeoutMs` it is `NETWORK_FAILED`. Default: no limit. */
export type Send = (path: string, options?: RequestOptions, timeoutMs?: number) => Promise<TimedResult>;

/** An outcome, with the time of the server. */
export type TimedResult<T = unknown> = ClientResult<T> & {
  /** The `Date` header in milliseconds since 1970, in whole seconds; `NaN` if it can't be read. */
  readonly serverTime?: number;
  /** The `ETag` header: the version of the record. */
  readonly etag?: string | null;
};

/** How a client sends requests. */
export interface Transport {
  readonly baseUrl: string;
  readonly fetch: typeof fetch;
  readonly bearer?: (() => string | Promise<string>) | undefined;
}

/**
 * Creates the function that sends a request and reads its answer. It only throws what is not an outcome: errors of
 * `bearer`, and of a body that is not JSON.
 */
export function createSend({ baseUrl, fetch, bearer }: Transport): Send {
  return async (path, { method = 'GET', body, query = {}, headers, ifMatch, signal } = {}, timeoutMs) => {
    const timeout = timeoutMs && AbortSignal.timeout(timeoutMs);
    const init = {
      method,
      credentials: bearer ? 'omit' : 'include',
      headers: {
        'X-APP-Request': '1',
        ...(body !== undefined && { 'Content-Type': 'application/json' }),
        // Browsers set it themselves, and do not let scripts do so.
        Origin: new URL(baseUrl).origin,
        ...(bearer && { Authorization: `Bearer ${await bearer()}` }),
        ...(ifMatch && { 'If-Match': ifMatch }),
        ...headers,
      },
      body: JSON.stringify(body),
      // Requests that change the session are finished, and their cookies kept, even if the page is left meanwhile.
      keepalive: !!timeout,
      signal: AbortSignal.any([signal, timeout].filter((each) => !!each)),
    } as const;
    try {
      const response = await fetch(toUrl(baseUrl + path, query), init);
      return readResponse(response, await response.text());
    } catch {
      return failTo(signal?.aborted ? 'ABORTED' : 'NETWORK_FAILED');
    }
  };
}

function toUrl(url: string, query: object): string {
  const given: string[][] = Object.entries(query).filter(([, value]) => value != null);
  return given[0] ? `${url}?${new URLSearchParams(given)}` : url;
}

/** An answer that is not JSON comes from the application only if it has a request id. */
function readResponse({ ok, status, headers }: Response, text: string): TimedResult {
  let body: unknown;
  try {
    body = JSON.parse(text);
  } catch {
    if (text && headers.get('X-Request-Id')) body = text;
  }
  if (status === 304 || (ok && (!text || body !== undefined))) {
    return { ...succeed(body), etag: headers.get('ETag'), serverTime: Date.parse(headers.get('Date') ?? '') };
  }
  const sent = (body as { readonly error?: ErrorBody } | null | undefined)?.error;
  const { error } = sent?.code ? { error: sent } : failTo('INVALID_ANSWER');
  const seconds = Number(headers.get('Retry-After'));
  return { ok: false, error: { ...error, status, ...(seconds > 0 && { retryAfter: seconds }) } };
}
