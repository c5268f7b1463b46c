import { checked, type ClientResult, type RequestOptions } from './send.ts';

/** The last argument of every call. */
export type CallOptions = Pick<RequestOptions, 'signal'>;

/** The last argument of a call that is about one record. */
export interface WriteOptions extends CallOptions, Pick<RequestOptions, 'keepsAccess'> {
  /** Only this version of the record, named by its `etag`; any other is `PRECONDITION_FAILED`. */
  readonly ifMatch?: string;
}

/** A call without input. */
export type Call<T> = (options?: CallOptions) => Promise<ClientResult<T>>;

/** A call that sends its input. */
export type InputCall<Input, T> = (input: Input, options?: CallOptions) => Promise<ClientResult<T>>;

/** The result of a step without a result. */
export interface Done {
  readonly ok: true;
}

/** Sends a request, by any means. */
export type Request = (path: string, options: RequestOptions) => Promise<ClientResult<unknown>>;

/** Sends requests by the same means, for responses that are objects: anything else is not from the application. */
export function expectObject<Given extends readonly unknown[]>(
  send: (...given: Given) => Promise<ClientResult<unknown>>,
): (...given: Given) => Promise<ClientResult<unknown>> {
  return async (...given) => checked(await send(...given), (body) => body instanceof Object);
}

/** A method of HTTP, spelled as the member that sends it. */
export type Verb = Lowercase<NonNullable<RequestOptions['method']>>;

/** A call with its arguments: an id, an input and options, each only if it takes one. */
export type AnyCall = (...given: readonly unknown[]) => Promise<ClientResult<never>>;

/**
 * Builds a call. A string as first argument is an id, which becomes one segment of the path, with any characters; an
 * object with a signal is the options; anything else is the input, sent in the query for `GET`.
 */
export function toCall(request: Request, verb: Verb, path: string, suffix = ''): AnyCall {
  return (...given) => {
    const id = typeof given[0] === 'string' ? `/${encodeURIComponent(given[0])}` : '';
    const [input, options = input?.signal instanceof AbortSignal && input] = (id ? given.slice(1) : given) as readonly (
      CallOptions | undefined
    )[];
    return request(path + id + suffix, {
      // Changing a record counts towards no limit, and gives no role.
      keepsAccess: verb === 'patch',
      ...options,
      method: verb.toUpperCase() as Uppercase<Verb>,
      [verb === 'get' ? 'query' : 'body']: input === options ? undefined : input,
    }) as Promise<ClientResult<never>>;
  };
}

/**
 * Adds any other property to an object on first use, made from its name in paths: `bulkComplete` from `bulk-complete`.
 */
export function createMembersOnDemand(make: (path: string) => unknown, made: object = {}): unknown {
  return new Proxy(made, {
    // JavaScript reads these two from any object: resolving a promise with it would call `then`, and `JSON.stringify`
    // `toJSON`.
    get: (_, name) =>
      name in made || typeof name === 'symbol' || name === 'then' || name === 'toJSON'
        ? made[name as never]
        : (made[name as never] = make(name.replace(/[A-Z]/g, '-$&').toLowerCase()) as never),
  });
}
