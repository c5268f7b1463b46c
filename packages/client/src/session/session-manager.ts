import type { Signal, Subscribable } from '../signal.ts';
import type { Request } from '../request/call.ts';
import {
  checked,
  type ClientResult,
  type RequestOptions,
  type Send,
  succeed,
  type TimedResult,
  unlessAborted,
} from '../request/send.ts';
import {
  loading,
  type NewSession,
  type SessionResult,
  type SessionState,
  signedOut,
  toActiveSession,
} from './session-state.ts';
import { createRefreshSchedule } from './refresh-schedule.ts';
import { createRefresh, sessionOver } from './session-refresh.ts';
import type { Environment } from './environment.ts';
import { createTabSession, type EntityWrite } from './tab-session.ts';
import { elapsedMs, longestChangeMs } from './time.ts';

// Who calls whom: the session manager sends every call of the client. Before a request of the current user, and after
// the server refused its JWT, it calls `session-refresh.ts`, which refreshes once for all tabs, and which
// `refresh-schedule.ts` calls when a refresh is due. Each new session, and the end of one, goes through
// `tab-session.ts`: it sets the state of this tab, plans the next refresh, and broadcasts the change to the other tabs,
// with which it works by the locks and messages of `tabs.ts`. All of it gets the features of the browser from
// `environment.ts`.

/**
 * Keeps the user of one server signed in: refreshes before the JWT expires, or when a request finds that it has, once
 * for all tabs. Failures are retried later; only `SESSION_EXPIRED` and a sign-out end the session.
 */
export interface SessionManager extends Subscribable<SessionState> {
  /**
   * Refreshes now, sharing a refresh in progress. After a failure, until the next attempt is due, it returns that
   * failure.
   */
  readonly refresh: () => Promise<ClientResult<NewSession>>;
  /**
   * Sends a request of the current user with a JWT that is valid as far as is known, and once more if the JWT was
   * refused, which happens before any effect. Never sent for another user than the one it was made for.
   *
   * @param send - {@link start} or {@link end} if the response changes the session's cookies. Default: plain sending
   */
  readonly request: (path: string, options?: RequestOptions, send?: Request) => Promise<TimedResult>;
  /** Sends a request that starts a session, while no tab refreshes the previous one. Null if none was started. */
  readonly start: Request;
  /** Sends a request that ends the session, while no tab refreshes it. */
  readonly end: Request;
  /** Emitted after each write to an entity, and, without one, for each new JWT that leaves the state unchanged. */
  readonly touched: Signal<EntityWrite | void>;
  /** Stops all timers and listeners. */
  readonly close: () => void;
}

/**
 * Creates the manager of a session.
 *
 * @param name - names the locks and messages of its server
 * @param authPath - the prefix of the paths of the server's auth routes
 */
export function createSessionManager(
  send: Send,
  environment: Environment,
  name: string,
  authPath: string,
): SessionManager {
  const plan = createRefreshSchedule(environment, () => void refresh());
  const tab = createTabSession(environment, name, plan);
  const refresh = createRefresh(send, tab, plan, authPath);

  /** Sends a request that changes the session, while no other tab does. */
  const change =
    (apply: (result: SessionResult) => ClientResult<unknown>): Request =>
    (path, options) =>
      tab.alone(async () => {
        const result = checked(
          await send(path, options, longestChangeMs),
          (body) => body?.ok || body?.user?.id,
        ) as TimedResult<NewSession>;
        return result.ok ? apply(result) : result;
      });

  /** Sends a request of the current user with a fresh JWT. */
  const sendFresh = async (attempt: () => Promise<TimedResult>): Promise<TimedResult> => {
    const { session: known, state } = tab;
    if (known ? elapsedMs(known.since) >= known.lifetime : state !== signedOut) {
      const refreshed = await refresh();
      // In a page where no user is signed in, the request continues as anonymous.
      if (!refreshed.ok && (known || tab.state !== signedOut)) return refreshed;
    }
    if (state.user && state.user.id !== tab.state.user?.id) return sessionOver;
    const before = tab.session;
    const result = await attempt();
    if (!before || result.ok || result.error.code !== 'UNAUTHENTICATED') return result;
    const again = before === tab.session && (await refresh());
    if (again && !again.ok) return again;
    return before.data.user.id === tab.state.user?.id ? attempt() : result;
  };

  return {
    getSnapshot: () => tab.state,
    subscribe(listener) {
      if (tab.state === loading) void refresh();
      listener(tab.state);
      return tab.shown.subscribe(listener);
    },
    refresh,
    request: (path, options = {}, how = send) =>
      unlessAborted(
        sendFresh(() => how(path, options)),
        options.signal,
      ),
    start: change((result) => {
      // With generic sign-up, no session is started.
      if (!result.data.user) return succeed(null);
      tab.publish(toActiveSession(result));
      return result;
    }),
    end: change((result) => {
      tab.publish();
      return result;
    }),
    touched: tab.touched,
    close: tab.close,
  };
}
