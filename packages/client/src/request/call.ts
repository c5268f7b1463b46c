import type { ClientResult } from './client-result.ts';
import type { RequestOptions } from './send.ts';

/** What every call takes last. */
export type CallOptions = Pick<RequestOptions, 'signal'>;

/** A call that has nothing to say. */
export type Call<T> = (options?: CallOptions) => Promise<ClientResult<T>>;

/** A call that sends its input. */
export type InputCall<Input, T> = (input: Input, options?: CallOptions) => Promise<ClientResult<T>>;

/** The answer of a step that has nothing to show. */
export interface Done {
  readonly ok: true;
}

/** Sends a request, in whichever way. */
export type Request = (path: string, options: RequestOptions) => Promise<ClientResult<unknown>>;

/** A call of what types say: an id, an input and options, each where it has one. */
export type AnyCall = (...given: readonly unknown[]) => Promise<ClientResult<never>>;

/**
 * Builds a call. A text that comes first is an id, and one part of the path, whatever it holds; what has a signal is the
 * options; and what else there is is sent, by `GET` in the query.
 */
export function toCall(request: Request, method: string, path: string, suffix = ''): AnyCall {
  return (...given) => {
    const id = typeof given[0] === 'string' ? `/${encodeURIComponent(given[0])}` : '';
    const [input, options = input?.signal instanceof AbortSignal && input] = (id ? given.slice(1) : given) as readonly (
      CallOptions | undefined
    )[];
    return request(path + id + suffix, {
      ...options,
      method: method as 'POST',
      [method === 'GET' ? 'query' : 'body']: input === options ? undefined : input,
    }) as Promise<ClientResult<never>>;
  };
}
