import type { Signal, Subscribable } from '../change/signal.ts';
import type { Request } from '../request/call.ts';
import { type ClientResult, succeed } from '../request/client-result.ts';
import type { Answered, RequestOptions, Send } from '../request/send.ts';
import { unlessAborted } from '../request/unless-aborted.ts';
import { type NewSession, type SessionAnswer, toKnownSession } from './known-session.ts';
import { createRefreshPlan } from './refresh-plan.ts';
import { createRefresh, makeFresh, sessionOver } from './session-refresh.ts';
import { loading, type SessionState } from './session-state.ts';
import type { Surroundings } from './surroundings.ts';
import { createTabSession } from './tab-session.ts';
import { longestChangeMs } from './time.ts';

/**
 * Keeps the user of one server signed in: refreshes before the JWT is over and when a request finds that it is, once for
 * all tabs. Whatever fails is tried again later; only `SESSION_EXPIRED` and a sign-out end the session.
 */
export interface SessionKeeper extends Subscribable<SessionState> {
  /** Refreshes now, together with whoever else wants to; while it backs off, the failure that it does so for. */
  readonly refresh: () => Promise<ClientResult<NewSession>>;
  /**
   * Sends a request of the current user: with a JWT that is good, as far as is known, and once more where it was refused
   * for not being so, which is before anything was done. It is never sent for another user than it was made for.
   *
   * @param send - {@link start} or {@link end} where the answer brings other cookies for the session. Default: just sends
   */
  readonly request: (path: string, options?: RequestOptions, send?: Request) => Promise<Answered>;
  /** Sends what makes a session, while no tab refreshes the one before. Null where none was made. */
  readonly start: Request;
  /** Sends what ends the session, while no tab refreshes it. */
  readonly end: Request;
  /** Tells of each JWT that took the place of another with nothing new to see. */
  readonly renewed: Signal;
  /** Stops everything that goes on by itself. */
  readonly close: () => void;
}

/** Creates what keeps the session of a server whose locks and messages have this name. */
export function createSessionKeeper(send: Send, surroundings: Surroundings, name: string): SessionKeeper {
  const plan = createRefreshPlan(surroundings, () => void refresh());
  const tab = createTabSession(surroundings, name, plan);
  const refresh = createRefresh(send, surroundings, tab, plan);

  /** Sends what changes the session, while nobody else does. */
  const change =
    (take: (answer: SessionAnswer) => ClientResult<unknown>): Request =>
    (path, options) =>
      tab.exclusively(async () => {
        const answer = (await send(path, options, longestChangeMs)) as Answered<NewSession>;
        return answer.ok ? take(answer) : answer;
      });

  return {
    getSnapshot: () => tab.state,
    subscribe(listener) {
      if (tab.state === loading) void refresh();
      return tab.shown.subscribe(listener);
    },
    refresh,
    async request(path, options = {}, how = send) {
      const { signal } = options;
      const askedFor = tab.state.user?.id;
      const failure = await unlessAborted(makeFresh(tab, refresh), signal);
      if (failure) return failure;
      if (askedFor && askedFor !== tab.state.user?.id) return sessionOver;
      const before = tab.session;
      const answer = await how(path, options);
      if (!before || answer.ok || answer.error.code !== 'UNAUTHENTICATED') return answer;
      const again = before === tab.session && (await unlessAborted(refresh(), signal));
      if (again && !again.ok) return again;
      return before.data.user.id === tab.state.user?.id ? how(path, options) : answer;
    },
    start: change((answer) => {
      // A sign-up that tells nobody whether there was an account starts none.
      if (!answer.data.user) return succeed(null);
      tab.publish(toKnownSession(answer));
      return answer;
    }),
    end: change((answer) => {
      tab.publish();
      return answer;
    }),
    renewed: tab.renewed,
    close() {
      plan.close();
      tab.close();
    },
  };
}
