import type { ErrorBody, ErrorCode, ErrorExtras, Failure, Success } from '@x/errors';

/** Options of a request. */
export interface RequestOptions {
  /** Default: `GET`. */
  readonly method?: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** Sent as JSON; a `Blob` as it is, with its type. */
  readonly body?: unknown;
  /** Query parameters; undefined and null ones are left out. */
  readonly query?: object;
  readonly headers?: Readonly<Record<string, string>>;
  /** Writes only the version with this `etag`; any other is `PRECONDITION_FAILED`. */
  readonly ifMatch?: string | undefined;
  /**
   * Whether a write to an entity leaves what the user may do as it was, so that this is not loaded again. Default: only a
   * `PATCH` does.
   */
  readonly keepsAccess?: boolean;
  /** Returns a success as its `Response`, unread: for files and streams. Default: false. */
  readonly raw?: boolean;
  /** Aborts the request, or the wait for it, with `ABORTED`. */
  readonly signal?: AbortSignal | undefined;
}

/** Sends one request, once. Without a response after `timeoutMs` it is `NETWORK_FAILED`. Default: no limit. */
export type Send = (path: string, options?: RequestOptions, timeoutMs?: number) => Promise<TimedResult>;

/** An outcome, with the values of the headers of the response. */
export type TimedResult<T = unknown> = ClientResult<T> & {
  /** The `Date` header in milliseconds since 1970, in whole seconds; `NaN` if it can't be read. */
  readonly serverTime?: number;
  /** The `ETag` header: the version of the record. */
  readonly etag?: string | null;
  /** The `X-APP-Refresh` header: there if a refresh may give a session to the request, which has none. */
  readonly canRefresh?: string | null;
};

/** How a client sends requests. */
export interface Transport {
  readonly baseUrl: string;
  readonly fetch: typeof fetch;
  readonly bearer?: (() => string | Promise<string>) | undefined;
}

/**
 * Creates the function that sends a request and reads its response. It only throws errors that are not outcomes: those
 * of `bearer`, of a body that is not JSON, and of a client without `baseUrl` outside a page.
 */
export function createSend({ baseUrl, fetch, bearer }: Transport): Send {
  return async (path, { method = 'GET', query = {}, body, headers, ifMatch, raw, signal } = {}, timeoutMs) => {
    if (!baseUrl) throw new TypeError('Set baseUrl.');
    // Older browsers have neither `timeout` nor `any`, and wait as long as the network does.
    const timeout = timeoutMs && AbortSignal.timeout?.(timeoutMs);
    const json = body instanceof Blob ? undefined : JSON.stringify(body);
    const init = {
      method,
      credentials: bearer ? 'omit' : 'include',
      headers: {
        'X-APP-Request': '1',
        ...(json && { 'Content-Type': 'application/json' }),
        // Browsers set it themselves, and do not let scripts do so.
        Origin: new URL(baseUrl).origin,
        ...(bearer && { Authorization: `Bearer ${await bearer()}` }),
        ...(ifMatch && { 'If-Match': ifMatch }),
        ...headers,
      },
      body: json ?? (body as Blob),
      // Requests that change the session are finished, and their cookies kept, even if the page is left meanwhile.
      keepalive: !!timeoutMs,
      signal: (signal && timeout ? AbortSignal.any?.([signal, timeout]) : (signal ?? timeout)) as AbortSignal,
    } as const;
    try {
      const given: string[][] = Object.entries(query).filter(([, value]) => value != null);
      const response = await fetch(baseUrl + path + (given[0] ? `?${new URLSearchParams(given)}` : ''), init);
      return readResponse(response, raw && response.ok ? response : await response.text());
    } catch {
      return failTo(signal?.aborted ? 'ABORTED' : 'NETWORK_FAILED');
    }
  };
}

/**
 * A response that is not JSON, or stays unread, comes from the application only if it has a request id.
 *
 * @param content - its text, or the response itself
 */
function readResponse({ ok, status, headers }: Response, content: string | Response): TimedResult {
  let body: unknown = (headers.get('X-Request-Id') && content) || undefined;
  try {
    body = JSON.parse(content as string);
  } catch {}
  if (status === 304 || (ok && (!content || body !== undefined))) {
    return {
      ...succeed(body),
      etag: headers.get('ETag'),
      serverTime: Date.parse(headers.get('Date') as string),
      canRefresh: headers.get('X-APP-Refresh'),
    };
  }
  const sent = body as { readonly error?: ErrorBody } | null | undefined;
  const { error } = sent?.error?.code ? (sent as ClientFailure) : failTo('INVALID_RESPONSE');
  const seconds = Number(headers.get('Retry-After'));
  return { ok: false, error: { ...error, status, ...(seconds > 0 && { retryAfter: seconds }) } };
}

/**
 * Why there is no response from the application:
 * - `NETWORK_FAILED`: no response, or none in time. Whether the request took effect is unknown
 * - `ABORTED`: the caller's `signal` ended the request, which may have taken effect nevertheless
 * - `INVALID_RESPONSE`: something else responded, such as a proxy; `status` is its HTTP status, except for success
 */
export type TransportErrorCode = 'NETWORK_FAILED' | 'ABORTED' | 'INVALID_RESPONSE';

/** The error of a failure: the server's error as received, or one of the client's own. */
export interface ClientError extends ErrorExtras {
  readonly code: ErrorCode | TransportErrorCode;
  readonly message: string;
  /** The HTTP status; absent if there was no response. */
  readonly status?: number;
}

/** A failure that the caller is expected to handle, by `error.code`. */
export type ClientFailure = Failure<ClientError>;

/** The outcome of a request. Failures are returned, never thrown. */
export type ClientResult<T> = Success<T> | ClientFailure;

/** Returns a success that carries `payload`. */
export function succeed<T>(payload: T): Success<T> {
  return { ok: true, value: payload, data: payload };
}

/** Returns a failure that the client itself found. */
export function failTo(code: TransportErrorCode | 'SESSION_EXPIRED'): ClientFailure {
  return { ok: false, error: { code, message: code } };
}

/**
 * Returns a failure for a success whose body is not as expected: a gateway that answers in place of the application may
 * send anything with a status of success.
 */
export function checked<Result extends ClientResult<unknown>>(
  result: Result,
  isExpected: (body: UncheckedBody) => unknown,
): Result | ClientFailure {
  return !result.ok || isExpected(result.data as UncheckedBody) ? result : failTo('INVALID_RESPONSE');
}

/** Any body, with the members by which bodies are distinguished. */
export type UncheckedBody =
  | {
      readonly ok?: unknown;
      readonly user?: { readonly id?: unknown } | null;
      readonly items?: unknown;
    }
  | null
  | undefined;

/** Stops waiting when the signal aborts; the work itself continues. */
export function unlessAborted<T>(work: Promise<T>, signal: AbortSignal | undefined): Promise<T | ClientFailure> {
  if (!signal) return work;
  return new Promise((resolve, reject) => {
    const give = (): void => resolve(failTo('ABORTED'));
    if (signal.aborted) give();
    signal.addEventListener('abort', give);
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', give));
  });
}

/** The type of a server's value after JSON: dates become ISO 8601 strings, and nothing else changes. */
export type Serialized<T> = T extends Date
  ? string
  : T extends object
    ? { readonly [K in keyof T]: Serialized<T[K]> }
    : T;
