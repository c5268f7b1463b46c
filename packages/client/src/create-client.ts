import { type AuthClient, createAuthClient } from './auth/auth-client.ts';
import type { ClientResult } from './request/client-result.ts';
import { createSend, type RequestOptions } from './request/send.ts';
import { SessionKeeper } from './session/session-keeper.ts';
import type { SessionState } from './session/session-state.ts';
import { findSurroundings } from './session/surroundings.ts';

/** What `createClient` takes. */
export interface ClientOptions {
  /** The origin of the server, and the path that it is mounted below, if any. Default, in a browser: the page's own origin. */
  readonly baseUrl?: string;
  /** Default: the global one. Outside browsers it has to keep cookies for a session to last: see the README. */
  readonly fetch?: typeof fetch;
  /**
   * Returns the JWT of every request, for programs that were given one. No cookie travels then, no session is kept, and
   * nothing is refreshed: a JWT that is over is `UNAUTHENTICATED`.
   */
  readonly bearer?: () => string | Promise<string>;
}

/** Something to be told of, in the shape of React's `useSyncExternalStore`. */
export interface Subscribable<T> {
  /** Calls the listener after every change; returns what ends that. */
  readonly subscribe: (listener: () => void) => () => void;
  /** Returns the same object until there is another one. */
  readonly getSnapshot: () => T;
}

/** A client of one server. */
export interface Client {
  readonly auth: AuthClient;
  /** Who is signed in. In a browser the first subscription, or request, finds that out. */
  readonly session: Subscribable<SessionState>;
  /**
   * Sends a request for the current user, with a refresh before it where one is due. It is sent again only where the server
   * refused the JWT, which is before it did anything. `T` is what the caller says that the answer holds.
   */
  request<T>(path: string, options?: RequestOptions): Promise<ClientResult<T>>;
  /** Ends timers and messages between tabs; for tests, and modules that are replaced while they run. */
  close(): void;
}

/**
 * Creates a client. Nothing is sent before it is used.
 *
 * @throws TypeError where there is no page whose origin `baseUrl` could default to
 * @example
 * ```ts
 * const client = createClient({ baseUrl: 'https://app.example.com' });
 * const signedIn = await client.auth.signIn({ email, password });
 * if (!signedIn.ok) console.error(signedIn.error.code);
 * ```
 */
export function createClient(options: ClientOptions = {}): Client {
  const { fetch = globalFetch, bearer } = options;
  const baseUrl = (options.baseUrl ?? pageOrigin()).replace(/\/$/, '');
  const name = `x-client:${baseUrl}`;
  const surroundings = findSurroundings(name, bearer !== undefined);
  const send = createSend({ baseUrl, fetch, bearer, statesOrigin: !surroundings.inBrowser });
  const keeper = new SessionKeeper(send, surroundings, name);
  return {
    auth: createAuthClient(keeper),
    session: { subscribe: keeper.subscribe, getSnapshot: keeper.getSnapshot },
    request: (path, request) => keeper.request(path, request) as Promise<ClientResult<never>>,
    close: () => keeper.close(),
  };
}

/** Looked up late, so that what replaces it later counts. */
const globalFetch: typeof fetch = (input, init) => globalThis.fetch(input, init);

function pageOrigin(): string {
  if (typeof location === 'object') return location.origin;
  throw new TypeError('createClient: outside browsers, baseUrl is needed.');
}
