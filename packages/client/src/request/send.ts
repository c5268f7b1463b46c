import type { ErrorBody } from '@x/errors';
import { type ClientResult, failTo, succeed } from './client-result.ts';

/** Options of a request. */
export interface RequestOptions {
  /** Default: `GET`. */
  readonly method?: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** Sent as JSON. */
  readonly body?: unknown;
  /** Query parameters; undefined and null are left out. */
  readonly query?: object;
  readonly headers?: Readonly<Record<string, string>>;
  /** Write only the version with this `etag`; any other is `PRECONDITION_FAILED`. */
  readonly ifMatch?: string | undefined;
  /** Aborts the request, or the wait for it, with the code `ABORTED`. */
  readonly signal?: AbortSignal | undefined;
}

/** Sends one request, once. Where no answer is there after `timeoutMs`, it is `NETWORK_FAILED`; default: no limit. */
export type Send = (path: string, options?: RequestOptions, timeoutMs?: number) => Promise<Answered>;

/** An outcome, and the server's idea of the time with it. */
export type Answered<T = unknown> = ClientResult<T> & {
  /** The `Date` header in milliseconds since 1970: whole seconds, `NaN` where it is not to be seen. */
  readonly serverTime?: number;
  /** The `ETag` header: the version of what came. */
  readonly etag?: string | null;
};

/** How requests of a client travel. */
export interface Transport {
  readonly baseUrl: string;
  readonly fetch: typeof fetch;
  readonly bearer?: (() => string | Promise<string>) | undefined;
}

/**
 * Builds what sends a request and reads its answer. It throws only what is no outcome of a request: what `bearer` throws,
 * and a body that is not JSON.
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
        // Browsers say it themselves, and let nobody else.
        Origin: new URL(baseUrl).origin,
        ...(bearer && { Authorization: `Bearer ${await bearer()}` }),
        ...(ifMatch && { 'If-Match': ifMatch }),
        ...headers,
      },
      body: JSON.stringify(body),
      // What changes the session is finished, and its cookies are kept, also where the page goes away meanwhile.
      keepalive: !!timeout,
      signal: AbortSignal.any([signal, timeout].filter((each) => !!each)),
    } as const;
    try {
      const response = await fetch(toUrl(baseUrl + path, query), init);
      return readAnswer(response, await response.text());
    } catch {
      return failTo(signal?.aborted ? 'ABORTED' : 'NETWORK_FAILED');
    }
  };
}

function toUrl(url: string, query: object): string {
  const given: string[][] = Object.entries(query).filter(([, value]) => value != null);
  return given[0] ? `${url}?${new URLSearchParams(given)}` : url;
}

/** What is no JSON is an answer of the application only where it has a name for the request. */
function readAnswer({ ok, status, headers }: Response, text: string): Answered {
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
