import { type AccessClient, createAccess } from './access/access.ts';
import { type ActionClients, createActions, type ServiceClient } from './action/actions.ts';
import type { App, CamelCase, EntitlementOf, EntityOf, ModelsOf, ServiceOf, UserFieldsOf } from './app.ts';
import { type AuthClient, createAuthClient } from './auth/auth-client.ts';
import type { Subscribable } from './signal.ts';
import { createEntity, type EntityClient } from './entity/entity-client.ts';
import { type ClientResult, createSend, type RequestOptions } from './request/send.ts';
import { createMembersOnDemand } from './request/call.ts';
import { createSessionManager } from './session/session-manager.ts';
import type { SessionState } from './session/session-state.ts';
import { detectEnvironment } from './session/environment.ts';

/** The options of `createClient`. */
export interface ClientOptions {
  /**
   * The origin of the server, with the path it is mounted at, if any. Default in a browser: the page's own origin;
   * elsewhere, requests are refused with a TypeError.
   */
  readonly baseUrl?: string;
  /** The `basePath` of the server's auth settings. Default `/api/auth`. */
  readonly authPath?: string;
  /** Default: the global `fetch`. Outside browsers it must store cookies for a session to last: see the README. */
  readonly fetch?: typeof fetch;
  /**
   * Returns the JWT for every request, for programs that were given one. No cookies are sent then, no session is kept,
   * and nothing is refreshed: an expired JWT is `UNAUTHENTICATED`.
   */
  readonly bearer?: () => string | Promise<string>;
}

/** A client of one server, typed by the server's declarations. */
export interface Client<A extends App = App> {
  readonly auth: AuthClient<UserFieldsOf<A>>;
  /** The access of the current user, for showing or hiding parts of a UI. */
  readonly access: AccessClient<EntitlementOf<A>>;
  /** The entities by their names in camel case: `audit-entries` is `auditEntries`. */
  readonly entities: {
    readonly [Entity in EntityOf<A> as CamelCase<Entity['model']['name']>]: EntityClient<
      Entity['model'],
      ModelsOf<A>,
      EntitlementOf<A>,
      Entity['recordAccess'][number]
    > &
      ActionClients<Entity['actions']>;
  };
  readonly services: {
    readonly [Service in ServiceOf<A> as CamelCase<Service['name']>]: ServiceClient<Service['actions']>;
  };
  /** Who is signed in. In a browser, the first subscription or request triggers the lookup. */
  readonly session: Subscribable<SessionState<UserFieldsOf<A>>>;
  /**
   * Sends a request on behalf of the current user, and refreshes first if the JWT has expired. It is sent again only if
   * the server refused the JWT, which happens before it has any effect. `T` is the type that the caller expects; it is
   * not checked.
   */
  request<T>(path: string, options?: RequestOptions): Promise<ClientResult<T>>;
  /** Ends timers and messages between tabs: for tests, and for hot module replacement. */
  close(): void;
}

/**
 * Creates a client. It sends nothing until it is used, so a module that the server renders may create one, too.
 *
 * @example
 * ```ts
 * const client = createClient({ baseUrl: 'https://app.example.com' });
 * const signedIn = await client.auth.signIn({ email, password });
 * if (!signedIn.ok) console.error(signedIn.error.code);
 * ```
 */
export function createClient<A extends App = App>(options: ClientOptions = {}): Client<A> {
  const {
    // By the types there is always a page, but Node has none.
    baseUrl: given = (globalThis.location as Location | undefined)?.origin,
    // Looked up late, so that a later replacement of the global one is used.
    fetch = (...sent) => globalThis.fetch(...sent),
    bearer,
    authPath = '/api/auth',
    ...others
  } = options;
  const transport = { baseUrl: given?.replace(/\/$/, '') as string, fetch, bearer, authPath };
  // Naming the known ones takes less code than finding the nearest.
  for (const name in others) {
    throw new TypeError(`${name}: unknown option; known: ${Object.keys(transport).join(', ')}.`);
  }
  const name = `x-client:${transport.baseUrl}`;
  const manager = createSessionManager(createSend(transport), detectEnvironment(name, bearer), name, authPath);
  return {
    auth: createAuthClient(manager, authPath),
    access: createAccess(manager, authPath),
    entities: createMembersOnDemand((name) => createEntity(manager, `/api/${name}`)),
    services: createMembersOnDemand((name) => createActions(manager.request, `/api/${name}`)),
    session: manager,
    request: manager.request,
    close: manager.close,
    // Which members exist, only types know.
  } as unknown as Client<A>;
}
