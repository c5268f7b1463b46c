import { type ClientFailure, type ClientResult, succeed } from '../request/client-result.ts';
import type { Answered, RequestOptions, Send } from '../request/send.ts';
import { unlessAborted } from '../request/unless-aborted.ts';
import type { KnownSession, NewSession } from './known-session.ts';
import { loading, type SessionState, signedInAs, signedOut } from './session-state.ts';
import type { Surroundings } from './surroundings.ts';
import { byLock, type Exclusively, type TabChannel, type TabMessage, Turns } from './tabs.ts';
import { backOffMs, elapsedMs, lifetimeMs, type Moment, now, refreshDelayMs } from './time.ts';

/**
 * Keeps the user of one server signed in: refreshes before the JWT is over and when a request finds that it is, once for
 * all tabs. Whatever fails is tried again later; only `SESSION_EXPIRED` and a sign-out end the session.
 */
export class SessionKeeper {
  readonly #send: Send;
  readonly #surroundings: Surroundings;
  readonly #exclusively: Exclusively;
  readonly #turns: Turns;
  #channel: TabChannel | undefined;
  readonly #stopListening: () => void;
  readonly #listeners: Set<() => void> = new Set();
  #state: SessionState;
  #session: KnownSession | undefined;
  /** The one refresh that is under way. */
  #refreshing: Promise<ClientResult<NewSession>> | undefined;
  /** Why the last refresh was in vain, until the next one is due. */
  #failure: ClientFailure | undefined;
  #failures = 0;
  #planned: Planned | undefined;
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(send: Send, surroundings: Surroundings, name: string) {
    this.#send = send;
    this.#surroundings = surroundings;
    this.#state = surroundings.inBrowser ? loading : signedOut;
    this.#turns = new Turns((message) => this.#tell(message));
    this.#exclusively = surroundings.locks ? byLock(surroundings.locks, name) : this.#turns.take;
    this.#stopListening = surroundings.onResume(() => this.#resume());
    this.#channel = surroundings.channel;
    this.#channel?.addEventListener('message', ({ data }) => this.#hear(data));
  }

  readonly getSnapshot = (): SessionState => this.#state;

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    if (this.#state === loading) void this.refresh();
    return () => void this.#listeners.delete(listener);
  };

  /** Refreshes now, together with whoever else wants to; while it backs off, the failure that it does so for. */
  refresh(): Promise<ClientResult<NewSession>> {
    if (this.#failure && this.#planned && remainingMs(this.#planned) > 0) return Promise.resolve(this.#failure);
    return (this.#refreshing ??= this.#refresh().finally(() => (this.#refreshing = undefined)));
  }

  /**
   * Sends a request of the current user: with a JWT that is good, as far as is known, and once more where it was refused
   * for not being so, which is before anything was done. It is never sent for another user than it was made for.
   *
   * @param send - {@link start} where the answer brings other cookies for the session. Default: just sends
   */
  async request(
    path: string,
    options: RequestOptions = {},
    send: (path: string, options: RequestOptions) => Promise<ClientResult<unknown>> = this.#send,
  ): Promise<ClientResult<unknown>> {
    const { signal } = options;
    const askedFor = this.#state.user?.id;
    const failure = await unlessAborted(this.#makeFresh(), signal);
    if (failure) return failure;
    if (askedFor !== undefined && askedFor !== this.#state.user?.id) return sessionOver;
    const session = this.#session;
    const answer = await send(path, options);
    if (!session || answer.ok || answer.error.code !== 'UNAUTHENTICATED') return answer;
    const renewed = session === this.#session ? await unlessAborted(this.refresh(), signal) : undefined;
    if (renewed?.ok === false) return renewed;
    return session.data.user.id === this.#state.user?.id ? send(path, options) : answer;
  }

  /** Sends what makes a session, while no tab refreshes the one before. */
  readonly start = (path: string, options: RequestOptions): Promise<ClientResult<NewSession>> =>
    this.#exclusively(async () => {
      const answer = (await this.#send(path, options, longestChangeMs)) as Answered<NewSession>;
      // A sign-up that tells nobody whether there was an account starts none.
      if (answer.ok && answer.data.user) this.#begin(answer.data, answer.serverTime);
      return answer;
    });

  /** Sends what ends the session, while no tab refreshes it. */
  end(path: string, options: RequestOptions): Promise<ClientResult<unknown>> {
    return this.#exclusively(async () => {
      const answer = await this.#send(path, options, longestChangeMs);
      if (answer.ok) this.#over();
      return answer;
    });
  }

  /** Signs out of a session that the server has ended, once no tab refreshes it any more. */
  forget(): Promise<void> {
    return this.#exclusively(async () => this.#over());
  }

  /** Stops everything that goes on by itself. */
  close(): void {
    clearTimeout(this.#timer);
    this.#stopListening();
    this.#channel?.close();
    this.#channel = undefined;
  }

  /** Returns why a request can't be sent now. A page that finds nobody signed in goes on as nobody's. */
  async #makeFresh(): Promise<ClientFailure | undefined> {
    const session = this.#session;
    if (session ? elapsedMs(session.since) < session.lifetime : this.#state === signedOut) return undefined;
    const refreshed = await this.refresh();
    return refreshed.ok || (!session && this.#state === signedOut) ? undefined : refreshed;
  }

  async #refresh(): Promise<ClientResult<NewSession>> {
    const before = this.#session;
    if (this.#state === loading) {
      const found = await this.#find();
      if (this.#state === loading) {
        if (found) return this.#conclude(found);
        if (!this.#surroundings.hadSession()) return this.#forget();
      }
    }
    return this.#exclusively(async (waited) => {
      const found = waited && this.#session === before ? await this.#find() : undefined;
      if (found?.ok) return this.#conclude(found);
      if (this.#session !== before) return this.#session ? succeed(this.#session.data) : sessionOver;
      return this.#conclude(await this.#ask<NewSession>('refresh', { method: 'POST' }));
    });
  }

  /** Asks, at little cost for the server, for a session other than the known one; undefined where there is none. */
  async #find(): Promise<Answered<NewSession> | undefined> {
    const answer = await this.#ask<{ readonly session: NewSession | null }>('session');
    if (!answer.ok) return answer;
    const { session } = answer.data;
    return session && session.expiresAt !== this.#session?.data.expiresAt
      ? { ...answer, ...succeed(session) }
      : undefined;
  }

  #ask<T>(route: 'refresh' | 'session', options?: RequestOptions): Promise<Answered<T>> {
    return this.#send(`/api/auth/${route}`, options, longestRefreshMs) as Promise<Answered<T>>;
  }

  /** Takes in what came of a refresh. */
  #conclude(answer: Answered<NewSession>): ClientResult<NewSession> {
    if (answer.ok) this.#begin(answer.data, answer.serverTime);
    else if (answer.error.code === 'SESSION_EXPIRED') this.#over();
    else {
      this.#failure = answer;
      this.#plan(backOffMs(this.#failures++, answer.error.retryAfter));
    }
    return answer;
  }

  #begin({ user, expiresAt }: NewSession, serverTime?: number): void {
    const session = { data: { user, expiresAt }, lifetime: lifetimeMs(expiresAt, serverTime), since: now() };
    this.#surroundings.rememberSession(true);
    this.#tell({ kind: 'signedIn', session });
    this.#keep(session);
  }

  #over(): void {
    this.#surroundings.rememberSession(false);
    this.#tell({ kind: 'signedOut' });
    this.#forget();
  }

  #keep(session: KnownSession): void {
    this.#session = session;
    this.#failure = undefined;
    this.#failures = 0;
    this.#plan(refreshDelayMs(session.lifetime), session.since);
    this.#show(signedInAs(session.data.user, this.#state));
  }

  #forget(): ClientFailure {
    this.#session = this.#failure = this.#planned = undefined;
    this.#failures = 0;
    clearTimeout(this.#timer);
    this.#show(signedOut);
    return sessionOver;
  }

  #show(state: SessionState): void {
    if (state === this.#state) return;
    this.#state = state;
    for (const listener of this.#listeners) listener();
  }

  #tell(message: TabMessage): void {
    this.#channel?.postMessage(message);
  }

  #hear(message: TabMessage): void {
    this.#turns.hear(message);
    if (message.kind === 'signedOut') this.#forget();
    if (message.kind !== 'signedIn') return;
    const { session } = message;
    // Tabs share the clock of the machine, and no other.
    this.#keep({ ...session, since: { ...now(), wall: session.since.wall } });
  }

  #plan(delay: number, since: Moment = now()): void {
    this.#planned = { delay, since };
    this.#arm();
  }

  /** Sets the timer for what is planned. In a pause nothing comes of it, until {@link #resume} sets it again. */
  #arm(): void {
    clearTimeout(this.#timer);
    if (!this.#planned) return;
    this.#timer = setTimeout(
      () => {
        if (this.#surroundings.isPaused()) return;
        this.#failure = undefined;
        void this.refresh();
      },
      Math.max(remainingMs(this.#planned), 0),
    );
    // Node would stay for it.
    (this.#timer as { readonly unref?: () => void }).unref?.();
  }

  #resume(): void {
    if (this.#failure?.error.code === 'NETWORK_FAILED') this.#plan(0);
    else this.#arm();
  }
}

/** What is to be done so many milliseconds after a moment. */
interface Planned {
  readonly since: Moment;
  readonly delay: number;
}

function remainingMs({ since, delay }: Planned): number {
  return delay - elapsedMs(since);
}

/** Shorter than the grace of ten seconds in which the server repeats an answer that was lost. */
const longestRefreshMs = 5000;

/** Nobody else can refresh meanwhile. */
const longestChangeMs = 30_000;

const sessionOver: ClientFailure = {
  ok: false,
  error: { code: 'SESSION_EXPIRED', message: 'The session is over.' },
};
