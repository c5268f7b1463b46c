import type { ErrorBody } from '@x/errors';
import { type ClientError, type ClientFailure, type ClientResult, failTo, succeed } from './client-result.ts';
import { aborted } from './unless-aborted.ts';

/** What a request may say beside its path. */
export interface RequestOptions {
  /** Default: `GET`. */
  readonly method?: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** Sent as JSON. */
  readonly body?: unknown;
  /** Added to the path; what is undefined or null is left out. */
  readonly query?: object;
  readonly headers?: Readonly<Record<string, string>>;
  /** Ends the request, or the wait for it, with the code `ABORTED`. */
  readonly signal?: AbortSignal | undefined;
}

/** Sends one request, once. Where no answer is there after `timeoutMs`, it is `NETWORK_FAILED`; default: no limit. */
export type Send = (path: string, options?: RequestOptions, timeoutMs?: number) => Promise<Answered>;

/** An outcome, and the server's idea of the time with it. */
export type Answered<T = unknown> = ClientResult<T> & {
  /** The `Date` header in milliseconds since 1970: whole seconds, `NaN` where it is not to be seen. */
  readonly serverTime?: number;
};

/** How requests of a client travel. */
export interface Transport {
  readonly baseUrl: string;
  readonly fetch: typeof fetch;
  /** Whether requests have to say which origin they come from, which a browser says for them. */
  readonly statesOrigin: boolean;
  readonly bearer?: (() => string | Promise<string>) | undefined;
}

/**
 * Builds what sends a request and reads its answer. It throws only what is no outcome of a request: what `bearer` throws,
 * and a body that is not JSON.
 */
export function createSend({ baseUrl, fetch, statesOrigin, bearer }: Transport): Send {
  return async (path, { method = 'GET', body, query = {}, headers, signal } = {}, timeoutMs) => {
    const timeout = new AbortController();
    const init = {
      method,
      credentials: bearer ? 'omit' : 'include',
      headers: {
        'X-APP-Request': '1',
        ...(body !== undefined && { 'Content-Type': 'application/json' }),
        ...(statesOrigin && { Origin: new URL(baseUrl).origin }),
        ...(bearer && { Authorization: `Bearer ${await bearer()}` }),
        ...headers,
      },
      body: body === undefined ? null : JSON.stringify(body),
      // What changes the session is finished, and its cookies are kept, also where the page goes away meanwhile.
      keepalive: timeoutMs !== undefined,
      signal: signal ? AbortSignal.any([signal, timeout.signal]) : timeout.signal,
    } as const;
    const timer = timeoutMs === undefined ? undefined : setTimeout(() => timeout.abort(), timeoutMs);
    try {
      const response = await fetch(toUrl(baseUrl + path, query), init);
      const text = await response.text();
      return { ...readAnswer(response, text), serverTime: Date.parse(response.headers.get('Date') ?? '') };
    } catch {
      return signal?.aborted ? aborted() : failTo('NETWORK_FAILED', 'No answer.');
    } finally {
      clearTimeout(timer);
    }
  };
}

function toUrl(url: string, query: object): string {
  const search = new URLSearchParams(
    Object.entries(query)
      .filter(([, value]) => value != null)
      .map(([name, value]) => [name, String(value)]),
  ).toString();
  return search ? `${url}?${search}` : url;
}

function readAnswer(response: Response, text: string): ClientResult<unknown> {
  const body = parseJson(text);
  if (response.ok && (text === '' || body !== undefined)) return succeed(body);
  const { error } = (body ?? {}) as { readonly error?: Partial<ErrorBody> };
  return failWith(typeof error?.code === 'string' ? (error as ErrorBody) : notOurs, response);
}

/** Undefined for what is no JSON. */
function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

const notOurs = { code: 'INVALID_ANSWER', message: 'Not an answer of the application.' } as const;

function failWith(error: ClientError, { status, headers }: Response): ClientFailure {
  const seconds = Number(headers.get('Retry-After'));
  return { ok: false, error: { ...error, status, ...(seconds > 0 && { retryAfter: seconds }) } };
}
