import { createSignal, type Signal, type Subscribable } from '../change/signal.ts';
import type { Request } from '../request/call.ts';
import { type ClientFailure, type ClientResult, failTo, succeed } from '../request/client-result.ts';
import type { Answered, RequestOptions, Send } from '../request/send.ts';
import { unlessAborted } from '../request/unless-aborted.ts';
import type { KnownSession, NewSession } from './known-session.ts';
import { createRefreshPlan } from './refresh-plan.ts';
import { loading, type SessionState, signedInAs, signedOut } from './session-state.ts';
import type { Surroundings } from './surroundings.ts';
import { byLock, inTurn, type TabMessage } from './tabs.ts';
import { elapsedMs, lifetimeMs, longestRefreshMs, now } from './time.ts';

/** Nobody else can refresh meanwhile. */
const longestChangeMs = 30_000;

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
  const { locks, inBrowser, hadSession, rememberSession } = surroundings;
  let { channel } = surroundings;
  const shown = createSignal();
  const renewed = createSignal();
  const plan = createRefreshPlan(surroundings, () => void refresh());
  let state = inBrowser ? loading : signedOut;
  let session: KnownSession | undefined;
  /** The one refresh that is under way. */
  let refreshing: Promise<ClientResult<NewSession>> | undefined;

  const tell = (message: TabMessage): void => channel?.postMessage(message);
  channel?.addEventListener('message', ({ data }) => {
    const { session: told } = data;
    // Tabs share the clock of the machine, and no other.
    if ('session' in data) take(told && { ...told, since: { ...now(), wall: told.since.wall } });
    else plan.putOff();
  });
  const exclusively = locks ? byLock(locks, name) : inTurn(tell);

  async function refresh(): Promise<ClientResult<NewSession>> {
    return plan.failure() ?? (refreshing ??= refreshOnce().finally(() => (refreshing = undefined)));
  }

  /** Returns why a request can't be sent now. A page that finds nobody signed in goes on as nobody's. */
  async function makeFresh(): Promise<ClientFailure | undefined> {
    const before = session;
    if (before ? elapsedMs(before.since) < before.lifetime : state === signedOut) return undefined;
    const refreshed = await refresh();
    return refreshed.ok || (!before && state === signedOut) ? undefined : refreshed;
  }

  async function refreshOnce(): Promise<ClientResult<NewSession>> {
    const before = session;
    if (state === loading) {
      const found = await findOther();
      if (state === loading) {
        if (found) return conclude(found);
        if (!hadSession()) {
          take();
          return sessionOver;
        }
      }
    }
    return exclusively(async (waited) => {
      const found = waited && session === before && (await findOther());
      if (found && found.ok) return conclude(found);
      if (session !== before) return session ? succeed(session.data) : sessionOver;
      return conclude(await ask('refresh', { method: 'POST' }));
    });
  }

  /** Asks, at little cost for the server, for a session other than the known one; undefined where there is none. */
  async function findOther(): Promise<Answered<NewSession> | undefined> {
    const answer = await ask<{ readonly session: NewSession | null }>('session');
    if (!answer.ok) return answer;
    const found = answer.data.session;
    return found && found.expiresAt !== session?.data.expiresAt ? { ...answer, ...succeed(found) } : undefined;
  }

  function ask<T>(route: 'refresh' | 'session', options?: RequestOptions): Promise<Answered<T>> {
    return send(`/api/auth/${route}`, options, longestRefreshMs) as Promise<Answered<T>>;
  }

  /** Takes in what came of a refresh. */
  function conclude(answer: Answered<NewSession>): ClientResult<NewSession> {
    if (answer.ok) begin(answer);
    else if (answer.error.code === 'SESSION_EXPIRED') publish();
    else plan.retry(answer);
    return answer;
  }

  function begin({ data, serverTime }: Answered<NewSession> & { readonly ok: true }): void {
    publish({ data, lifetime: lifetimeMs(data.expiresAt, serverTime), since: now() });
  }

  /** Takes in what came of the session, here and in every other tab. */
  function publish(next?: KnownSession): void {
    rememberSession(!!next);
    tell({ session: next });
    take(next);
  }

  function take(next?: KnownSession): void {
    const before = state;
    session = next;
    if (next) plan.follow(next);
    else plan.clear();
    state = next ? signedInAs(next.data.user, before) : signedOut;
    (state === before ? renewed : shown).emit();
  }

  /** Sends what changes the session, while nobody else does. */
  const change =
    (take: (answer: Answered<NewSession> & { readonly ok: true }) => ClientResult<unknown>): Request =>
    (path, options) =>
      exclusively(async () => {
        const answer = (await send(path, options, longestChangeMs)) as Answered<NewSession>;
        return answer.ok ? take(answer) : answer;
      });

  return {
    getSnapshot: () => state,
    subscribe(listener) {
      if (state === loading) void refresh();
      return shown.subscribe(listener);
    },
    refresh,
    async request(path, options = {}, how = send) {
      const { signal } = options;
      const askedFor = state.user?.id;
      const failure = await unlessAborted(makeFresh(), signal);
      if (failure) return failure;
      if (askedFor && askedFor !== state.user?.id) return sessionOver;
      const before = session;
      const answer = await how(path, options);
      if (!before || answer.ok || answer.error.code !== 'UNAUTHENTICATED') return answer;
      const again = before === session && (await unlessAborted(refresh(), signal));
      if (again && !again.ok) return again;
      return before.data.user.id === state.user?.id ? how(path, options) : answer;
    },
    start: change((answer) => {
      // A sign-up that tells nobody whether there was an account starts none.
      if (!answer.data.user) return succeed(null);
      begin(answer);
      return answer;
    }),
    end: change((answer) => {
      publish();
      return answer;
    }),
    renewed,
    close() {
      plan.close();
      channel?.close();
      channel = undefined;
    },
  };
}
const sessionOver = failTo('SESSION_EXPIRED');
